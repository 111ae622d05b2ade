/** A suite in shadow is stored and compared, and changes no figure about an agent. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { backtest } from '../../src/backtest/backtest.ts';
import { shadowReports } from '../../src/backtest/shadow-report.ts';
import { outlineOf } from '../../src/engine/suite-outline.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { defaultSettings, LogDriver } from '../engine/log-driver.ts';
import { CONVERSATIONS, record, removeDirectories, suiteOf } from './recorded.ts';

const LIVE = `suite: calls
version: "1"
scope: conversation
criteria:
  - { name: few, question: Few calls?, weight: 0.6, check: size(tool_calls) < 6 }
  - { name: clean, question: No errors?, weight: 0.4, check: "!steps.exists(s, s.error != null)" }
`;
const CANDIDATE = LIVE.replace('"1"', '"2"').replace('< 6', '< 4').replace('0.6', '0.7').replace('0.4', '0.3');
const TURNS = `suite: turns
version: "1"
scope: turn
criteria:
  - { name: harsh, question: Never?, weight: 1, check: size(steps) < 0 }
`;

afterAll(removeDirectories);

interface Total {
  readonly metric: string;
  readonly labels: string;
  readonly value: number;
}

function sumOf(totals: readonly unknown[], metric: string, ...parts: readonly string[]): number {
  // The cast holds for what the store gives.
  return (totals as readonly Total[])
    .filter((total) => total.metric === metric && parts.every((part) => total.labels.includes(part)))
    .reduce((sum, { value }) => sum + value, 0);
}

function withoutShadows(totals: readonly unknown[]): readonly unknown[] {
  return (totals as readonly Total[]).filter(({ metric }) => !metric.startsWith('assay_shadow_'));
}

function inShadow(reader: StoreReader) {
  return reader
    .list({ limit: 1000 })
    .flatMap((row) => reader.evaluations(row, { revisions: 'all', of: 'shadow' }))
    .toSorted((a, b) => (a.conversationId < b.conversationId ? -1 : 1));
}

test('what live suites say, what is counted, observed and listed is the same beside suites in shadow', async () => {
  const live = await suiteOf(LIVE);
  const shadows = [await suiteOf(CANDIDATE, 'shadows'), await suiteOf(TURNS, 'shadows')];

  const alone = record([live]);
  const beside = record([live, ...shadows]);

  expect(beside.evaluations).toEqual(alone.evaluations);
  expect(withoutShadows(beside.totals)).toEqual(alone.totals);
  // Lots are drawn by chance.
  const rows = (reader: StoreReader) => reader.list({ limit: 1000 }).map(({ updatedAt: _, lot: __, ...row }) => row);
  expect(rows(beside.reader)).toEqual(rows(alone.reader));
  expect(beside.reader.list({ limit: 10, criterion: 'harsh' })).toEqual([]);
  expect(beside.reader.list({ limit: 10, suite: 'turns' })).toEqual([]);
  expect(inShadow(beside.reader).filter(({ suite }) => suite === 'turns').length).toBeGreaterThan(0);
  const worst = ({ directory }: { readonly directory: string }) => {
    const database = new DatabaseSync(path.join(directory, 'store.db'));
    const found = database.prepare('SELECT conversation_id, worst_outcome FROM conversations ORDER BY id').all();
    database.close();
    return found;
  };
  expect(worst(beside)).toEqual(worst(alone));
  alone.reader.close();
  beside.reader.close();
});

test('it says what it would say as the live one, marked, and the report is that of a backtest', async () => {
  const live = await suiteOf(LIVE);
  const candidate = await suiteOf(CANDIDATE);
  const shadow = await suiteOf(CANDIDATE, 'shadows');
  const asLive = record([candidate]);
  const alone = record([live]);
  const beside = record([live, shadow]);

  const said = inShadow(beside.reader);
  const [report] = await shadowReports({
    reader: beside.reader,
    suites: [live, shadow].map(outlineOf),
    limit: 1000,
    shown: 1000,
  });
  const tested = await backtest({
    changed: candidate,
    against: 'calls',
    configured: [live],
    reader: alone.reader,
    settings: defaultSettings(),
    shown: 1000,
  });

  expect(said).toEqual(asLive.evaluations.map((evaluation) => ({ ...evaluation, shadow: true })));
  const { before, after, outcomes, changed, conversations, against } = tested;
  expect(report).toMatchObject({ before, after, outcomes, changed, conversations, against });
  expect(changed).toBeGreaterThan(0);
  for (const { reader } of [asLive, alone, beside]) reader.close();
});

test('each conversation is compared once, and the sums are those of what is stored', async () => {
  const live = await suiteOf(LIVE);
  const { totals, evaluations, reader } = record([live, await suiteOf(CANDIDATE, 'shadows')]);
  const before = new Map(evaluations.map((evaluation) => [evaluation.conversationId, evaluation]));
  const pairs = inShadow(reader).map((after) => ({ after, before: before.get(after.conversationId) }));
  reader.close();
  const gains = pairs.map((pair) => (pair.after.score ?? 0) - (pair.before?.score ?? 0));
  const differing = pairs.filter(
    (pair) => pair.after.verdicts.get('few')?.verdict !== pair.before?.verdicts.get('few')?.verdict,
  );

  expect(sumOf(totals, 'assay_shadow_evaluations_total', '"version":"2"')).toBe(CONVERSATIONS);
  expect(sumOf(totals, 'assay_shadow_compared_total')).toBe(CONVERSATIONS);
  expect(sumOf(totals, 'assay_shadow_score_up_total')).toBe(gains.reduce((sum, gain) => sum + Math.max(0, gain), 0));
  expect(sumOf(totals, 'assay_shadow_score_down_total')).toBe(gains.reduce((sum, gain) => sum - Math.min(0, gain), 0));
  expect(sumOf(totals, 'assay_shadow_verdicts_differing_total', '"few"')).toBe(differing.length);
  expect(differing.length).toBeGreaterThan(0);
  expect(sumOf(totals, 'assay_shadow_verdicts_differing_total', '"clean"')).toBe(0);
});

test('after crashes the same is counted, once', async () => {
  const suites = [await suiteOf(LIVE), await suiteOf(CANDIDATE, 'shadows')];
  const run = (crashes: boolean) => {
    const driver = new LogDriver({ directory: tempDirectory(), suites });
    let at = Date.UTC(2026, 10, 20);
    for (const [index, { turns, agentVersion }] of [...traffic({ seed: 9, conversations: 24 })].entries()) {
      for (const turn of turns) driver.take({ at, request: exportRequest(turn, agentVersion) });
      at += 400_000;
      driver.advance(at);
      if (index % 5 === 2) driver.commit();
      if (crashes && index % 7 === 4) driver.crash();
    }
    return driver.finish().totals;
  };

  const undisturbed = run(false);

  expect(run(true)).toEqual(undisturbed);
  expect(sumOf(undisturbed, 'assay_shadow_compared_total')).toBe(24);
});

test('one without a live suite of its name is stored and counted, and compared with nothing', async () => {
  const shadow = await suiteOf(CANDIDATE.replace('suite: calls', 'suite: fresh'), 'shadows');
  const { totals, reader } = record([await suiteOf(LIVE), shadow]);

  const [report] = await shadowReports({ reader, suites: [outlineOf(shadow)], limit: 1000, shown: 10 });
  reader.close();

  expect(sumOf(totals, 'assay_shadow_evaluations_total')).toBe(CONVERSATIONS);
  expect(sumOf(totals, 'assay_shadow_compared_total')).toBe(0);
  expect(report).toMatchObject({ counted: { compared: 0 }, joined: { evaluations: CONVERSATIONS } });
});

test('a conversation that only a suite in shadow is for is one that no suite scored', async () => {
  const live = await suiteOf(LIVE.replace('scope: conversation', 'scope: conversation\nmatch: { agent: nobody }'));
  const { totals, evaluations, reader } = record([live, await suiteOf(CANDIDATE, 'shadows')]);
  reader.close();

  expect(evaluations).toEqual([]);
  expect(sumOf(totals, 'assay_conversations_unscored_total', 'no_suite_matched')).toBe(CONVERSATIONS);
});

const JUDGED = (text: string) =>
  `${text.replace('0.6', '0.5').replace('0.7', '0.6')}  - { name: kind, question: Is it kind?, weight: 0.1, judge: default }\n`;

test('judges are asked for a suite in shadow behind all else, and it is compared when their answer is there', async () => {
  const live = await suiteOf(LIVE);
  const shadow: CompiledSuite = await suiteOf(JUDGED(CANDIDATE), 'shadows');
  const directory = tempDirectory();
  const judge = () => ({ fingerprint: 'model', evidenceTokens: 10_000, share: 1 });
  const driver = new LogDriver({ directory, suites: [live, shadow], judge });
  const [{ turns, agentVersion, id } = { turns: [], agentVersion: '', id: '' }] = traffic({
    seed: 3,
    conversations: 1,
  });
  for (const turn of turns) driver.take({ at: 1_000_000, request: exportRequest(turn, agentVersion) });
  driver.advance(10_000_000);
  driver.commit();
  const totals = () => {
    const reader = StoreReader.open(path.join(directory, 'store.db'));
    const found = reader.totals();
    reader.close();
    return found;
  };

  const waiting = driver.between((store) => store.questions.waiting('default', 10));
  const comparedBefore = sumOf(totals(), 'assay_shadow_compared_total');
  const [{ request } = expect.unreachable()] = waiting;
  const answers = [{ criterion: 'kind', pass: true, reason: 'It is.', quotes: [], votes: { yes: 1, of: 1 } }];
  driver.between((store) =>
    store.questions.end([{ key: request.key, outcome: { is: 'answered', answers, model: 'played' } }], 1),
  );
  driver.advance(10_000_001);
  driver.commit();

  expect(waiting.map((question) => question.request.priority)).toEqual([-1]);
  expect(comparedBefore).toBe(0);
  expect(sumOf(totals(), 'assay_shadow_compared_total')).toBe(1);
  expect(sumOf(totals(), 'assay_judged_verdicts_total')).toBe(0);
  const reader = StoreReader.open(path.join(directory, 'store.db'));
  const row = reader.find(id) ?? expect.unreachable();
  expect(reader.evaluations(row, { revisions: 'all', of: 'shadow' })).toMatchObject([
    { suite: 'calls', suiteVersion: '2', shadow: true },
  ]);
  expect(reader.evaluations(row, { revisions: 'all' })).toMatchObject([{ suite: 'calls', suiteVersion: '1' }]);
  reader.close();
  driver.close();
});
