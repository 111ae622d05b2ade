import { expect, test } from 'vitest';
import type { ClosedTurn } from '../../../src/assemble/open-turns.ts';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { ArrivalUnderstanding } from '../../../src/serve/cluster/arrival-understanding.ts';
import { TurnPacker } from '../../../src/serve/scoring/turn-packer.ts';
import { Lane } from '../../../src/serve/cluster/lane.ts';
import { LIMITS, partsForTest, spoolForTest } from './small-lanes.ts';

const TRACE = '1'.repeat(32);
const OTHER = '2'.repeat(32);

/** A model call that mentions a tool call, which is a key, and links to another trace. */
function callSpan(conversationId: string | undefined) {
  const message = {
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'call_7f3a91c2d0e84b56', name: 'search', arguments: {} }],
  };
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.output.messages': JSON.stringify([message]),
    ...(conversationId === undefined ? {} : { 'gen_ai.conversation.id': conversationId }),
  };
  return {
    traceId: TRACE,
    spanId: '3'.repeat(16),
    name: 'chat',
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    links: [{ traceId: OTHER, spanId: '4'.repeat(16) }],
  };
}

/** The turns that a lane closes after this span, and the reader of its bytes. */
function closedAfter(span: object) {
  const { spool } = spoolForTest();
  const closed: ClosedTurn[] = [];
  const lane = new Lane({
    owned: { group: 'g', lane: 0, epoch: 1, time: 0, positions: {} },
    topics: [{ topic: 'spans', offset: 0, time: 0 }],
    limits: LIMITS,
    parts: { spool, ...partsForTest({ closed: (_, turn) => closed.push(turn) }) },
  });
  const bytes = transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })));
  const index = indexTraces(bytes);
  const batch = { signal: 'traces' as const, bytes, table: encodeTable(index), rows: index.spanCount };
  lane.push('spans', [{ offset: 0, timestamp: 5, batch }], new Map());
  lane.quiet('spans', 1000);
  lane.advance();
  const [turn] = closed;
  if (turn === undefined) throw new Error('the lane has closed nothing');
  const packer = new TurnPacker(spool.directory);
  const understanding = new ArrivalUnderstanding([]);
  const made = (options: { readonly wantsKeys: boolean }) => {
    const { turn: sent } = packer.pack(turn, spool.end);
    if (!('arrival' in sent)) throw new Error(sent.unreadable);
    return understanding.understand(sent.arrival, options);
  };
  return { made, spool };
}

test('an arrival has its bytes for itself, and says what it knows of itself', () => {
  const { made } = closedAfter(callSpan('c-1'));

  const arrival = made({ wantsKeys: true });

  expect(arrival).toMatchObject({ traceId: TRACE, conversationId: 'c-1', spans: 1, linked: [OTHER] });
  expect(arrival.has.join(' ')).toContain('call_7f3a91c2d0e84b56');
  expect(arrival.keysLater).toBeUndefined();
  expect(indexTraces(arrival.content.traces).spanCount).toBe(1);
  // The memory passed to another thread contains nothing else.
  expect(arrival.content.traces.buffer.byteLength).toBe(arrival.content.traces.length);
});

test('one that names its conversation leaves keys for later where nothing is compared with them; one that does not says them', () => {
  const named = closedAfter(callSpan('c-1'));
  const unnamed = closedAfter(callSpan(undefined));

  expect(named.made({ wantsKeys: false })).toMatchObject({
    conversationId: 'c-1',
    has: [],
    linked: [OTHER],
    keysLater: true,
  });
  const arrival = unnamed.made({ wantsKeys: false });
  expect(arrival.conversationId).toBeUndefined();
  expect(arrival.keysLater).toBeUndefined();
  expect(arrival.has.join(' ')).toContain('call_7f3a91c2d0e84b56');
});

test('bytes that are gone are an error', () => {
  const { made, spool } = closedAfter(callSpan('c-1'));
  spool.close();

  expect(() => made({ wantsKeys: true })).toThrow(/segment|ENOENT/);
});
