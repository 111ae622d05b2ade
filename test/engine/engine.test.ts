import { QUALITY_METRICS, type SaidMetric } from '../../src/report/metrics/quality-metrics.ts';
import { netOf } from '../simulation/scraped-totals.ts';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSuites } from '../../src/score/load-suites.ts';
import { exportRequest } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { BUILTIN, builtinSuites, defaultSettings, LogDriver } from './log-driver.ts';
import { smallTurn as turn } from './small-turn.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

async function driver(suites: readonly string[] = ['default']) {
  return new LogDriver({ directory: tempDirectory(), suites: await builtinSuites(suites) });
}

function totalOf(totals: readonly unknown[], metric: string, labels: string): number {
  // The cast holds for what the store gives.
  const rows = totals as readonly { metric: string; labels: string; value: number }[];
  return rows
    .filter((row) => row.metric === metric && row.labels.includes(labels))
    .reduce((sum, { value }) => sum + value, 0);
}

test('a turn is evaluated once, and counted once', async () => {
  const log = await driver();
  const { root, chat } = turn('a1');
  log.take({ at: 1000, request: exportRequest([chat, root], 'v1') });

  const { all, totals } = log.finish();

  expect(all.map(({ suite, revision, outcome }) => [suite, revision, outcome])).toEqual([
    ['default', 1, 'no_fault_found'],
  ]);
  expect(totalOf(totals, 'assay_evaluations_total', 'no_fault_found')).toBe(1);
  expect(totalOf(totals, 'assay_evaluation_score_count', '')).toBe(1);
});

test('a span that comes after the close is evaluated as revision 2, and what is counted is what that says', async () => {
  const log = await driver();
  const { root, chat, failedTool } = turn('a1');
  log.take({ at: 0, request: exportRequest([chat, root], 'v1') });
  log.take({ at: HOUR, request: exportRequest([failedTool], 'v1') });

  const { all, evaluations, totals } = log.finish();

  expect(log.fates).toEqual(['stored', 'revised']);
  expect(all.map(({ revision }) => revision)).toEqual([1, 2]);
  expect(
    evaluations.map(({ revision, verdicts }) => [revision, verdicts.get('no_unrecovered_tool_error')?.verdict]),
  ).toEqual([[2, 'fail']]);
  const [first, second] = all.map(({ score }) => score ?? 0);
  const net = (metric: SaidMetric) => netOf(totals as Parameters<typeof netOf>[0], metric);
  expect(net(QUALITY_METRICS.evaluations)).toBe(1);
  expect(totalOf(totals, 'assay_evaluation_score_sum', '')).toBe((first ?? 0) + (second ?? 0));
  expect(totalOf(totals, 'assay_evaluation_score_withdrawn_sum', '')).toBe(first);
  expect(second).toBeLessThan(first ?? 0);
});

test('what comes twice after the close changes nothing', async () => {
  const log = await driver();
  const { root, chat } = turn('a1');
  log.take({ at: 0, request: exportRequest([chat, root], 'v1') });
  log.take({ at: HOUR, request: exportRequest([chat], 'v1') });

  const { all } = log.finish();

  expect(log.fates).toEqual(['stored', 'duplicate']);
  expect(all).toHaveLength(1);
});

test('what comes later than a turn may be opened again is left out, and said', async () => {
  const log = await driver();
  const { root, chat, failedTool } = turn('a1');
  log.take({ at: 0, request: exportRequest([chat, root], 'v1') });
  log.take({ at: 25 * HOUR, request: exportRequest([failedTool], 'v1') });

  const { all } = log.finish();

  expect(log.fates).toEqual(['stored', 'too-late']);
  expect(all).toHaveLength(1);
});

test('spans played again after a crash do not open a turn that is stored', async () => {
  const log = await driver();
  const { root, chat } = turn('a1');
  log.take({ at: 0, request: exportRequest([chat, root], 'v1') });
  log.advance(HOUR);
  log.commit();
  log.crash();

  const { all, totals } = log.finish();

  expect(log.fates).toEqual(['stored']);
  expect(all).toHaveLength(1);
  expect(totalOf(totals, 'assay_evaluations_total', '')).toBe(1);
});

test('a crash before the commit leaves nothing behind, and the turn is stored once', async () => {
  const log = await driver();
  const { root, chat } = turn('a1');
  log.take({ at: 0, request: exportRequest([chat, root], 'v1') });
  log.advance(HOUR);
  log.crash();

  const { all, totals } = log.finish();

  expect(log.fates).toEqual(['stored', 'stored']);
  expect(all).toHaveLength(1);
  expect(totalOf(totals, 'assay_evaluations_total', '')).toBe(1);
});

test.each<[claim: string, end: boolean, second: number, expected: [revision: number, turns: number][]]>([
  ['turns within the idle time are one evaluation', false, 60 * SECOND, [[1, 2]]],
  [
    'a turn after the idle time makes a second revision with both',
    false,
    20 * 60 * SECOND,
    [
      [1, 1],
      [2, 2],
    ],
  ],
  [
    'an end mark does not wait',
    true,
    20 * 60 * SECOND,
    [
      [1, 1],
      [2, 2],
    ],
  ],
])('%s', async (_claim, end, secondAt, expected) => {
  const suites = await builtinSuites(['error-recovery']);
  const log = new LogDriver({ directory: tempDirectory(), suites });
  const first = turn('a1', { conversation: 'c', end });
  const second = turn('b2', { conversation: 'c' });
  log.take({ at: 0, request: exportRequest([first.failedTool, first.chat, first.root], 'v1') });
  log.take({ at: secondAt, request: exportRequest([second.failedTool, second.chat, second.root], 'v1') });

  const { all } = log.finish();

  expect(all.map(({ revision, verdicts }) => [revision, verdicts.size > 0 ? 'scored' : 'empty'])).toEqual(
    expected.map(([revision]) => [revision, 'scored']),
  );
});

test('the end mark alone makes a conversation due at its close', async () => {
  const suites = await builtinSuites(['error-recovery']);
  const log = new LogDriver({ directory: tempDirectory(), suites });
  const { root, chat, failedTool } = turn('a1', { conversation: 'c', end: true });
  log.take({ at: 0, request: exportRequest([failedTool, chat, root], 'v1') });
  // Closed at 10 s; without the mark it would wait until 5 min 10 s.
  log.advance(11 * SECOND);
  log.commit();
  log.crash();

  const { all } = log.finish();

  expect(all.map(({ revision }) => revision)).toEqual([1]);
});

test('a trace without work of an agent is no turn', async () => {
  const log = await driver();
  const span = { ...turn('a1').root, name: 'GET /health', attributes: [] };
  log.take({ at: 0, request: exportRequest([span], 'v1') });

  const { all } = log.finish();

  expect(log.fates).toEqual(['no-agent-steps']);
  expect(all).toEqual([]);
});

test('a trace in which only a framework’s plumbing is left does not lower the score of the agent', async () => {
  const log = await driver();
  const attributes = Object.entries({
    'langsmith.span.kind': 'chain',
    'langsmith.span.tags': 'graph:step:0, langsmith:hidden',
    'langsmith.metadata.langgraph_node': '__start__',
    'langsmith.metadata.thread_id': 'c',
    'gen_ai.prompt': '{"messages":[{"role":"user","content":"Hi"}]}',
  }).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const span = { ...turn('a1').root, name: 'meeting_scheduler', attributes };
  log.take({ at: 0, request: exportRequest([span], 'v1') });

  const { all } = log.finish();

  expect([log.fates, all]).toEqual([['no-agent-steps'], []]);
});

test('a turn over its limit of spans is scored as it is and takes no more', async () => {
  const settings = { ...defaultSettings(), turn: { ...defaultSettings().turn, maxSpans: 2 } };
  const log = new LogDriver({ directory: tempDirectory(), suites: await builtinSuites(['default']), settings });
  const { root, chat, failedTool } = turn('a1');
  log.take({ at: 0, request: exportRequest([chat, root, failedTool], 'v1') });
  log.take({ at: 1, request: exportRequest([turn('a1', { answer: 'another' }).chat], 'v1') });

  const { all } = log.finish();

  expect(log.fates).toEqual(['stored', 'over-limit']);
  expect(all).toHaveLength(1);
});

test('agents beyond the limit of label sets are counted under `other`, and not one is lost', async () => {
  const settings = { ...defaultSettings(), metrics: { ...defaultSettings().metrics, maxLabelValues: 3 } };
  const log = new LogDriver({ directory: tempDirectory(), suites: await builtinSuites(['default']), settings });
  for (let number = 0; number < 10; number += 1) {
    const { root, chat } = turn(`a${number}`);
    const named = {
      ...root,
      attributes: root.attributes.map((one) =>
        one.key === 'gen_ai.agent.name' ? { key: one.key, value: { stringValue: `agent-${number}` } } : one,
      ),
    };
    log.take({ at: number, request: exportRequest([chat, named], 'v1') });
  }

  const { totals } = log.finish();

  expect(totalOf(totals, 'assay_evaluations_total', '')).toBe(10);
  expect(totalOf(totals, 'assay_evaluations_total', '"agent":"other"')).toBe(7);
});

test('a conversation whose stored spans are damaged is counted as unscored, by that reason', async () => {
  const directory = tempDirectory();
  const log = new LogDriver({ directory, suites: await builtinSuites(['scheduling', 'error-recovery']) });
  const { chat, root } = turn('a1', { conversation: 'c' });
  log.take({ at: 0, request: exportRequest([chat, root], 'v1') });
  log.advance(60 * SECOND);
  log.commit();
  damageContent(directory);
  // A restart: memory is empty.
  log.crash();
  log.advance(HOUR);

  const { all, totals } = log.finish();

  expect(all).toEqual([]);
  expect(totalOf(totals, 'assay_conversations_unscored_total', '"not_understood"')).toBe(1);
});

test('a turn whose stored spans are damaged is left out and said; the others are scored', async () => {
  const directory = tempDirectory();
  const log = new LogDriver({ directory, suites: await builtinSuites(['default']) });
  const damaged = turn('a1', { conversation: 'c' });
  log.take({ at: 0, request: exportRequest([damaged.chat, damaged.root], 'v1') });
  log.advance(HOUR);
  log.commit();
  damageContent(directory);
  // A restart: memory is empty.
  log.crash();
  log.take({ at: 2 * HOUR, request: exportRequest([damaged.failedTool], 'v1') });
  const other = turn('b2');
  log.take({ at: 2 * HOUR, request: exportRequest([other.chat, other.root], 'v1') });

  const { evaluations } = log.finish();

  expect(log.fates).toContain('not-understood');
  expect(evaluations.map(({ revision, outcome }) => [revision, outcome])).toEqual([
    [1, 'no_fault_found'],
    [1, 'no_fault_found'],
  ]);
});

test.each([
  ['remembered', false],
  ['forgotten, because the process started anew', true],
])('a suite finds the turn that it is for among those of a conversation, %s', async (_, isForgotten) => {
  const log = await driver(['error-recovery']);
  const first = turn('a1', { conversation: 'c' });
  const second = turn('a2', { conversation: 'c', end: true });
  log.take({ at: 0, request: exportRequest([first.chat, first.failedTool, first.root], 'v1') });
  log.advance(60 * SECOND);
  log.commit();
  if (isForgotten) log.crash();
  log.take({ at: 61 * SECOND, request: exportRequest([second.chat, second.root], 'v1') });

  const { all } = log.finish();

  expect(all.map(({ suite, conversationId, turnId }) => [suite, conversationId, turnId])).toEqual([
    ['error-recovery', 'c', undefined],
  ]);
});

test('a conversation is unscored where no suite is for it nor for one of its turns', async () => {
  const text = `suite: pairs
scope: turn
match: { expression: size(turns) == 2 }
criteria: [{ name: a, question: Q?, weight: 1, check: turn.ok }]
`;
  const directory = tempDirectory();
  writeFileSync(path.join(directory, 'pairs.yaml'), text);
  const { suites } = await loadSuites(['pairs.yaml'], { baseDir: directory, builtinDir: BUILTIN });
  const log = new LogDriver({ directory, suites });
  for (const name of ['a1', 'a2']) {
    const { root, chat } = turn(name, { conversation: 'c' });
    log.take({ at: name === 'a1' ? 0 : SECOND, request: exportRequest([chat, root], 'v1') });
  }

  const { all, totals } = log.finish();

  expect(all).toEqual([]);
  expect(totalOf(totals, 'assay_conversations_unscored_total', 'no_suite_matched')).toBe(1);
});

function damageContent(directory: string): void {
  const content = path.join(directory, 'content');
  for (const name of readdirSync(content)) {
    const file = path.join(content, name);
    writeFileSync(file, Buffer.alloc(statSync(file).size, 0xff));
  }
}

test('facts of a conversation are kept whatever order they come in, and what is foretold of it with them', async () => {
  const { root, chat, failedTool } = turn('a1', { conversation: 'c1' });
  const kept = async (requests: readonly (readonly (typeof root)[])[]) => {
    const log = await driver();
    for (const [hour, spans] of requests.entries()) log.take({ at: hour * HOUR, request: exportRequest(spans, 'v1') });
    const [conversation] = log.finish().conversations;
    return conversation?.facts?.toSorted();
  };
  const facts = await kept([[chat, root, failedTool]]);

  expect(facts).toEqual([
    'answer in characters: 32 to 63',
    'calls in a turn: 1',
    'ended: after a failed call',
    'error message: no answer',
    'failed call: lookup',
    'failed: default/no_unrecovered_tool_error',
    'last in a turn: lookup',
    'model calls in a turn: 1',
    'tool: lookup',
  ]);
  expect(await kept([[chat, root], [failedTool]])).toEqual(
    [...(facts ?? []), 'calls in a turn: none', 'last in a turn: no call'].toSorted(),
  );
});
