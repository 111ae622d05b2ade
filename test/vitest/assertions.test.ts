import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { trace } from '@opentelemetry/api';
import { afterAll, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { toReportJson } from '../../src/report/documents/report-json.ts';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import { readRecording } from '../../src/offline/recording.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import { conversationOf, evaluationsOf, expectConversation } from '../../src/vitest/vitest.ts';
import { excerptRequest } from '../../src/score/suite-test/excerpt-request.ts';
import { aCall, anExcerpt, aTurn } from '../mutate/excerpts.ts';
import { tempDirectory } from '../temp-directory.ts';
import { book, startTelemetry } from './agent.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const RUNS = path.join(ROOT, 'examples/golden-traces/runs.jsonl');
const TICKETS = path.join(ROOT, 'examples/golden-traces/tickets.yaml');
const GOLDEN = path.join(ROOT, 'examples/golden-traces/golden');
const TRUTH = { participants: ['ana', 'bob'], time: '2026-03-02T10:00' };
const ASKED = { participants: ['ana', 'bob'], time: '2026-03-02T10:00' };

const sdk = startTelemetry();
afterAll(() => sdk.shutdown());

interface Failure {
  readonly message: string;
  readonly actual: string;
  readonly expected: string;
}

async function failureOf(assertion: Promise<void>): Promise<Failure> {
  try {
    await assertion;
  } catch (error) {
    // The cast holds: Vitest throws an AssertionError, with both sides.
    const { message, actual, expected } = error as Failure;
    return { message, actual, expected };
  }
  throw new Error('the assertion held');
}

test('an agent of this process is run, and what it did is held against a suite', async () => {
  const run = await conversationOf(() => book({ id: 'a', ...ASKED }), { truth: TRUTH });

  expect(run.result).toContain('ana and bob');
  await expectConversation(run).toPass('scheduling');
  await expect(run).toPassSuite('default');
  await expectConversation(run).toPass('scheduling', { atLeast: 1, outcome: 'successful_completion' });
});

test('what is wrong is told with the verdict, the reason and the step, and the diff has the criterion alone', async () => {
  const late = { ...ASKED, time: '2026-03-02T11:00' };
  const run = await conversationOf(() => book({ id: 'b', ...late }), { truth: TRUTH });

  const { message, actual, expected } = await failureOf(expectConversation(run).toPass('scheduling'));

  expect(message).toMatchInlineSnapshot(`
    "expected the conversation to pass scheduling

      b: scheduling 4 says hard_failure (booked something else), score 0.00
        nothing_else_booked fail: Another meeting was booked than asked for: booked ["ana", "bob"] at 2026-03-02T11:00, asked for ["ana", "bob"] at 2026-03-02T10:00. (turn 1, tool book_meeting)
        correct_time fail: Another time was booked than asked for: booked 2026-03-02T11:00, asked for 2026-03-02T10:00. (turn 1, tool book_meeting)"
  `);
  const lines = (text: string) => text.split('\n');
  const failed = ['nothing_else_booked', 'correct_time'];
  const differ = (one: string, other: string) => lines(one).filter((line) => !lines(other).includes(line));
  expect(differ(actual, expected)).toEqual(failed.map((name) => `${name}: fail`));
  expect(differ(expected, actual)).toEqual(failed.map((name) => `${name}: pass`));
  await expectConversation(run).toPass('scheduling', { except: failed });
  await expectConversation(run).toFail('scheduling', 'correct_time');
  await expect(run).not.toPassSuite('scheduling');
  await expect(run).not.toFailSuite('scheduling', ['correct_time', 'correct_duration']);
});

test('a score or an outcome that is not reached says what there was', async () => {
  const late = { ...ASKED, time: '2026-03-02T11:00' };
  const run = await conversationOf(() => book({ id: 'c', ...late }), { truth: TRUTH });

  const tooLow = await failureOf(expectConversation(run).toPass('scheduling', { atLeast: 0.9 }));
  expect(tooLow.expected).toContain('score: at least 0.9');
  expect(tooLow.actual).toContain('score: 0.00');
  expect(tooLow.message).toContain('correct_time');
  const other = await failureOf(expectConversation(run).toPass('scheduling', { outcome: 'graceful_failure' }));
  expect(other.actual).toContain('outcome: hard_failure');
});

test('runs at the same time are told apart', async () => {
  const ids = ['one', 'two', 'three', 'four'];
  const runs = await Promise.all(
    ids.map((id) =>
      conversationOf(() => book({ id, participants: [id], time: TRUTH.time }), {
        truth: { ...TRUTH, participants: [id] },
      }),
    ),
  );

  for (const [index, run] of runs.entries()) {
    const evaluations = await evaluationsOf(run, 'scheduling');
    expect(evaluations.map(({ conversationId, score }) => [conversationId, score])).toEqual([[ids[index], 1_000_000]]);
  }
});

test('spans that have not ended when the function returns are waited for', async () => {
  const tracer = trace.getTracer('late');
  const run = await conversationOf(() => {
    const span = tracer.startSpan('chat late', {
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.output.messages': JSON.stringify([
          { role: 'assistant', parts: [{ type: 'text', content: 'Hello there.' }] },
        ]),
      },
    });
    setImmediate(() => setImmediate(() => span.end()));
  });

  await expectConversation(run).toPass('default');
});

test('an agent of another process exports to an endpoint of its own', async () => {
  const file = path.join(tempDirectory(), 'agent.mjs');
  writeFileSync(
    file,
    `const spans = process.argv[2];
for (const body of JSON.parse(spans)) {
  await fetch(process.env.OTEL_EXPORTER_OTLP_ENDPOINT + '/v1/traces', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}`,
  );
  const [good = ''] = readFileSync(RUNS, 'utf8').split('\n');

  const run = await conversationOf(
    ({ env }) =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, [file, JSON.stringify([good])], { env: { ...process.env, ...env } });
        child.on('exit', resolve);
      }),
  );

  expect(run.result).toBe(0);
  await expectConversation(run).toFollowGolden('gt_001', { suite: TICKETS });
  await expectConversation(run).toPass(TICKETS);
});

test('an agent that exports nothing is told what is missing', async () => {
  await expect(conversationOf(() => 'nothing')).rejects.toThrow('CapturingSpanProcessor');
  await expect(conversationOf(({ env }) => env, { timeoutMs: 1 })).rejects.toThrow('OTEL_EXPORTER_OTLP_ENDPOINT');
  await expect(
    conversationOf(() => {
      throw new Error('the agent broke');
    }),
  ).rejects.toThrow('the agent broke');
});

test('a recorded file is asserted by id, and its evaluations are those of `assay score`', async () => {
  await expectConversation(RUNS, { id: 'good' }).toPass(TICKETS);
  await expectConversation(RUNS, { id: 'lucky' }).toFail(TICKETS, ['path', 'score']);
  await expect(RUNS).toFailSuite(TICKETS, 'path');

  const { settings } = loadSettings({ flags: {}, env: {}, cwd: ROOT });
  const { suites } = await loadSuites([TICKETS], { baseDir: ROOT, builtinDir: path.join(ROOT, 'suites') });
  const { evaluations } = await scoreRecorded({ batches: readRecording(RUNS), suites, settings });
  expect(JSON.stringify(toReportJson(await evaluationsOf(RUNS, TICKETS)))).toBe(
    JSON.stringify(toReportJson(evaluations)),
  );
  expect(evaluations).toHaveLength(3);
});

test('what was captured is scored as the same spans in a file are', async () => {
  const run = await conversationOf(() => book({ id: 'same', ...ASKED }), { truth: TRUTH });
  const [batch] = run.batches;
  const file = path.join(tempDirectory(), 'spans.otlp');
  writeFileSync(file, batch?.bytes ?? '');

  const captured = await evaluationsOf(run, 'scheduling');
  const recorded = await evaluationsOf(file, 'scheduling', { truth: TRUTH });

  expect(JSON.stringify(toReportJson(captured))).toBe(JSON.stringify(toReportJson(recorded)));
});

test('a run that does not follow its golden trace shows both, step by step', async () => {
  await expectConversation(RUNS, { id: 'good' }).toFollowGolden('gt_001', { suite: TICKETS });

  const { message, actual, expected } = await failureOf(
    expectConversation(RUNS, { id: 'lucky' }).toFollowGolden('gt_001', { from: GOLDEN }),
  );

  expect(message).toMatchInlineSnapshot(`
    "expected lucky to follow golden trace gt_001 (in_order)

      step 1 (call 3) has wrong arguments: limit is 50, expected 3 (turn 1, tool search_tickets)"
  `);
  expect({ actual, expected }).toMatchInlineSnapshot(`
    {
      "actual": "list_customers({"page": 1})
    get_ticket_detail({"ticket_id": "TKT-9014"})
    search_tickets({"account_id": "ACC-4821", "limit": 50})
    the answer is as the trace has it",
      "expected": "list_customers({"page": 1})
    get_ticket_detail({"ticket_id": "TKT-9014"})
    search_tickets({"account_id": "ACC-4821", "limit": 3})
    the answer is as the trace has it",
    }
  `);
});

test('a step out of order is wanted where it belongs, a missing one is on one side, and what may be besides on both', async () => {
  const folder = tempDirectory();
  const golden = path.join(folder, 'golden.yaml');
  writeFileSync(
    golden,
    'id: looks\ninput: Book it.\nsteps: [{ tool: find, args: { day: monday } }, { tool: book, args: { slot: 17 } }, { tool: tell }]\n',
  );
  const spans = path.join(folder, 'spans.json');
  const calls = [
    [aCall('book', { slot: 17 }, 'ok')],
    [aCall('weather', {}, 'sun')],
    [aCall('find', { day: 'monday' }, [])],
  ];
  writeFileSync(spans, excerptRequest(anExcerpt(aTurn({ user: 'Book it.', calls, answer: 'Done.' })), undefined));

  const { actual, expected } = await failureOf(expectConversation(spans).toFollowGolden('looks', { from: golden }));

  expect({ actual, expected }).toMatchInlineSnapshot(`
    {
      "actual": "book({"slot":17})
    weather({})
    find({"day":"monday"})",
      "expected": "find({"day": "monday"})
    book({"slot":17})
    tell(…)
    weather({})",
    }
  `);
});

test('a suite that is not for the conversation is no success, and neither is one that could decide nothing', async () => {
  const stranger = await failureOf(expectConversation(RUNS, { id: 'good' }).toPass('scheduling'));
  expect(stranger.message).toContain('scheduling is not for it');

  const judged = await failureOf(expectConversation(RUNS, { id: 'good' }).toPass('judged'));
  expect(judged.message).toContain('no criterion could be decided');
});

test('names that do not exist are mistakes, with what was meant', async () => {
  const good = expectConversation(RUNS, { id: 'good' });

  await expect(good.toPass('schedulin')).rejects.toThrow("did you mean 'scheduling'?");
  await expect(good.toFail(TICKETS, 'paht')).rejects.toThrow("did you mean 'path'?");
  await expect(good.toFollowGolden('gt_01', { suite: TICKETS })).rejects.toThrow("did you mean 'gt_001'?");
  await expect(expectConversation(RUNS).toFollowGolden('gt_001', { suite: TICKETS })).rejects.toThrow(
    'say which by `id`',
  );
  await expect(expectConversation(RUNS, { id: 'goods' }).toPass(TICKETS)).rejects.toThrow(
    'there are good, lucky, slow',
  );
  await expect(expectConversation('nowhere.jsonl').toPass(TICKETS)).rejects.toThrow('nowhere.jsonl');
  // @ts-expect-error a promise is what one has who forgot to await
  await expect(expectConversation(Promise.resolve()).toPass(TICKETS)).rejects.toThrow('is it awaited?');
});
