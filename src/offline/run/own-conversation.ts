/**
 * Takes everything that a run exported as one conversation. An agent need not name conversations; what it exported in a
 * run is one all the same, though it be several traces. So the root of a trace that names none is given the id: the
 * agent's own where another of its traces has one, else that of the run. It stands in the spans that are kept, so that
 * they are the same conversation to whoever reads them.
 *
 * And a span whose parent is the one that the agent was asked in has a parent in another process. SDKs of today say so;
 * for those of yesterday it is said here, or its trace would lack its root for ever.
 *
 *   Span {  9 attributes KeyValue*   16 flags fixed32  }      what is added stands behind what the span says
 */
import { CONVERSATION_ID } from '../../instrument/instrument.ts';
import type { TraceId } from '../../model/ids.ts';
import { BatchTable } from '../../otlp/batch-table.ts';
import { ProtoWriter } from '../../otlp/proto-writer.ts';
import { type RecordGroup, writeRequest } from '../../otlp/request-writer.ts';
import { type IdKeys, idKeysOf } from '../../normalize/id-keys.ts';
import { namedConversationOf } from '../../assemble/build-conversation.ts';
import { protobufBatch, type RecordedBatch } from '../../engine/recorded/recorded-batch.ts';
import { MemorySpool } from '../../engine/recorded/recording-log.ts';
import { tracesIn } from '../../engine/recorded/understand-recording.ts';
import { turnsOfTrace } from '../../engine/turns-of-trace.ts';

/** The parent is another process's, and that is known; and the trace is sampled. */
const REMOTE_PARENT = 0x301;

interface OwnConversation {
  readonly batches: readonly RecordedBatch[];
  /** Conversations that the agent named. */
  readonly named: readonly string[];
}

export async function asOwnConversation(
  batches: readonly RecordedBatch[],
  run: {
    readonly conversationId: string;
    readonly givenParents: readonly string[];
    readonly idKeys: readonly string[];
  },
): Promise<OwnConversation> {
  const byTrace = await conversationsByTrace(batches, idKeysOf(run.idKeys));
  const named = [...new Set(byTrace.values())].filter((id) => id !== undefined);
  const id = named[0] ?? run.conversationId;
  const given = new Set(run.givenParents);
  const arrived = new Set(batches.flatMap((batch) => (batch.signal === 'traces' ? spanKeysIn(batch) : [])));
  const mark = attribute(CONVERSATION_ID, id);
  const remote = remoteParent();
  const amended = batches.map((batch) => {
    if (batch.signal !== 'traces') return batch;
    return rewritten(batch, (table, row) => {
      const traceId = table.traceId(row);
      const parent = table.parentSpanId(row);
      const isGiven = parent !== undefined && given.has(parent);
      const isTop = parent === undefined || isGiven || !arrived.has(`${traceId}/${parent}`);
      const lacksName = traceId !== undefined && byTrace.get(traceId) === undefined;
      return [...(isTop && lacksName ? [mark] : []), ...(isGiven && !table.parentIsRemote(row) ? [remote] : [])];
    });
  });
  return { batches: amended, named };
}

async function conversationsByTrace(
  batches: readonly RecordedBatch[],
  idKeys: IdKeys | undefined,
): Promise<ReadonlyMap<TraceId, string | undefined>> {
  const found = new Map<TraceId, string | undefined>();
  for await (const source of tracesIn(batches, undefined, new MemorySpool())) {
    const turns = turnsOfTrace(source, idKeys);
    const [first] = turns;
    if (first !== undefined) found.set(first.traceId, namedConversationOf(turns));
  }
  return found;
}

function spanKeysIn(batch: RecordedBatch): readonly string[] {
  const table = BatchTable.read(batch.table);
  return Array.from({ length: table.rowCount }, (_, row) => `${table.traceId(row)}/${table.spanId(row)}`);
}

/** The request with bytes behind those of some of its spans; the same one where there are none. */
function rewritten(
  batch: RecordedBatch,
  added: (table: BatchTable, row: number) => readonly Uint8Array[],
): RecordedBatch {
  const table = BatchTable.read(batch.table);
  const groups = new Map<number, Uint8Array[]>();
  let isSame = true;
  for (let row = 0; row < table.rowCount; row += 1) {
    const own = batch.bytes.subarray(table.start(row), table.end(row));
    const more = added(table, row);
    if (more.length > 0) isSame = false;
    const records = groups.get(table.group(row)) ?? [];
    groups.set(table.group(row), records);
    records.push(more.length === 0 ? own : Buffer.concat([own, ...more]));
  }
  if (isSame) return batch;
  const written = [...groups].map(
    ([group, records]): RecordGroup => ({
      resource: batch.bytes.subarray(table.resourceStart(group), table.resourceEnd(group)),
      scope: batch.bytes.subarray(table.scopeStart(group), table.scopeEnd(group)),
      records,
    }),
  );
  return protobufBatch('traces', writeRequest(written));
}

function attribute(key: string, value: string): Uint8Array {
  const writer = new ProtoWriter({ initialBytes: key.length + value.length * 3 + 32 });
  writer.openMessage(9);
  writer.text(1, key);
  writer.openMessage(2);
  writer.text(1, value);
  writer.closeMessage();
  writer.closeMessage();
  return Buffer.from(writer.finish());
}

function remoteParent(): Uint8Array {
  const writer = new ProtoWriter({ initialBytes: 64 });
  writer.fixed32(16, REMOTE_PARENT);
  return Buffer.from(writer.finish());
}
