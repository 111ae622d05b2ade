/** Conversations whose spans are no longer all there, or never could be read. */
import { expect, test } from 'vitest';
import type { ConversationId, TraceId } from '../../../../src/model/ids.ts';
import { transcodeTraces } from '../../../../src/otlp/json-transcoder.ts';
import { storedTurns } from '../../../../src/serve/api/v1/stored-turns.ts';
import type { TraceRow } from '../../../../src/store/conversation-reader.ts';
import type { ConversationRow } from '../../../../src/store/conversation-row.ts';
import { DamagedContent } from '../../../../src/store/damaged-content.ts';
import type { TraceContent } from '../../../../src/store/engine-store.ts';

/** The casts are the brands; no more is read of the row. */
const ROW = { row: 1, conversationId: 'c' as ConversationId, turns: 2 } as ConversationRow;

type Held = TraceContent | 'damaged' | 'deleted';

function content(number: number, padding = 0): TraceContent {
  const span = {
    traceId: traceIdOf(number),
    spanId: `${number}`.padStart(16, '0'),
    name: 'invoke_agent',
    startTimeUnixNano: `${1_790_000_000 + number}000000000`,
    endTimeUnixNano: `${1_790_000_001 + number}000000000`,
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
      { key: 'padding', value: { stringValue: 'x'.repeat(padding) } },
    ],
  };
  const request = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  return { traces: transcodeTraces(Buffer.from(JSON.stringify(request))), logs: undefined };
}

function traceIdOf(number: number): TraceId {
  // The cast is the brand.
  return `${number}`.padStart(32, '0') as TraceId;
}

async function read(held: readonly Held[]) {
  const damage: unknown[] = [];
  const traces = held.map(
    (_, index): TraceRow => ({ row: index, traceId: traceIdOf(index + 1), revision: 1, cause: 'settled', spans: 1 }),
  );
  const reader = {
    traces: () => traces,
    content: ({ row }: TraceRow) => {
      const found = held[row];
      if (found === 'damaged') throw new DamagedContent({ file: 'f', offset: 1, length: 2 }, 'checksum');
      return found === 'deleted' ? undefined : found;
    },
  };
  const { turns, content: standing, note } = await storedTurns({ reader, onDamage: (one) => damage.push(one) }, ROW);
  return { turns: turns.map(({ traceId }) => traceId), standing, note, damage };
}

test.each<[string, readonly Held[], object]>([
  [
    'all',
    [content(1), content(2)],
    { turns: [traceIdOf(1), traceIdOf(2)], standing: 'whole', note: undefined, damage: [] },
  ],
  [
    'one that is damaged, which is reported',
    [content(1), 'damaged'],
    {
      turns: [traceIdOf(1)],
      standing: 'damaged',
      note: 'the spans of 1 trace: damaged on disk.',
      damage: [{ what: 'conversation c', reason: 'store: 2 bytes of content at 1 of f are damaged: checksum' }],
    },
  ],
  [
    'some that retention deleted, beside one that is no OTLP',
    ['deleted', 'deleted', { traces: Buffer.from([0xff, 0xff, 0xff]), logs: undefined }],
    {
      turns: [],
      standing: 'missing',
      note: 'the spans of 1 trace: not understood by this version of Assay; the spans of 2 traces: deleted by retention (store.keep).',
      damage: [],
    },
  ],
  [
    'no trace any more',
    [],
    { turns: [], standing: 'missing', note: 'the spans of 2 traces: deleted by retention (store.keep).', damage: [] },
  ],
  [
    'more than one answer reads',
    [content(1, 49 << 20), content(2)],
    {
      turns: [traceIdOf(1)],
      standing: 'missing',
      note: 'the spans of 1 trace: left out, because one answer reads at most 48 MiB of spans.',
      damage: [],
    },
  ],
])('of a conversation there is %s', async (_what, held, expected) => {
  expect(await read(held)).toEqual(expected);
});
