/** Real agents, of all the kinds that there are, and what becomes of their runs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CaseRun } from '../../../src/model/experiment.ts';
import { readDataset } from '../../../src/offline/datasets/read-dataset.ts';
import { readSpansOf } from '../../../src/store/experiment/read-experiment.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { isRunning } from './running-command.ts';
import { caseOf, doing, type Ran, SCRIPTED_COMMAND, tryAgent } from './running-experiment.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/release-gate');

function runOf({ runs }: Ran, id: string): CaseRun {
  const found = runs.find((run) => run.case === id);
  if (found === undefined) throw new Error(`case ${id} has no run`);
  return found;
}

describe('a command', () => {
  test('is scored by the spans that it exported, and its answer is of no matter', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'spans', 'answer'), doing('b', 'spans', 'garbage')]);

    expect(ran.end).toEqual({ is: 'ended', lateSpans: 0, unclaimedTraces: 0 });
    expect(ran.runs.map(({ end }) => end)).toEqual(['completed', 'completed']);
    expect(ran.experiment.agent.version).toBe('v7');
    expect(runOf(ran, 'b').effort).toMatchObject({ steps: 1, llmCalls: 1, toolCalls: 0 });
    for (const { evaluations, conversationId, problem } of ran.runs) {
      expect(problem).toBeUndefined();
      expect(evaluations.map((evaluation) => evaluation.conversationId)).toEqual([conversationId]);
      expect(conversationId).toMatch(/^run-experiment-1-[ab]-1-[0-9a-f]{8}$/);
    }
  });

  test('that crashes has failed, with what it said last; what it showed before is scored', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'spans'), doing('b', 'spans', 'crash')]);

    expect(runOf(ran, 'b')).toMatchObject({
      end: 'agent_failed',
      problem: 'it ended with exit code 3; it said: something is wrong | with this agent',
      evaluations: [{ suite: 'default' }],
    });
  });

  test('that hangs is ended when its time is over, though it does not want to', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'spans'), doing('b', 'spans', 'hang')], {
      timeoutMs: 5000,
    });

    expect(runOf(ran, 'b')).toMatchObject({
      end: 'timed_out',
      problem: expect.stringMatching(/^it did not end within 5 s; it said: still thinking/),
      evaluations: [{ suite: 'default' }],
    });
  });

  test('may write what it likes: output is bounded', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'lots', 'spans')]);

    expect(runOf(ran, 'a')).toMatchObject({
      end: 'completed',
      problem: 'its answer was cut: it had more than 8 MiB',
    });
  });

  test('whose spans come late is waited for', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'late')]);

    expect(runOf(ran, 'a')).toMatchObject({ end: 'completed', evaluations: [{ suite: 'default' }] });
  });

  test('leaves no process behind, and that it tried to is said', async () => {
    const note = path.join(tempDirectory(), 'pid');
    const ran = await tryAgent(SCRIPTED_COMMAND, [caseOf('a', { do: ['spans', 'sleeper'], note })]);

    expect(runOf(ran, 'a')).toMatchObject({
      end: 'completed',
      problem: 'it left a process running, which was ended',
    });
    expect(isRunning(Number(readFileSync(note, 'utf8')))).toBe(false);
  });

  test('that exports several traces has one conversation; one that names it is taken at its word', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'two-traces'), doing('b', 'spans', 'named')]);

    expect(runOf(ran, 'a').evaluations.map(({ conversationId }) => conversationId)).toEqual([
      runOf(ran, 'a').conversationId,
      runOf(ran, 'a').conversationId,
    ]);
    expect(runOf(ran, 'b').conversationId).toBe('of-its-own');
    expect(runOf(ran, 'b').evaluations.map(({ conversationId }) => conversationId)).toEqual([
      'of-its-own',
      'of-its-own',
    ]);
  });

  test('that names several conversations in one run is scored by one of them, and that is said', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'named', 'other', 'answer')]);
    const { problem, conversationId, evaluations } = runOf(ran, 'a');

    expect(problem).toMatch(/^its spans name 2 conversations, and (of-its-own|another) alone is scored$/);
    expect(evaluations.map((evaluation) => evaluation.conversationId)).toEqual([conversationId]);
  });

  test('that goes on with the trace it was given lacks no root, though its SDK says nothing of other processes', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'joined')]);

    expect(runOf(ran, 'a')).toMatchObject({ end: 'completed', problem: undefined });
  });

  test('whose root never comes is scored by what is there, and that is said', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'half', 'crash'), doing('b', 'spans')]);

    expect(runOf(ran, 'a').problem).toContain('its spans are not complete');
    expect(runOf(ran, 'a').evaluations).toHaveLength(1);
  });

  test('has its secrets taken out before anything is kept', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'secret')]);
    const { traces } = readSpansOf(ran.folder, runOf(ran, 'a'));
    const text = Buffer.concat(traces).toString('latin1');

    expect(text).toContain('my key is ');
    expect(text).not.toContain('abcdefghijklmnopqrstuvwxyz');
  });

  test('without spans may show messages: spans are made of them', async () => {
    const ran = await tryAgent(SCRIPTED_COMMAND, [doing('a', 'messages')]);

    expect(runOf(ran, 'a')).toMatchObject({
      end: 'completed',
      problem: undefined,
      effort: { steps: 3, llmCalls: 2, toolCalls: 1 },
      evaluations: [{ suite: 'default', outcome: 'no_fault_found' }],
    });
    expect(runOf(ran, 'a').evaluations[0]?.conversationId).toBe(runOf(ran, 'a').conversationId);
  });
});

describe('an agent of which nothing is seen', () => {
  test('stops the whole after three runs, with what to look at', async () => {
    const many = Array.from({ length: 20 }, (_, index) => doing(`a${index}`, 'answer'));
    const ran = await tryAgent(SCRIPTED_COMMAND, many, { settleMs: 0, spansWithinMs: 500 });

    expect(ran.end).toMatchObject({ is: 'given up', because: expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT') });
    expect(ran.runs.map(({ end }) => end)).toEqual(Array(3).fill('no_spans'));
  });

  test('because its exporter speaks gRPC is told so', async () => {
    const code = `const session = require('node:http2').connect(process.env.OTEL_EXPORTER_OTLP_ENDPOINT);
      session.on('error', () => {}); session.on('close', () => process.exit(0)); session.request({ ':path': '/' }).on('error', () => {});`;
    const file = path.join(tempDirectory(), 'agent.cjs');
    writeFileSync(file, code);
    const ran = await tryAgent(`${process.execPath} ${file}`, [doing('a')], { settleMs: 0, spansWithinMs: 500 });

    expect(ran.end).toMatchObject({ is: 'given up', because: expect.stringContaining('gRPC') });
  });

  test('stops the whole where there is no such command', async () => {
    const ran = await tryAgent('there-is-no-such-command', [doing('a'), doing('b'), doing('c')]);

    expect(ran.end).toMatchObject({ is: 'given up', because: expect.stringContaining('could not be started') });
    expect(ran.end).toMatchObject({ because: expect.stringContaining('not found') });
  });

  test('stops the whole when the first three have failed', async () => {
    const many = Array.from({ length: 20 }, (_, index) => doing(`a${index}`, 'crash'));
    const ran = await tryAgent(SCRIPTED_COMMAND, many);

    expect(ran.end).toMatchObject({ is: 'given up', because: expect.stringContaining('something is wrong'), left: 17 });
    expect(ran.runs.map(({ end }) => end)).toEqual(Array(3).fill('agent_failed'));
    expect(ran.experiment.endedAt).toBeUndefined();
  });

  test.each([
    ['ends with the exit code of a command that is not there', 'exit 127'],
    ['ends at once', 'exit 1'],
    ['answers and shows nothing', 'echo fine; exit 0'],
  ])('in the first case alone, because it %s, costs that run only', async (_, broken) => {
    const agent = `if [ "$(cat | tee in.json | grep -c '"case":"first"')" = 1 ]; then ${broken}; else ${SCRIPTED_COMMAND} < in.json; fi`;
    const ran = await tryAgent(agent, [doing('first', 'spans'), doing('b', 'spans'), doing('c', 'spans')], {
      places: 1,
      spansWithinMs: 500,
    });

    expect(ran.end).toMatchObject({ is: 'ended' });
    expect(ran.runs.map(({ end }) => end === 'completed')).toEqual([false, true, true]);
  });

  test('is kept where every run failed, and the experiment has ended', async () => {
    const ran = await tryAgent('there-is-no-such-command', [doing('a'), doing('b')]);

    expect(ran.end).toMatchObject({ is: 'given up', left: 0 });
    expect(ran.runs.map(({ end }) => end)).toEqual(['agent_failed', 'agent_failed']);
    expect(ran.experiment.endedAt).toBeDefined();
  });

  test('is no matter any more when another run has shown spans: failures are kept, those before as well', async () => {
    const ran = await tryAgent(
      SCRIPTED_COMMAND,
      [doing('a', 'crash'), doing('b', 'crash'), doing('c', 'spans'), doing('d', 'crash'), doing('e', 'crash')],
      { places: 1 },
    );

    expect(ran.end).toMatchObject({ is: 'ended' });
    expect(ran.runs.map((run) => [run.case, run.end])).toEqual([
      ['a', 'agent_failed'],
      ['b', 'agent_failed'],
      ['c', 'completed'],
      ['d', 'agent_failed'],
      ['e', 'agent_failed'],
    ]);
  });
});

describe('a module', () => {
  test('of the OpenTelemetry SDK is driven over all turns of its cases', async () => {
    const { dataset } = readDataset(path.join(EXAMPLE, 'scheduling.cases.yaml'));
    const cases = dataset?.cases.filter(({ tags }) => tags.includes('smoke')) ?? [];
    const ran = await tryAgent(path.join(EXAMPLE, 'agent.ts'), cases, { suiteNames: ['scheduling'], repeats: 2 });

    expect(cases).toHaveLength(4);
    expect(ran.runs.map(({ end }) => end)).toEqual(Array(8).fill('completed'));
    expect(ran.runs.map(({ evaluations }) => evaluations.map(({ score }) => score))).toEqual(
      Array(8).fill([1_000_000]),
    );
    expect(ran.experiment.agent.version).toBe('v1');
  });

  test('that throws, ends its process or never answers costs its own run only', async () => {
    const file = path.join(tempDirectory(), 'agent.mjs');
    writeFileSync(
      file,
      `export async function agent({ input }) {
         if (input === 'throw') throw new RangeError('too far'.padEnd(9000, '!'));
         if (input === 'exit') process.exit(7);
         if (input === 'hang') await new Promise((resolve) => setTimeout(resolve, 3_600_000));
         return { messages: [{ role: 'user', content: input }, { role: 'assistant', content: 'It is all right.' }] };
       }`,
    );
    const cases = ['fine', 'throw', 'exit', 'hang', 'well'].map((input) => caseOf(input, input));
    const ran = await tryAgent(file, cases, { places: 1, timeoutMs: 5000, spansWithinMs: 300 });

    expect(ran.runs.map((run) => [run.case, run.end, run.problem])).toEqual([
      ['fine', 'completed', undefined],
      ['throw', 'agent_failed', `it threw RangeError: too far${'!'.repeat(3972)}`],
      ['exit', 'agent_failed', 'its process ended with exit code 7'],
      ['hang', 'timed_out', 'it did not end within 5 s'],
      ['well', 'completed', undefined],
    ]);
  });

  test.each([
    ['export const other = () => 1;', 'it exports the function other, and not "agent": name one as file#name'],
    ['throw new Error("no database");', 'Error: no database'],
    ['export const = ;', 'SyntaxError'],
  ])('that can not be loaded stops the whole: %s', async (code, because) => {
    const file = path.join(tempDirectory(), 'agent.mjs');
    writeFileSync(file, code);
    const ran = await tryAgent(file, [caseOf('a', 'a'), caseOf('b', 'b')]);

    expect(ran.end).toMatchObject({ is: 'given up', because: expect.stringContaining(because) });
  });
});

describe('an agent at a URL', () => {
  type Answer = (body: Given, request: IncomingMessage, response: ServerResponse) => Promise<void>;
  interface Given {
    readonly otlp_endpoint: string;
    readonly conversation_id: string;
    readonly input: string;
    readonly turn: number;
  }

  async function listening(answer: Answer): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      await answer(JSON.parse(Buffer.concat(chunks).toString()) as Given, request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/agent`;
  }

  async function exported(given: Given, span: object): Promise<void> {
    const times = { startTimeUnixNano: '1790000000000000000', endTimeUnixNano: '1790000000100000000' };
    const attributes = (all: object) =>
      Object.entries(all).map(([key, stringValue]) => ({ key, value: { stringValue } }));
    const { more = {}, ...ids } = span as { readonly more?: object };
    const spans = [
      {
        name: 'invoke_agent a',
        ...times,
        ...ids,
        attributes: attributes({ 'gen_ai.operation.name': 'invoke_agent', ...more }),
      },
    ];
    await fetch(`${given.otlp_endpoint}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    });
  }

  const id = (bytes: number, given: Given) =>
    Buffer.from(`${given.input}${given.turn}${'.'.repeat(bytes)}`)
      .subarray(0, bytes)
      .toString('hex');

  const ways: readonly (readonly [string, Answer])[] = [
    [
      'by the trace that it was asked in',
      async (given, request, response) => {
        const [, traceId, parentSpanId] = String(request.headers.traceparent).split('-');
        await exported(given, { traceId, parentSpanId, spanId: id(8, given) });
        response.end('done');
      },
    ],
    [
      'by the conversation that it was given',
      async (given, _, response) => {
        const more = { 'gen_ai.conversation.id': given.conversation_id };
        await exported(given, { traceId: id(16, given), spanId: id(8, given), more });
        response.end('{}');
      },
    ],
    [
      'by the conversation that it answers with',
      async (given, _, response) => {
        const more = { 'gen_ai.conversation.id': `own-${given.input}` };
        await exported(given, { traceId: id(16, given), spanId: id(8, given), more });
        response.end(JSON.stringify({ conversation_id: `own-${given.input}` }));
      },
    ],
  ];

  test.each(ways)('has its spans told apart %s', async (_, answer) => {
    const url = await listening(answer);
    const cases = ['x', 'y', 'z'].map((input) => caseOf(input, input, { turns: [input, input] }));
    const ran = await tryAgent(url, cases, { places: 3 });

    expect(ran.end).toEqual({ is: 'ended', lateSpans: 0, unclaimedTraces: 0 });
    // One evaluation for each of two turns.
    expect(ran.runs.map((run) => [run.end, run.evaluations.length, run.problem])).toEqual(
      Array(3).fill(['completed', 2, undefined]),
    );
  });

  test('whose spans nobody can tell apart is told how they could be', async () => {
    const url = await listening(async (given, _, response) => {
      await exported(given, { traceId: id(16, given), spanId: id(8, given) });
      response.end('{}');
    });
    const ran = await tryAgent(url, [caseOf('x', 'x')], { settleMs: 0, spansWithinMs: 500 });

    expect(ran.end).toMatchObject({
      is: 'given up',
      because: expect.stringContaining('1 traces came that are of no run'),
    });
  });

  test('is asked with the headers that were given, and fails by its status', async () => {
    const seen: unknown[] = [];
    const url = await listening(async (given, request, response) => {
      seen.push(request.headers['x-key'], request.headers.baggage);
      const [, traceId] = String(request.headers.traceparent).split('-');
      await exported(given, { traceId, spanId: id(8, given) });
      response.writeHead(500).end('out of order');
    });
    const ran = await tryAgent(url, [caseOf('x', 'x')], { headers: { 'x-key': 'k' } });

    expect(runOf(ran, 'x')).toMatchObject({
      end: 'agent_failed',
      problem: 'it answered with status 500: out of order',
    });
    expect(seen).toEqual(['k', `gen_ai.conversation.id=${runOf(ran, 'x').conversationId}`]);
  });

  test('that is not there stops the whole', async () => {
    const ran = await tryAgent('http://127.0.0.1:1/', [caseOf('x', 'x'), caseOf('y', 'y')]);

    expect(ran.end).toMatchObject({ is: 'given up', because: expect.stringContaining('ECONNREFUSED') });
  });
});
