/**
 * Which run a span belongs to. Where a receiver is one place's own, every span belongs to the current run, except late
 * spans of an earlier run's traces. If all share one (an agent behind a URL), a span is assigned by its trace, which is
 * that of the request to the agent. Otherwise the conversation that its trace names decides: the one in the request, or
 * the one in the agent's answer.
 */
import type { TraceId } from '../../model/ids.ts';
import { BatchTable } from '../../otlp/batch-table.ts';
import type { Admission, BatchSink, ReceivedBatch } from '../../receive/sink.ts';
import { splitByTrace } from '../../receive/split-by-trace.ts';
import { namedConversationOf } from '../../assemble/build-conversation.ts';
import { protobufBatch, type RecordedBatch } from '../../engine/recorded/recorded-batch.ts';
import { MemorySpool } from '../../engine/recorded/recording-log.ts';
import { tracesIn } from '../../engine/recorded/understand-recording.ts';
import type { RunInbox } from './run-inbox.ts';
import { turnsOfTrace } from '../../engine/turns-of-trace.ts';

const UNCLAIMED_BYTES_MAX = 64 << 20;
/** Spans come late by seconds, not by thousands of runs. */
const KNOWN_TRACES_MAX = 50_000;

/** Ids by which the spans of a run are recognised, besides where they arrive. */
interface RunMarks {
  readonly traceIds: readonly TraceId[];
  readonly conversationId: string;
}

interface Unclaimed {
  readonly batches: RecordedBatch[];
  conversation: string | undefined;
}

export class SpanRoutes implements BatchSink {
  readonly #isShared: boolean;
  /** Finished runs are remembered only by id, so that their late spans go to no other run. */
  readonly #owners = new Map<TraceId, RunInbox | 'over'>();
  readonly #conversations = new Map<string, RunInbox>();
  readonly #open = new Map<RunInbox, TraceId[]>();
  readonly #unclaimed = new Map<TraceId, Unclaimed>();
  #unclaimedBytes = 0;
  #late = 0;

  constructor(receiver: 'of one place' | 'shared') {
    this.#isShared = receiver === 'shared';
  }

  /** Spans that came for runs that were over. */
  get late(): number {
    return this.#late;
  }

  /** Traces of which it is not known what run they are of. */
  get unclaimed(): number {
    return this.#unclaimed.size;
  }

  begin(inbox: RunInbox, { traceIds, conversationId }: RunMarks): void {
    this.#open.set(inbox, []);
    for (const traceId of traceIds) this.#own(traceId, inbox);
    this.#conversations.set(conversationId, inbox);
  }

  /** The agent has said what it calls the conversation of a run that has begun. */
  alsoKnownAs(inbox: RunInbox, conversation: string): void {
    this.#conversations.set(conversation, inbox);
    for (const [traceId, { conversation: named }] of this.#unclaimed) {
      if (named === conversation) this.#claim(traceId, inbox);
    }
  }

  end(inbox: RunInbox): void {
    for (const traceId of this.#open.get(inbox) ?? []) this.#owners.set(traceId, 'over');
    this.#open.delete(inbox);
    for (const traceId of this.#owners.keys()) {
      if (this.#owners.size <= KNOWN_TRACES_MAX) break;
      if (this.#owners.get(traceId) === 'over') this.#owners.delete(traceId);
    }
    for (const [conversation, owner] of this.#conversations) {
      if (owner === inbox) this.#conversations.delete(conversation);
    }
  }

  async accept(batch: ReceivedBatch): Promise<Admission> {
    for (const part of partsOf(batch)) {
      const owner = this.#ownerOf(part.traceId);
      if (owner === 'over') this.#late += part.batch.rows;
      else if (owner !== undefined) owner.add(part.batch);
      else if (!this.#isShared) this.#late += part.batch.rows;
      else if (part.traceId !== undefined) await this.#keep(part.traceId, part.batch);
    }
    return { admitted: true };
  }

  #ownerOf(traceId: TraceId | undefined): RunInbox | 'over' | undefined {
    const known = traceId === undefined ? undefined : this.#owners.get(traceId);
    if (known !== undefined || this.#isShared) return known;
    const [there] = this.#open.keys();
    if (there !== undefined && traceId !== undefined) this.#own(traceId, there);
    return there;
  }

  #own(traceId: TraceId, inbox: RunInbox): void {
    this.#owners.set(traceId, inbox);
    this.#open.get(inbox)?.push(traceId);
  }

  async #keep(traceId: TraceId, batch: RecordedBatch): Promise<void> {
    const kept = this.#unclaimed.get(traceId) ?? { batches: [], conversation: undefined };
    this.#unclaimed.set(traceId, kept);
    kept.batches.push(batch);
    this.#unclaimedBytes += batch.bytes.length;
    kept.conversation ??= await conversationNamedIn(kept.batches);
    const owner = kept.conversation === undefined ? undefined : this.#conversations.get(kept.conversation);
    if (owner !== undefined) this.#claim(traceId, owner);
    for (const oldest of this.#unclaimed.keys()) {
      if (this.#unclaimedBytes <= UNCLAIMED_BYTES_MAX) break;
      this.#drop(oldest);
    }
  }

  #claim(traceId: TraceId, owner: RunInbox): void {
    this.#own(traceId, owner);
    for (const batch of this.#drop(traceId)) owner.add(batch);
  }

  #drop(traceId: TraceId): readonly RecordedBatch[] {
    const { batches } = this.#unclaimed.get(traceId) ?? { batches: [] };
    this.#unclaimed.delete(traceId);
    for (const { bytes } of batches) this.#unclaimedBytes -= bytes.length;
    return batches;
  }
}

interface Part {
  readonly traceId: TraceId | undefined;
  readonly batch: RecordedBatch;
}

function partsOf(batch: ReceivedBatch): readonly Part[] {
  const table = BatchTable.read(batch.table);
  const first = table.rowCount === 0 ? undefined : table.traceId(0);
  const isOne = Array.from({ length: table.rowCount }, (_, row) => table.traceId(row)).every((id) => id === first);
  if (isOne) return [{ traceId: first, batch: { ...batch, rejected: 0, logTime: 0 } }];
  return splitByTrace(batch, { bytesMax: Number.POSITIVE_INFINITY }).map(({ traceId, bytes }) => ({
    traceId,
    batch: protobufBatch(batch.signal, bytes),
  }));
}

/** Conversation that the spans name, as far as they have arrived. */
async function conversationNamedIn(batches: readonly RecordedBatch[]): Promise<string | undefined> {
  for await (const source of tracesIn(batches, undefined, new MemorySpool()))
    return namedConversationOf(turnsOfTrace(source));
  return undefined;
}
