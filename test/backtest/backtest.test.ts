/**
 * A backtest of a changed suite gives the same verdicts as scoring the same conversations with it, by either way of
 * computing them.
 */
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backtest, type BacktestOptions } from '../../src/backtest/backtest.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { backtestJson } from '../../src/report/documents/backtest-json.ts';
import { backtestDocument } from '../../src/report/documents/backtest-document.ts';
import { documentMarkdown } from '../../src/report/documents/document-markdown.ts';
import { summarize } from '../../src/report/documents/summary.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { defaultSettings, LogDriver } from '../engine/log-driver.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { CONVERSATIONS, record, type Recorded, removeDirectories, suiteOf } from './recorded.ts';

const SUITE = `suite: calls
version: "1"
scope: conversation
min_decided: 0.2
crash: by_criteria
extract:
  asked: user_input
criteria:
  - { name: few, question: Few calls?, weight: 0.5, check: size(tool_calls) < 6 }
  - { name: clean, question: No errors?, weight: 0.3, check: "!steps.exists(s, s.error != null)" }
  - { name: known, question: As known?, weight: 0.2, check: truth.known == true }
outcomes:
  - { outcome: successful_completion, when: completed && score >= 0.75 }
  - { outcome: hard_failure, when: failed }
  - { outcome: partial_failure }
`;

const CHANGES: readonly (readonly [
  what: string,
  change: (text: string) => string,
  how: 'weighed' | 'asked' | 'compared conversation by conversation',
])[] = [
  ['nothing', (text) => text, 'weighed'],
  ['weights', (text) => text.replace('weight: 0.5', 'weight: 0.1').replace('weight: 0.3', 'weight: 0.7'), 'weighed'],
  [
    'what does not apply counts',
    (text) => text.replace('check: truth', 'when_not_applicable: fail, check: truth'),
    'weighed',
  ],
  ['a critical criterion', (text) => text.replace('check: size', 'critical: hard_failure, check: size'), 'weighed'],
  ['what becomes of a crash', (text) => text.replace('crash: by_criteria', 'crash: hard_failure'), 'weighed'],
  [
    'whether a hard failure keeps its score',
    (text) =>
      text
        .replace('check: size', 'critical: hard_failure, check: size')
        .replace('extract', 'hard_failure_keeps_score: true\nextract'),
    'weighed',
  ],
  ['the share that must be decided', (text) => text.replace('min_decided: 0.2', 'min_decided: 0.9'), 'weighed'],
  [
    'outcome rules over verdicts',
    (text) => text.replace('when: failed', "when: criteria.few == 'fail' || failed"),
    'weighed',
  ],
  [
    'a criterion is gone',
    (text) => text.replace(/^.*name: known.*\n/m, '').replace('0.3, check', '0.5, check'),
    'weighed',
  ],
  ['the order of criteria', (text) => text.replace(/^(.*few.*\n)(.*clean.*\n)/m, '$2$1'), 'weighed'],
  [
    'an outcome rule over the conversation',
    (text) =>
      text.replace('outcomes:', 'outcomes:\n  - { outcome: graceful_failure, when: size(turns) > 1 && completed }'),
    'asked',
  ],
  ['a definition', (text) => text.replace('< 6', '< 4'), 'asked'],
  [
    'a new criterion',
    (text) =>
      text
        .replace('weight: 0.2, check', 'weight: 0.1, check')
        .replace(
          'outcomes:',
          '  - { name: short, question: Short?, weight: 0.1, check: size(final_answer) < 100 }\noutcomes:',
        ),
    'asked',
  ],
  ['when a task is completed', (text) => text.replace('criteria:', 'completed: size(turns) < 3\ncriteria:'), 'asked'],
  ['an extract', (text) => text.replace('asked: user_input', 'asked: final_answer'), 'asked'],
  [
    'for whom it is',
    (text) => text.replace('criteria:', 'match: { expression: size(turns) < 3 }\ncriteria:'),
    'compared conversation by conversation',
  ],
];

let live: CompiledSuite;
let recorded: Recorded;
beforeAll(async () => {
  live = await suiteOf(SUITE);
  recorded = record([live]);
});
afterAll(() => {
  recorded.reader.close();
  removeDirectories();
});

function over(changed: CompiledSuite, options: Partial<BacktestOptions> = {}) {
  const { reader } = recorded;
  const settings = defaultSettings();
  return backtest({ changed, against: live.name, configured: [live], reader, settings, shown: 1000, ...options });
}

describe('the same as if it had been live', () => {
  test.each(CHANGES)('%s', async (_what, change, how) => {
    const changed = await suiteOf(change(SUITE));
    const really = record([changed]);
    really.reader.close();
    const before = new Map(recorded.evaluations.map((evaluation) => [evaluation.conversationId, evaluation]));
    const said = really.evaluations.filter(({ conversationId }) => before.has(conversationId));

    const report = await over(changed);

    const { tcr, outcomes, scored } = summarize(said);
    expect(report.counted.compared).toBe(said.length);
    expect({
      ...report.after,
      tcr: report.after.tcr === undefined ? null : Math.round(report.after.tcr) / 1e6,
    }).toMatchObject({ tcr, outcomes, scored });
    expect(report.counted).toMatchObject({
      weighedAgain: how === 'weighed' ? CONVERSATIONS : 0,
      askedAgain: how === 'weighed' ? 0 : said.length,
      left: recorded.evaluations.length - said.length,
    });
    const moved = said.filter(({ conversationId, score, outcome }) => {
      const was = before.get(conversationId);
      return was === undefined || was.score !== score || was.outcome !== outcome;
    });
    expect(report.changed).toBe(moved.length);
    expect(report.conversations.map(({ conversationId }) => conversationId).sort()).toEqual(
      moved.map(({ conversationId }) => String(conversationId)).sort(),
    );
    const after = new Map(said.map((evaluation) => [String(evaluation.conversationId), evaluation]));
    for (const { conversationId, after: now } of report.conversations)
      expect(now).toEqual({
        score: after.get(conversationId)?.score,
        outcome: after.get(conversationId)?.outcome,
      });
  });
});

test('what moves TCR adds up to its change, and so does what moves one conversation', async () => {
  const changed = await suiteOf(SUITE.replace('weight: 0.5', 'weight: 0.2').replace('weight: 0.3', 'weight: 0.6'));

  const { before, after, criteria, conversations } = await over(changed);

  const sum = criteria.reduce((all, { points = Number.NaN }) => all + points, 0);
  expect(sum).toBeCloseTo((after.tcr ?? 0) - (before.tcr ?? 0), 3);
  expect(Math.abs(sum)).toBeGreaterThan(1000);
  for (const { before: was, after: now, movedBy } of conversations) {
    const moved = movedBy.reduce((all, { points = Number.NaN }) => all + points, 0);
    expect(Math.abs(moved - ((now.score ?? 0) - (was.score ?? 0)))).toBeLessThan(2);
  }
  const sizes = conversations.map(
    ({ before: was, after: now }) =>
      Math.abs((now.score ?? 0) - (was.score ?? 0)) + (was.outcome === now.outcome ? 0 : 500_000),
  );
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
});

test('without the live suite a changed definition is asked of everything, and the same one still holds', async () => {
  const other = await suiteOf(SUITE.replace('< 6', '< 4'));

  const unknown = await over(other, { configured: [] });
  const same = await over(live, { configured: [] });

  expect(unknown.counted).toMatchObject({ compared: CONVERSATIONS, askedAgain: CONVERSATIONS });
  expect(same.counted).toMatchObject({ compared: CONVERSATIONS, weighedAgain: CONVERSATIONS });
  expect(same.changed).toBe(0);
});

test('a suite that was edited where it is configured is not taken for the one that scored', async () => {
  const edited = await suiteOf(SUITE.replace('< 6', '< 4'));

  const report = await over(edited, { configured: [edited] });

  expect(report.counted).toMatchObject({ weighedAgain: 0, askedAgain: CONVERSATIONS });
  expect(report.changed).toBeGreaterThan(0);
});

test('spans that are not kept any more are counted, and nothing is guessed of them', async () => {
  const changed = await suiteOf(SUITE.replace('< 6', '< 4'));
  const { directory, reader } = record([live]);
  reader.close();
  const file = path.join(directory, 'store.db');
  const database = new DatabaseSync(file);
  database.exec('DELETE FROM traces WHERE conversation % 3 = 0');
  database.close();
  const left = StoreReader.open(file);

  const report = await over(changed, { reader: left });
  const weighed = await over(live, { reader: left });
  left.close();

  expect(report.counted).toMatchObject({ spansNotKept: CONVERSATIONS / 3, compared: (2 * CONVERSATIONS) / 3 });
  expect(report.before.evaluations).toBe((2 * CONVERSATIONS) / 3);
  expect(weighed.counted).toMatchObject({ spansNotKept: 0, compared: CONVERSATIONS });
});

test('rows from before the basis was kept are asked again', async () => {
  const { directory, reader } = record([live]);
  reader.close();
  const file = path.join(directory, 'store.db');
  const database = new DatabaseSync(file);
  database.exec('UPDATE evaluations SET basis = NULL, steps = NULL WHERE id <= 20');
  database.close();
  const old = StoreReader.open(file);

  const report = await over(live, { reader: old });
  old.close();

  expect(report.counted).toMatchObject({ askedAgain: 20, weighedAgain: CONVERSATIONS - 20 });
  expect(report.changed).toBe(0);
  expect(report.alerts?.withoutEffort).toBe(true);
});

test('an agent, a version, the latest ones: only those', async () => {
  const versions = new Map<string, number>();
  const everything = await over(live);
  for (const { agentVersion, before } of everything.agents)
    versions.set(agentVersion, (versions.get(agentVersion) ?? 0) + before.evaluations);
  const [[version = '', count] = []] = versions;

  expect((await over(live, { agentVersion: version })).counted.compared).toBe(count);
  expect((await over(live, { agent: 'nobody' })).counted.compared).toBe(0);
  expect((await over(live, { limit: 7 })).counted.compared).toBe(7);
  expect((await over(live, { since: Date.now() + 60_000 })).counted.compared).toBe(0);
  expect((await over(live, { since: Date.UTC(2020, 0, 1) })).counted.compared).toBe(CONVERSATIONS);
});

test('names from spans are no markup, and the report is JSON', async () => {
  const changed = await suiteOf(SUITE.replace('weight: 0.5', 'weight: 0.1').replace('weight: 0.3', 'weight: 0.7'));
  const report = await over(changed, { shown: 1 });
  const [one] = report.conversations;
  if (one === undefined) throw new Error('nothing changed');
  const hostile = { ...one, conversationId: '<img src=x>| [a](javascript:b)\n# c' };

  const markdown = documentMarkdown(backtestDocument([{ ...report, conversations: [hostile] }]));

  expect(markdown).toContain('* `<img src=x>│ [a](javascript:b) # c`: ');
  expect(JSON.parse(JSON.stringify(backtestJson(report)))).toMatchObject({
    suite: 'calls',
    against: { suite: 'calls', versions: [{ version: '1', evaluations: CONVERSATIONS }], configured: '1' },
    changed: report.changed,
  });
});

test('a new suite says what it would say, of whom it is asked, and which of its tools nobody called', async () => {
  const fresh = await suiteOf(`suite: fresh
scope: conversation
criteria:
  - { name: checked, question: Checked?, weight: 0.5, check: size(tools('check_availability')) > 0 }
  - name: typed
    question: Typed?
    weight: 0.5
    check: tools('check_avialability').all(c, c.ok) && size(tools("mail_*")) < 9
`);
  const report = await over(fresh, { against: 'fresh' });
  const markdown = documentMarkdown(backtestDocument([report]));

  expect(report.counted).toMatchObject({ compared: 0, notOver: 0 });
  expect(report.joined.evaluations).toBe(CONVERSATIONS);
  expect(report.criteria).toMatchObject([
    { criterion: 'checked', how: 'new', before: { decided: 0 }, after: { decided: CONVERSATIONS } },
    { criterion: 'typed', how: 'new', before: { decided: 0 }, after: { decided: CONVERSATIONS } },
  ]);
  expect(report.neverCalled).toEqual([{ tool: 'check_avialability', didYouMean: 'check_availability' }]);
  expect(markdown).toContain(`${CONVERSATIONS} evaluations would be made, ${CONVERSATIONS} of them with a score`);
  expect(markdown).toContain('None of these conversations called the tool `check_avialability`');
  expect(markdown).not.toContain('Scores and outcomes');

  const nobody = documentMarkdown(backtestDocument([await over(fresh, { against: 'fresh', agent: 'nobody' })]));
  expect(nobody).toContain('No conversation is stored that the suite is for');
});

test('conversations that are not over are asked as they are, and counted', async () => {
  const directory = tempDirectory();
  const driver = new LogDriver({ directory, suites: [live] });
  const at = Date.UTC(2026, 10, 20);
  for (const { turns, agentVersion } of traffic({ seed: 5, conversations: 3, turnsMax: 1 }))
    for (const turn of turns) driver.take({ at, request: exportRequest(turn, agentVersion) });
  // The turns are, and their conversations wait for more.
  driver.advance(at + 60_000);
  driver.commit();
  const reader = StoreReader.open(path.join(directory, 'store.db'));
  onTestFinished(() => reader.close());
  const report = await over(await suiteOf(SUITE.replace('calls', 'fresh')), { against: 'fresh', reader });

  expect(report.counted).toMatchObject({ compared: 0, notOver: 3 });
  expect(report.joined.evaluations).toBe(3);
  expect(documentMarkdown(backtestDocument([report]))).toContain('3 of these are of conversations that are not over');
});
