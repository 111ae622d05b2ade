/** Which run a span is taken to be of. */
import { expect, test } from 'vitest';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import type { TraceId } from '../../../src/model/ids.ts';
import { protobufBatch } from '../../../src/engine/recorded/recorded-batch.ts';
import { RunInbox } from '../../../src/offline/run/run-inbox.ts';
import { SpanRoutes } from '../../../src/offline/run/span-routes.ts';

// The cast is the brand: these are ids of traces.
const traceOf = (digit: string) => digit.repeat(32) as TraceId;

interface SpanWritten {
  readonly trace: string;
  readonly span: string;
  readonly parent?: string;
  readonly conversation?: string;
}

function exported(...spans: readonly SpanWritten[]) {
  const written = spans.map(({ trace, span, parent, conversation }) => ({
    traceId: traceOf(trace),
    spanId: span.repeat(16),
    ...(parent === undefined ? {} : { parentSpanId: parent.repeat(16) }),
    name: 'invoke_agent a',
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000000100000000',
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
      ...(conversation === undefined ? [] : [{ key: 'gen_ai.conversation.id', value: { stringValue: conversation } }]),
    ],
  }));
  const request = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: written }] }] });
  return protobufBatch('traces', transcodeTraces(Buffer.from(request)));
}

function rowsIn(inbox: RunInbox): number {
  return inbox.batches.reduce((sum, { rows }) => sum + rows, 0);
}

test('at a place of its own whatever comes is of the run that is there, but for traces of those before', async () => {
  const routes = new SpanRoutes('of one place');
  const [first, second] = [new RunInbox([]), new RunInbox([])];
  routes.begin(first, { traceIds: [], conversationId: 'first' });
  await routes.accept(exported({ trace: '1', span: '1' }));
  routes.end(first);
  await routes.accept(exported({ trace: '3', span: '1' }));
  routes.begin(second, { traceIds: [], conversationId: 'second' });
  await routes.accept(exported({ trace: '1', span: '2', parent: '1' }, { trace: '2', span: '1' }));

  expect([rowsIn(first), rowsIn(second), routes.late]).toEqual([1, 1, 2]);
});

test('where runs share a receiver, one request may hold spans of several, and of none', async () => {
  const routes = new SpanRoutes('shared');
  const [first, second] = [new RunInbox([]), new RunInbox([])];
  routes.begin(first, { traceIds: [traceOf('1')], conversationId: 'first' });
  routes.begin(second, { traceIds: [traceOf('2')], conversationId: 'second' });
  await routes.accept(
    exported(
      { trace: '1', span: '1' },
      { trace: '2', span: '1' },
      { trace: '3', span: '1', conversation: 'second' },
      { trace: '4', span: '1' },
      { trace: '1', span: '2', parent: '1' },
    ),
  );

  expect([rowsIn(first), rowsIn(second), routes.unclaimed, routes.late]).toEqual([2, 2, 1, 0]);
});

test('a trace is claimed with all that has come of it, when its conversation is known at last', async () => {
  const routes = new SpanRoutes('shared');
  const inbox = new RunInbox([]);
  routes.begin(inbox, { traceIds: [], conversationId: 'given' });
  await routes.accept(exported({ trace: '1', span: '2', parent: '1' }));
  await routes.accept(exported({ trace: '1', span: '1', conversation: 'own' }));
  const before = [rowsIn(inbox), routes.unclaimed];
  routes.alsoKnownAs(inbox, 'own');
  await routes.accept(exported({ trace: '1', span: '3', parent: '1' }));

  expect(before).toEqual([0, 1]);
  expect([rowsIn(inbox), routes.unclaimed]).toEqual([3, 0]);
});

test('what has arrived is complete when roots have ended, no parent is missing and nothing new comes', async () => {
  const limits = { settleMs: 0, withinMs: 0, signal: new AbortController().signal };
  const inbox = new RunInbox(['9'.repeat(16)]);
  const seen = [await inbox.arrived(limits)];
  for (const span of [
    { trace: '1', span: '2', parent: '1' },
    { trace: '1', span: '1' },
    { trace: '2', span: '1', parent: '8' },
    { trace: '2', span: '8', parent: '9' },
  ]) {
    inbox.add(exported(span));
    seen.push(await inbox.arrived(limits));
  }

  expect(seen).toEqual(['nothing', 'incomplete', 'complete', 'incomplete', 'complete']);
});
