/** Knowledge that arrives after a conversation was scored: its truth, and judges' answers. */
import path from 'node:path';
import { netOf } from '../simulation/scraped-totals.ts';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JudgeOutcome } from '../../src/model/judging.ts';
import { type CheckWatch, makeWatchBuffer, SharedCheckWatch } from '../../src/engine/check-watch.ts';
import { readTruthFiles } from '../../src/engine/truth-files.ts';
import { QUALITY_METRICS } from '../../src/report/metrics/quality-metrics.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import { exportRequest, type TrafficSpan } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { LogDriver } from './log-driver.ts';

const CONVERSATION = 'c-1';

function suite(text: string): CompiledSuite {
  const { suite: compiled, mistakes } = readSuite(text, 'test.yaml');
  if (compiled === undefined) throw new Error(JSON.stringify(mistakes));
  return compiled;
}

const BY_TRUTH = (scope: 'turn' | 'conversation') =>
  suite(`
suite: right
scope: ${scope}
min_decided: 0
criteria:
  - { name: said, question: Did it say what is right?, weight: 0.5, needs: [truth], check: "final_answer.contains(truth.word)" }
  - { name: answered, question: Did it answer?, weight: 0.5, uses: answered }
`);
const JUDGED = (scope: 'turn' | 'conversation') =>
  suite(`
suite: judged
scope: ${scope}
criteria:
  - { name: answered, question: Did it answer?, weight: 0.5, uses: answered }
  - { name: kind, question: Was it kind?, weight: 0.5, judge: {} }
`);

/** A turn of an agent and a model's call. */
function turn(
  number: number,
  options: { readonly ended?: boolean; readonly late?: boolean; readonly scenario?: string } = {},
) {
  const traceId = `${number}`.padStart(32, '0');
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const base = {
    traceId,
    kind: 1,
    startTimeUnixNano: `${1_790_000_000 + number}000000000`,
    endTimeUnixNano: `${1_790_000_001 + number}000000000`,
    status: { code: 0 },
  };
  const root: TrafficSpan = {
    ...base,
    spanId: `${number}aa`.padStart(16, '0'),
    name: 'invoke_agent helper',
    attributes: [
      text('gen_ai.conversation.id', CONVERSATION),
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', 'helper'),
      ...(options.scenario === undefined ? [] : [text('assay.scenario.id', options.scenario)]),
      ...(options.ended === true ? [{ key: 'assay.conversation.end', value: { boolValue: true } }] : []),
    ],
  };
  const chat: TrafficSpan = {
    ...base,
    spanId: `${number}bb`.padStart(16, '0'),
    parentSpanId: root.spanId,
    name: 'chat model',
    attributes: [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.input.messages', JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'When?' }] }])),
      text(
        'gen_ai.output.messages',
        JSON.stringify([
          {
            role: 'assistant',
            parts: [{ type: 'text', content: `At noon, of course (${number}).` }],
            finish_reason: 'stop',
          },
        ]),
      ),
    ],
  };
  const late: TrafficSpan = {
    ...base,
    spanId: `${number}cc`.padStart(16, '0'),
    parentSpanId: root.spanId,
    name: 'execute_tool clock',
    attributes: [text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.name', 'clock')],
  };
  return exportRequest(options.late === true ? [late] : [root, chat], 'v1');
}

const judge = () => ({ fingerprint: 'm-1', evidenceTokens: 4000, share: 1 });
const yes = (pass = true): JudgeOutcome => ({
  is: 'answered',
  model: 'm-1',
  answers: [{ criterion: 'kind', pass, reason: 'It says "of course".', quotes: [], votes: { yes: 1, of: 1 } }],
});

function answerAll(driver: LogDriver, outcome: JudgeOutcome): number {
  return driver.between((store) => {
    const waiting = store.questions.waiting('default', 100);
    store.questions.end(
      waiting.map(({ request }) => ({ key: request.key, outcome })),
      1,
    );
    return waiting.length;
  });
}

function driverOf(
  suites: readonly CompiledSuite[],
  more: { readonly truth?: NonNullable<ReturnType<typeof readTruthFiles>['truth']>; readonly watch?: CheckWatch } = {},
) {
  return new LogDriver({ directory: tempDirectory(), suites, judge, ...more });
}

const verdictsOf = (evaluations: ReturnType<LogDriver['evaluationsOf']>) =>
  evaluations.map(({ revision, waitsFor, verdicts }) => [
    revision,
    waitsFor === undefined ? 'complete' : 'waits',
    ...[...verdicts.values()].map(({ verdict }) => verdict),
  ]);

for (const scope of ['turn', 'conversation'] as const) {
  test(`truth that comes after a conversation ended lets a suite begin that is for conversations with truth (${scope})`, () => {
    const wanting = suite(`
suite: wanting
scope: ${scope}
match: { expression: "has(truth.word)" }
criteria: [{ name: said, question: Did it say it?, weight: 1, check: "final_answer.contains(truth.word)" }]
`);
    const driver = driverOf([wanting, BY_TRUTH(scope)]);
    driver.take({ at: 1000, request: turn(1, { ended: true }) });
    driver.advance(100_000);
    const ofWanting = () => driver.evaluationsOf(CONVERSATION).filter((one) => one.suite === 'wanting');
    expect(ofWanting()).toEqual([]);

    driver.between((store) => store.truths.put(CONVERSATION, { word: 'noon' }));
    driver.advance(100_001);
    expect(verdictsOf(ofWanting())).toEqual([[1, 'complete', 'pass']]);
    driver.between((store) => store.truths.put(CONVERSATION, { word: 'midnight' }));
    driver.advance(100_002);

    expect(verdictsOf(ofWanting())).toEqual([
      [1, 'complete', 'pass'],
      [2, 'complete', 'fail'],
    ]);
    const { totals } = driver.finish();
    const ofSuite = (totals as Parameters<typeof netOf>[0]).filter(({ labels }) => labels.includes('"wanting"'));
    expect(netOf(ofSuite, QUALITY_METRICS.evaluations)).toBe(1);
  });

  test(`truth that comes after the conversation was scored makes a new revision of what wanted it (${scope})`, () => {
    const driver = driverOf([BY_TRUTH(scope)]);
    driver.take({ at: 1000, request: turn(1, { ended: true }) });
    driver.advance(100_000);
    expect(verdictsOf(driver.evaluationsOf(CONVERSATION))).toEqual([[1, 'complete', 'not_applicable', 'pass']]);

    driver.between((store) => store.truths.put(CONVERSATION, { word: 'noon' }));
    driver.advance(100_001);
    driver.between((store) => store.truths.put(CONVERSATION, { word: 'noon' }));
    driver.advance(100_002);
    driver.between((store) => store.truths.put(CONVERSATION, { word: 'midnight' }));
    driver.advance(100_003);
    // A late span makes one more revision, with the knowledge at that time.
    driver.take({ at: 100_004, request: turn(1, { late: true }) });
    const { all, totals, history } = driver.finish();

    expect(verdictsOf(all)).toEqual([
      [1, 'complete', 'not_applicable', 'pass'],
      [2, 'complete', 'pass', 'pass'],
      [3, 'complete', 'fail', 'pass'],
    ]);
    // Nothing is left of the first two.
    expect(history.filter(({ evaluations, scores }) => evaluations !== 0 || scores !== 0)).toMatchObject([
      { suite: 'right', agent: 'helper', outcome: all.at(-1)?.outcome, evaluations: 1, scored: 1, scores: 500_000 },
    ]);
    expect(netOf(totals as Parameters<typeof netOf>[0], QUALITY_METRICS.evaluations)).toBe(1);
  });

  test(`while a critical criterion is suspended there is no score, and there is one when the pause is over (${scope})`, () => {
    const guarded = suite(`
suite: guarded
scope: ${scope}
criteria:
  - { name: answered, question: Did it answer?, weight: 0.8, uses: answered }
  - { name: harmless, question: Did it do no harm?, weight: 0.2, critical: true, check: "final_answer != ''" }
`);
    const stops = { for: 'pause', agent: 'helper', until: 500_000, weightMin: 0 } as const;
    const stopped = [{ suite: 'guarded', criterion: 'harmless', reason: 'It is suspended.', stops }];
    const driver = driverOf([guarded], { watch: new SharedCheckWatch(makeWatchBuffer(), stopped) });
    driver.take({ at: 1000, request: turn(1, { ended: true }) });
    driver.advance(100_000);
    driver.commit();
    driver.advance(499_999);

    const [suspended, ...more] = driver.evaluationsOf(CONVERSATION);
    expect(more).toEqual([]);
    expect(suspended).toMatchObject({ outcome: 'unscored', score: undefined });
    expect(suspended?.explanation).toBe(
      'Unscored, because harmless is critical and could not be checked; could not be checked: harmless (It is suspended).',
    );

    driver.crash();
    driver.advance(500_000);
    driver.advance(600_000);

    const { all, totals } = driver.finish();
    expect(verdictsOf(all)).toEqual([
      [1, 'complete', 'pass', 'error'],
      [2, 'complete', 'pass', 'pass'],
    ]);
    expect(all.at(-1)?.score).toBe(1_000_000);
    expect(netOf(totals as Parameters<typeof netOf>[0], QUALITY_METRICS.evaluations)).toBe(1);
  });

  test(`code is counted at once, and the evaluation when the judge has answered (${scope})`, () => {
    const driver = driverOf([JUDGED(scope)]);
    driver.take({ at: 1000, request: turn(1, { ended: true }) });
    driver.advance(100_000);
    expect(verdictsOf(driver.evaluationsOf(CONVERSATION))).toEqual([[1, 'waits', 'pass', 'skipped']]);

    expect(answerAll(driver, yes(false))).toBe(1);
    driver.advance(100_001);

    const { all, totals } = driver.finish();
    expect(verdictsOf(all)).toEqual([[1, 'complete', 'pass', 'fail']]);
    const moved = (totals as readonly { readonly metric: string; readonly labels: string; readonly value: number }[])
      .filter(
        ({ metric, value }) =>
          value > 0 && (metric === QUALITY_METRICS.verdicts.name || metric === QUALITY_METRICS.evaluations.name),
      )
      .map(({ labels, value }) => [
        /"criterion":"(\w+)"/.exec(labels)?.[1],
        /"(?:verdict|outcome)":"(\w+)"/.exec(labels)?.[1],
        value,
      ]);
    expect(moved.toSorted()).toEqual(
      [
        [undefined, 'graceful_failure', 1],
        ['answered', 'pass', 1],
        ['kind', 'fail', 1],
      ].toSorted(),
    );
  });

  test(`late spans while the judge thinks: the newer revision is asked about, and counted once (${scope})`, () => {
    const driver = driverOf([JUDGED(scope)]);
    driver.take({ at: 1000, request: turn(1, { ended: true }) });
    driver.advance(100_000);
    driver.take({ at: 100_001, request: turn(1, { late: true }) });
    driver.advance(300_000);
    driver.advance(900_000);
    expect(verdictsOf(driver.evaluationsOf(CONVERSATION))).toEqual([[2, 'waits', 'pass', 'skipped']]);

    // Questions that no evaluation waits for are not asked.
    expect(answerAll(driver, yes())).toBe(1);
    driver.advance(900_001);

    const { all, totals } = driver.finish();
    expect(verdictsOf(all)).toEqual([[2, 'complete', 'pass', 'pass']]);
    const rows = totals as readonly { readonly metric: string; readonly value: number }[];
    const sum = (name: string) =>
      rows.filter(({ metric }) => metric === name).reduce((all_, { value }) => all_ + value, 0);
    expect([sum(QUALITY_METRICS.evaluations.name), sum(QUALITY_METRICS.verdicts.name)]).toEqual([1, 2]);
  });

  test(`a crash while an evaluation waits loses nothing and asks nothing twice (${scope})`, () => {
    const driver = driverOf([JUDGED(scope)]);
    driver.take({ at: 1000, request: turn(1, { ended: true }) });
    driver.advance(100_000);
    driver.commit();
    driver.crash();
    driver.advance(100_000);
    expect(answerAll(driver, yes())).toBe(1);
    driver.advance(100_001);
    driver.crash();
    driver.advance(100_002);

    expect(verdictsOf(driver.finish().all)).toEqual([[1, 'complete', 'pass', 'pass']]);
  });
}

test('a judge that gives no answer leaves an error, and the score to the others', () => {
  const driver = driverOf([JUDGED('turn')]);
  driver.take({ at: 1000, request: turn(1, { ended: true }) });
  driver.advance(100_000);
  answerAll(driver, { is: 'failed', failure: 'timeout', reason: 'It took too long.' });
  driver.advance(100_001);

  const [evaluation] = driver.finish().all;
  expect(evaluation?.verdicts.get('kind')).toMatchObject({ verdict: 'error' });
  expect(evaluation?.score).toBe(1_000_000);
});

test('truth is found in files by conversation, scenario or attribute, and what is put in overrides it', () => {
  const directory = tempDirectory();
  const file = (name: string, text: string) => {
    writeFileSync(path.join(directory, name), text);
    return path.join(directory, name);
  };
  const { truth, mistakes } = readTruthFiles([
    { path: file('a.yaml', `s-7: { word: never, from: scenario }\n`), by: { attribute: 'assay.scenario.id' } },
    {
      path: file('b.jsonl', `{"conversation_id":"c-1","truth":{"word":"noon"}}\n\n{"id":"c-2","truth":1}\n`),
      by: 'conversation',
    },
  ]);
  expect(mistakes).toEqual([]);
  const driver = driverOf([BY_TRUTH('conversation')], truth === undefined ? {} : { truth });
  driver.take({ at: 1000, request: turn(1, { ended: true, scenario: 's-7' }) });
  driver.advance(100_000);
  expect(verdictsOf(driver.evaluationsOf(CONVERSATION))).toEqual([[1, 'complete', 'pass', 'pass']]);

  driver.between((store) => store.truths.put(CONVERSATION, { word: 'midnight' }));
  driver.advance(100_001);

  expect(verdictsOf(driver.finish().all).at(-1)).toEqual([2, 'complete', 'fail', 'pass']);
});

test('files of truth: every mistake, with its place', () => {
  const directory = tempDirectory();
  const list = path.join(directory, 'list.yaml');
  writeFileSync(
    list,
    '- { id: a, truth: 1 }\n- { conversation_id: a, truth: 2 }\n- { name: b }\n- { id: [c], truth: 1 }\n- { id: d, truth: { outputs: [a, null] } }\n',
  );
  const lines = path.join(directory, 'lines.jsonl');
  writeFileSync(lines, '{"id":"a","truth":1}\n{"id":\n{"id":"b","conversation_id":"c","truth":1}\n');
  const scenarios = path.join(directory, 'scenarios.yaml');
  writeFileSync(scenarios, '- { conversation_id: a, truth: 1 }\n');

  const { mistakes } = readTruthFiles([
    { path: list, by: 'conversation' },
    { path: lines, by: 'conversation' },
    { path: scenarios, by: { attribute: 'assay.scenario.id' } },
    { path: path.join(directory, 'none.yaml'), by: 'conversation' },
  ]);

  expect(mistakes.map(({ line, problem }) => [line, problem.replace(/\(.*|'\/.*/s, '')])).toEqual([
    [2, "'a' is there twice"],
    [3, 'this has not both an `id` and a `truth`'],
    [4, 'its `id` is neither a text nor a number'],
    [5, 'outputs[1] of the truth is null'],
    [2, expect.any(String)],
    [3, 'this has both an `id` and a `conversation_id`'],
    [1, 'this names a conversation, and the file is by an attribute'],
    [undefined, expect.stringContaining('ENOENT')],
  ]);
});

test('a file with a truth of a task that is not well formed is a mistake where a suite reads it, else a remark', async () => {
  const file = path.join(tempDirectory(), 'tasks.yaml');
  writeFileSync(
    file,
    'a: { actions: [{ name: pay }] }\nb: { actions: x }\nc: { action: [{ name: pay }] }\nd: { actions: [] }\n',
  );
  const files = [{ path: file, by: 'conversation' }] as const;
  const { suites } = await loadSuites(['task-success'], { baseDir: '.', builtinDir: 'suites' });

  const read = readTruthFiles(files, suites);
  const unread = readTruthFiles(files, []);

  expect(read.mistakes.map(({ line, problem, expected }) => [line, problem, expected])).toEqual([
    [2, 'truth.actions is no list', '[{name, args}], for suite task-success'],
    [3, 'truth.action is not read', 'actions, for suite task-success'],
  ]);
  expect(read.remarks).toEqual([
    expect.stringMatching(/tasks\.yaml: 1 truth cannot show a success, such as 'd': The truth asks for no change/),
  ]);
  expect(unread.mistakes).toEqual([]);
  expect(unread.remarks).toEqual([
    expect.stringMatching(/tasks\.yaml: .*'b': truth\.actions is no list: expected \[\{name, args\}\]; nor 1 more$/),
  ]);
});
