import { expect, onTestFinished, test } from 'vitest';
import type { TurnLimits } from '../../../src/assemble/open-turns.ts';
import { ConversationNotes } from '../../../src/engine/conversation-notes.ts';
import { Journal } from '../../../src/journal/journal.ts';
import type { TraceId } from '../../../src/model/ids.ts';
import { encodeTable } from '../../../src/model/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/model/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/model/otlp/traces-reader.ts';
import { JournalLog, type JournalScorer, POSITION } from '../../../src/serve/one-machine/journal-log.ts';
import { TurnPacker } from '../../../src/serve/turn-packer.ts';
import { tempDirectory } from '../../temp-directory.ts';

const LIMITS: TurnLimits = {
  settleMs: 60_000,
  idleMs: 60_000,
  maxAgeMs: 60_000,
  maxSpans: 8,
  maxBytes: 100_000,
  maxOpenTurns: 1000,
  maxOpenSpans: 10_000,
};

/** The cast is the brand. */
const TRACES = ['a', 'b'].map((letter) => letter.repeat(32) as TraceId);

function batchOf(traceId: string, span: number) {
  const spans = [{ traceId, spanId: span.toString(16).padStart(16, '0'), name: `span ${span}` }];
  const bytes = transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })));
  const index = indexTraces(bytes);
  return { signal: 'traces' as const, bytes, table: encodeTable(index), rows: index.spanCount };
}

/** A scorer whose store has traces up to these positions. */
function scorerWith(stored: ReadonlyMap<TraceId, number>, readFrom = 0): JournalScorer {
  return {
    oldestWaiting: undefined,
    floor: { position: 0, logTime: 0, readFrom },
    close: () => {},
    time: () => {},
    stop: async () => {},
    filedPositions: async (_, traceIds) =>
      new Map(
        traceIds.flatMap((traceId) => {
          const position = stored.get(traceId);
          return position === undefined ? [] : [[traceId, { [POSITION]: position }] as const];
        }),
      ),
  };
}

async function opened(directory: string, stored: ReadonlyMap<TraceId, number>, readFrom = 0) {
  const { journal, recovered } = await Journal.open({
    directory,
    segmentBytes: 1 << 20,
    maxBytes: 1 << 24,
    floor: { position: 0, logTime: 0 },
    onEvent: () => {},
  });
  const log = new JournalLog({
    journal,
    packer: new TurnPacker(directory),
    limits: LIMITS,
    notes: new ConversationNotes([]),
    scorer: scorerWith(stored, readFrom),
  });
  await log.read(recovered);
  onTestFinished(() => log.stop());
  return { log, recovered, journal };
}

test('after a restart, rows that the store has do not open a turn again, and rows that came later do', async () => {
  const directory = tempDirectory();
  const [a = TRACES[0] as TraceId, b = a] = TRACES;
  const first = await opened(directory, new Map());
  for (const batch of [batchOf(a, 1), batchOf(b, 2), batchOf(a, 3)]) {
    expect(await first.log.accept(batch)).toEqual({ admitted: true });
  }
  await first.log.stop();

  const nothingStored = await opened(directory, new Map());
  const [, second, third] = nothingStored.recovered;
  expect(nothingStored.log.openSpans).toBe(3);
  await nothingStored.log.stop();
  // The first row of one trace is stored, and all rows of the other.
  const stored = new Map([
    [a, second?.position ?? 0],
    [b, third?.nextPosition ?? 0],
  ]);
  const again = await opened(directory, stored);

  expect(again.log.openTurns).toBe(1);
  expect(again.log.openSpans).toBe(1);
});

test('after a restart, rows before the position that the store has no need of are not read, whatever is known of their traces', async () => {
  const directory = tempDirectory();
  const [a = TRACES[0] as TraceId, b = a] = TRACES;
  const first = await opened(directory, new Map());
  expect(first.journal.readFrom).toBe(first.journal.endPosition);
  for (const batch of [batchOf(a, 1), batchOf(b, 2)]) expect(await first.log.accept(batch)).toEqual({ admitted: true });
  // Their segment is needed, from its beginning.
  expect(first.journal.readFrom).toBe(0);
  await first.log.stop();
  const { recovered, log } = await opened(directory, new Map());
  await log.stop();

  const again = await opened(directory, new Map(), recovered[1]?.position);
  expect(again.log.openSpans).toBe(1);
  await again.log.stop();
  const done = await opened(directory, new Map(), recovered[1]?.nextPosition);

  expect(done.log.openSpans).toBe(0);
  expect(done.journal.readFrom).toBe(done.journal.endPosition);
});
