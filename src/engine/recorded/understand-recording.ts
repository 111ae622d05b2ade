/**
 * Shows how Assay understands recorded spans, without scoring or storing anything: every trace reassembled, its turns,
 * and the conversations that they add up to.
 */
import { conversationIdOf, isAgentWork } from '../../assemble/build-conversation.ts';
import { groupConversations } from '../../assemble/group-conversations.ts';
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import { GroupCache, contentOfRows } from '../../assemble/trace-content.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { Turn } from '../../model/turn.ts';
import { idKeysOf } from '../../normalize/id-keys.ts';
import type { TraceSource } from '../../normalize/normalize.ts';
import { Intake } from '../intake.ts';
import type { RecordedBatch } from './recorded-batch.ts';
import { type ReadableSpool, RecordingLog } from './recording-log.ts';
import { turnsOfTrace } from '../turns-of-trace.ts';

export interface Understood {
  readonly conversations: readonly Conversation[];
  readonly requests: number;
  readonly records: number;
  readonly rejected: number;
  /** Traces in which nothing of an agent was found. */
  readonly otherTraces: number;
  /** Exporters of the spans in these. */
  readonly otherScopes: ReadonlySet<string>;
}

/** A recording is complete, so nothing closes before it ends. */
const NO_LIMITS = {
  settleMs: Number.MAX_SAFE_INTEGER,
  idleMs: Number.MAX_SAFE_INTEGER,
  maxAgeMs: Number.MAX_SAFE_INTEGER,
  maxSpans: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxOpenTurns: Number.POSITIVE_INFINITY,
  maxOpenSpans: Number.POSITIVE_INFINITY,
};

export async function understandRecorded(
  batches: AsyncIterable<RecordedBatch> | Iterable<RecordedBatch>,
  options: { readonly conversationKeys: readonly string[]; readonly spool?: ReadableSpool } = { conversationKeys: [] },
): Promise<Understood> {
  const idKeys = idKeysOf(options.conversationKeys);
  const counts = { requests: 0, records: 0, rejected: 0 };
  const turns: Turn[] = [];
  let otherTraces = 0;
  const otherScopes = new Set<string>();
  for await (const source of tracesIn(batches, counts, options.spool)) {
    const found = turnsOfTrace(source, idKeys);
    if (found.some(isAgentWork)) turns.push(...found);
    else {
      otherTraces += 1;
      for (const { scopeName } of found.flatMap(({ steps }) => steps)) otherScopes.add(scopeName);
    }
  }
  return { conversations: groupConversations(turns, conversationIdOf), otherTraces, otherScopes, ...counts };
}

/** Everything recorded of each trace, reassembled. `counts` is complete once the first is there. */
export async function* tracesIn(
  batches: AsyncIterable<RecordedBatch> | Iterable<RecordedBatch>,
  counts: { requests: number; records: number; rejected: number } = { requests: 0, records: 0, rejected: 0 },
  spool: ReadableSpool = new RecordingLog(),
): AsyncGenerator<TraceSource> {
  const groups = new GroupCache();
  const closed: ClosedTurn[] = [];
  const intake = new Intake(NO_LIMITS, { closed: (turn) => closed.push(turn), released: () => {} });
  try {
    for await (const batch of batches) {
      counts.requests += 1;
      counts.records += batch.rows;
      counts.rejected += batch.rejected;
      intake.take(spool.append({ ...batch, logTime: 0 }));
    }
    intake.advance(Number.MAX_SAFE_INTEGER);
    for (const { rows, spansAreDistinct } of closed) {
      const read = (position: number, length: number) => spool.read(position, length);
      yield contentOfRows({ rows, read, groups, spansAreDistinct }).content;
    }
  } finally {
    spool.close();
  }
}
