/**
 * Questions of a changed suite to judges: no judge is called, stored answers are used, and the cost of the others is
 * estimated.
 */
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { backtest } from '../../src/backtest/backtest.ts';
import { judgeOf, judgingStart } from '../../src/engine/judging-start.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { writeFileSync } from 'node:fs';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { LogDriver } from '../engine/log-driver.ts';
import { removeDirectories, suiteOf } from './recorded.ts';

const SUITE = `suite: manners
version: "1"
scope: conversation
criteria:
  - { name: short, question: Short?, weight: 0.5, check: size(tool_calls) < 6 }
  - { name: kind, question: Is it kind?, weight: 0.5, judge: default }
`;
const CONVERSATIONS = 6;

afterAll(removeDirectories);

function settingsIn(directory: string): Settings {
  const file = `judges: { default: { provider: openai, model: played, base_url: "http://127.0.0.1:9", votes: 3, max_output_tokens: 100,
    prices: { input_per_million: 10, output_per_million: 20 } } }\n`;
  writeFileSync(path.join(directory, 'assay.yaml'), file);
  return loadSettings({ flags: {}, env: {}, cwd: directory }).settings;
}

async function recorded() {
  const directory = tempDirectory();
  const settings = settingsIn(directory);
  const live = await suiteOf(SUITE);
  const judge = judgeOf(judgingStart(settings));
  const driver = new LogDriver({ directory, suites: [live], settings, judge });
  for (const { turns, agentVersion } of traffic({ seed: 4, conversations: CONVERSATIONS }))
    for (const turn of turns) driver.take({ at: 1_000_000, request: exportRequest(turn, agentVersion) });
  driver.advance(90_000_000);
  driver.between((store) => {
    const questions = store.questions.waiting('default', 100);
    const answer = { criterion: 'kind', pass: true, reason: 'It is.', quotes: [], votes: { yes: 3, of: 3 } };
    const outcome = { is: 'answered' as const, answers: [answer], model: 'played' };
    store.questions.end(
      questions.map(({ request }) => ({ key: request.key, outcome })),
      1,
    );
  });
  driver.advance(90_000_001);
  driver.commit();
  driver.close();
  return { reader: StoreReader.open(path.join(directory, 'store.db')), settings, live };
}

test('another weight needs no judge, another question is priced, and going back finds the answers', async () => {
  const { reader, settings, live } = await recorded();
  const over = async (text: string, configured = [live]) =>
    backtest({ changed: await suiteOf(text), against: 'manners', configured, reader, settings, shown: 10 });

  const reweighed = await over(SUITE.replace('0.5, check', '0.3, check').replace('0.5, judge', '0.7, judge'));
  const reworded = await over(SUITE.replace('Is it kind?', 'Is it very kind?'));
  const unknown = await over(SUITE, []);
  const all = await over(
    SUITE.replace('size(tool_calls)', 'size(tool_calls) + 1').replace('scope', 'extract: { a: state }\nscope'),
  );
  reader.close();

  expect(reweighed.counted).toMatchObject({ weighedAgain: CONVERSATIONS, withoutJudges: 0 });
  expect(reweighed.judges).toEqual([]);
  expect(reweighed.criteria.find(({ criterion }) => criterion === 'kind')?.after).toEqual({
    passed: CONVERSATIONS,
    decided: CONVERSATIONS,
  });
  expect(reworded.counted).toMatchObject({ askedAgain: CONVERSATIONS, withoutJudges: CONVERSATIONS });
  const [bill] = reworded.judges;
  expect(bill).toMatchObject({ judge: 'default', questions: CONVERSATIONS, calls: 3 * CONVERSATIONS });
  expect(bill?.costLeast).toBeCloseTo(((bill?.inputTokens ?? 0) * 10) / 1e6, 9);
  expect((bill?.costMost ?? 0) - (bill?.costLeast ?? 0)).toBeCloseTo((3 * CONVERSATIONS * 100 * 20) / 1e6, 9);
  expect(reworded.criteria.find(({ criterion }) => criterion === 'kind')?.after.decided).toBe(0);
  expect(unknown.counted).toMatchObject({ weighedAgain: CONVERSATIONS, withoutJudges: 0 });
  // The text for judges is the same, so their answers are too, whatever else must be evaluated again.
  expect(all.counted).toMatchObject({ askedAgain: CONVERSATIONS, withoutJudges: 0 });
  expect(all.criteria.find(({ criterion }) => criterion === 'kind')?.after.decided).toBe(CONVERSATIONS);
});
