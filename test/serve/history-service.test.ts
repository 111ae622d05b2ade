/** A suite that is edited while the service is down is learned from the store when it starts, with shortened times. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, type RunningService, runService, sendTurns, sumOf } from './running-service.ts';

const suite = (version: string, criterion: string) => `suite: care
version: "${version}"
scope: turn
criteria:
  - { name: ${criterion}, question: Did it do something?, weight: 1, check: size(steps) > 0 }
`;

interface Detection {
  readonly learning: readonly unknown[];
  readonly observed: number;
  /** Absent before the first round. */
  readonly levels?: readonly { readonly metric: string; readonly criterion?: string; readonly state: string }[];
}

const isWatched = ({ state }: { readonly state: string }) => state === 'ok';

test('the suite is edited while the service is down: what is stored teaches it, and counts nowhere', async () => {
  const directory = tempDirectory();
  const file = path.join(directory, 'care.yaml');
  const run = () =>
    runService({
      suites: ['./care.yaml'],
      dataDir: directory,
      detection: { learnConversations: 100, learnHistoryMs: 2000, baselineGapMs: 600 },
    });
  const detection = async (http: string) =>
    // The cast holds for this API.
    (await (await fetch(`${http}/api/detection`)).json()) as Detection;
  writeFileSync(file, suite('1', 'did'));
  const before = await run();
  let sent = 0;
  const sendSome = async (running: RunningService) => {
    await sendTurns(running, { first: sent + 1, turns: 20 });
    sent += 20;
    await new Promise((resolve) => setTimeout(resolve, 200));
  };
  while ((await detection(before.http)).levels?.some(isWatched) !== true) await sendSome(before);
  await before.service.stop();

  writeFileSync(file, suite('2', 'acted'));
  const after = await run();
  // Its log time goes on with the next turn.
  await sendSome(after);
  let said = await detection(after.http);
  while (said.levels?.some((level) => level.criterion === 'acted' && isWatched(level)) !== true) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    said = await detection(after.http);
  }
  const metrics = await metricsOf(after);

  expect(after.lines.some((line) => line.includes('suite learned from stored conversations'))).toBe(true);
  expect(said.learning).toEqual([]);
  expect(said.levels?.filter(({ criterion }) => criterion === 'did')).toEqual([]);
  expect(sumOf(metrics, 'assay_evaluations_total')).toBe(sent);
  expect(sumOf(metrics, 'assay_verdicts_total', 'criterion="acted"', 'verdict="pass"')).toBe(20);
  expect(said.observed).toBe(sent);
  const { stdout } = await assayHere(['detect', '--url', after.http]);
  expect(stdout).not.toContain('Learning');
}, 120_000);
