/** Turns whose calls are separate traces: joined, and judged once, in whatever order they close. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { randomFrom, shuffled } from '../random.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { builtinSuites, type Line, LogDriver } from './log-driver.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/recorded');
const RUN = 'otel-contrib-openai@0.22.0/meeting_success.bare';
const MINUTE = 60_000;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly startTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}
/** The part of OTLP/JSON that this test reads. */
interface Request {
  readonly resourceSpans: readonly {
    readonly resource: object;
    readonly scopeSpans: readonly { readonly scope: object; readonly spans: readonly Span[] }[];
  }[];
}

function linesOf(file: string): readonly string[] {
  return readFileSync(path.join(FIXTURES, file), 'utf8').trim().split('\n');
}

/** A request for each span, in order of start. */
function spans(change: (span: Span) => Span = (span) => span): readonly string[] {
  const found = linesOf(`${RUN}.json`).flatMap((line) =>
    (JSON.parse(line) as Request).resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ scope, spans: members }) =>
        members.map((span) => ({ resource, scope, span: change(span) })),
      ),
    ),
  );
  return found
    .toSorted((a, b) => Number(BigInt(a.span.startTimeUnixNano) - BigInt(b.span.startTimeUnixNano)))
    .map(({ resource, scope, span }) =>
      JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] }),
    );
}

function logs(at: number): readonly Line[] {
  return linesOf(`${RUN}.logs.json`).map((request) => ({ at, request, signal: 'logs' }));
}

async function driver(suites: readonly string[] = ['default']): Promise<LogDriver> {
  return new LogDriver({ directory: tempDirectory(), suites: await builtinSuites(suites) });
}

function result({ all, totals }: ReturnType<LogDriver['finish']>) {
  return {
    evaluations: all.map(({ turnId, revision, outcome }) => [turnId?.slice(0, 8), revision, outcome]),
    conversations: new Set(all.map(({ conversationId }) => conversationId)).size,
    counted: totals,
  };
}

test('the calls of two turns, each a trace of its own and without an id, are one conversation of two turns', async () => {
  const log = await driver();
  for (const line of logs(0)) log.take(line);
  for (const [index, request] of spans().entries()) log.take({ at: 1000 + index * 1000, request });

  const { evaluations, conversations } = result(log.finish());

  expect(conversations).toBe(1);
  expect(evaluations.map(([, revision, outcome]) => [revision, outcome])).toEqual([
    [1, 'no_fault_found'],
    [1, 'no_fault_found'],
  ]);
});

test('the turn is judged when the call that ends it closes, not when the conversation does', async () => {
  const log = await driver();
  for (const line of logs(0)) log.take(line);
  for (const request of spans()) log.take({ at: 1000, request });

  log.advance(MINUTE);
  const before = log.fates.length;
  const { all } = log.finish();

  expect(before).toBe(spans().length);
  expect(all.map(({ revision }) => revision)).toEqual([1, 1]);
});

test.each([1, 2, 3, 4, 5])(
  'the order in which they close changes neither turns nor verdicts (order %i)',
  async (seed) => {
    const inOrder = await driver();
    const mixed = await driver();
    for (const line of logs(0)) {
      inOrder.take(line);
      mixed.take(line);
    }
    for (const [index, request] of spans().entries()) inOrder.take({ at: 1000 + index * 1000, request });
    for (const [index, request] of shuffled(spans(), randomFrom(seed)).entries())
      mixed.take({ at: 1000 + index * 1000, request });

    const last = (all: ReturnType<LogDriver['finish']>['evaluations']) =>
      all.map(({ turnId, outcome, score }) => [turnId, outcome, score]).toSorted();
    const expected = inOrder.finish();
    const found = mixed.finish();

    expect(last(found.evaluations)).toEqual(last(expected.evaluations));
  },
);

test('a crash between the calls of a turn changes nothing', async () => {
  const straight = await driver();
  const crashing = await driver();
  for (const log of [straight, crashing]) for (const line of logs(0)) log.take(line);
  for (const [index, request] of spans().entries()) {
    const at = 1000 + index * 20_000;
    straight.take({ at, request });
    crashing.take({ at, request });
    if (index % 2 === 0) crashing.commit();
    crashing.crash();
  }

  expect(result(crashing.finish())).toEqual(result(straight.finish()));
});

test('an id that comes late, with one of the calls, is the id of all', async () => {
  const log = await driver(['default', 'error-recovery']);
  for (const line of logs(0)) log.take(line);
  const requests = spans();
  const last = requests.length - 1;
  const named = spans((span) => ({
    ...span,
    attributes: [...span.attributes, { key: 'session.id', value: { stringValue: 'the-session' } }],
  }));
  for (const [index, request] of requests.entries()) {
    log.take({ at: 1000 + index * 1000, request: index === last ? (named[index] ?? '') : request });
  }

  const { all } = log.finish();

  expect(new Set(all.map(({ conversationId }) => conversationId))).toEqual(new Set(['the-session']));
  expect(all.filter(({ suite }) => suite === 'default').map(({ revision }) => revision)).toEqual([1, 1]);
});

test('a turn with an id takes in what it is linked to, whatever other conversations the store holds', async () => {
  const [conversation] = [...traffic({ seed: 3, conversations: 1, turnsMax: 1 })];
  const later = [...traffic({ seed: 4, conversations: 1, turnsMax: 1 })][0]?.turns[0] ?? [];
  const earlier = (conversation?.turns[0] ?? []).map((span) => ({
    ...span,
    attributes: span.attributes.filter(({ key }) => key !== 'gen_ai.conversation.id'),
  }));
  const links = [{ traceId: earlier[0]?.traceId ?? '', spanId: earlier[0]?.spanId ?? '' }];
  const linking = later.map((span, index) => (index === 0 ? { ...span, links } : span));
  const turnsBeside = async (others: readonly string[]) => {
    const log = await driver();
    for (const request of others) log.take({ at: 0, request });
    log.take({ at: 1000, request: exportRequest(earlier, 'v1') });
    log.take({ at: 20_000, request: exportRequest(linking, 'v1') });
    return log.finish().conversations.find(({ conversationId }) => conversationId === 'conversation-4-0')?.turns;
  };

  const alone = await turnsBeside([]);
  const amongOthers = await turnsBeside(spans());

  expect([alone, amongOthers]).toEqual([2, 2]);
});
