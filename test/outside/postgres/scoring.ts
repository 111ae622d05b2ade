/**
 * Filing and judging for the tests of the shared store: turns whose bytes name their conversation, and work that does
 * the same as the engine without normalizing anything.
 */
import type { ConversationId, TraceId } from '../../../src/model/ids.ts';
import { closeConversation, joinConversation, dueConversations } from '../../../src/engine/conversation-closing.ts';
import type { FiledArrival, ScoredBatch, LaneName, OwnedLane, DueWork } from '../../../src/store/cluster-store.ts';
import type { EngineStore } from '../../../src/store/engine-store.ts';
import { PostgresStore, type PostgresOptions } from '../../../src/store/postgres/postgres-store.ts';
import { COUNTED, evaluationOf, LABELS, traceIdOf } from '../../store/contract.ts';

export const LANE: LaneName = { group: 'test', lane: 0 };
export const SOME = { whose: 'any', conversationsMax: 20, bytesMax: 1 << 20 } as const;
export const EVALUATIONS = 'assay_evaluations_total';

export function openStore(url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
  return PostgresStore.open({ url, instance: 'a', group: LANE.group, topics: ['spans'], ...options });
}

export async function ownLane(store: PostgresStore, lane: LaneName = LANE): Promise<OwnedLane> {
  const [owned] = await store.lanes.own([lane]);
  if (owned === undefined) throw new Error('the lane is not there');
  return owned;
}

/** A turn of a conversation that is scored as soon as time is 10 beyond it. */
export function arrivalOf(
  number: number,
  conversation: string | undefined,
  at: number,
  more: Partial<FiledArrival> = {},
): FiledArrival {
  const id = conversation ?? `trace:${traceIdOf(number)}`;
  return {
    traceId: traceIdOf(number),
    // The cast is the brand: this is a test.
    conversationId: conversation as ConversationId | undefined,
    closedAt: at,
    cause: 'settled',
    spans: 1,
    content: { traces: Buffer.from(JSON.stringify({ id })), logs: undefined },
    positions: { spans: number },
    has: [],
    wants: [],
    linked: [],
    ...more,
  };
}

/** Each conversation's turns, and an evaluation with the number of its turns at that time. */
export function scoreSimply(
  store: EngineStore,
  set: DueWork,
  outcome: 'successful_completion' | 'hard_failure' = 'successful_completion',
): void {
  for (const { traceId, closedAt, content } of set.arrivals) {
    score(store, closedAt - 1, outcome);
    const known = store.traces.find(traceId);
    const { id } = JSON.parse(Buffer.from(content.traces).toString()) as { readonly id: ConversationId };
    const conversation = joinConversation(store.conversations, {
      id,
      labels: LABELS,
      at: closedAt,
      glance: {},
      turnsAdded: known === undefined ? 1 : 0,
      dueNowBecause: undefined,
      limits: { idleMs: 10, maxAgeMs: 100_000, maxTurns: 1000, openMaxMs: 900 },
    });
    const trace = {
      traceId,
      conversation: conversation.row,
      position: 0,
      closedAt,
      sealed: false,
      cause: 'settled',
    } as const;
    if (known === undefined) store.traces.insert({ ...trace, revision: 1, spans: 1, content });
    else
      store.traces.revise({ ...trace, row: known.row, revision: known.revision + 1, spans: known.spans + 1, content });
  }
  score(store, set.time, outcome);
}

function score(store: EngineStore, time: number, outcome: 'successful_completion' | 'hard_failure'): void {
  for (const due of dueConversations(store.conversations, time)) {
    const revision = due.revision + 1;
    const turns = store.traces
      .ofConversation(due.row)
      .map(({ row }) => Buffer.from(store.traces.contentOf(row).traces).toString());
    store.evaluations.insert(
      evaluationOf({ conversation: due.id, revision, outcome, explanation: `${turns.length} turns` }),
      { conversation: due.row, trace: 0, labels: COUNTED },
      () => store.totals.series(EVALUATIONS, COUNTED).add(1),
    );
    closeConversation(store.conversations, due.row, {
      revision,
      cause: 'idle',
      turns: due.turns,
      unscoredBecause: undefined,
    });
  }
}

/** Repeats until nothing is left to judge. */
export async function scoreAll(
  store: PostgresStore,
  options: Parameters<PostgresStore['scoring']['scoreDue']>[0] = SOME,
): Promise<number> {
  for (let conversations = 0; ; ) {
    const judged: ScoredBatch = await store.scoring.scoreDue(options, (set) => scoreSimply(store.engineStore, set));
    if (judged.conversations === 0) return conversations;
    conversations += judged.conversations;
  }
}

export function traceIdsOf(arrivals: readonly FiledArrival[]): readonly TraceId[] {
  return arrivals.map(({ traceId }) => traceId);
}
