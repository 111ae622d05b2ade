/**
 * Turns of many traces to conversations: those that name the same id; those of one trace; and those without an id that
 * evidence leads to another turn. The order in which they come changes nothing.
 */
import type { Conversation } from '../model/conversation.ts';
import type { ConversationId, TraceId } from '../model/ids.ts';
import type { Turn } from '../model/turn.ts';
import { buildConversation } from './build-conversation.ts';
import { evidenceOf } from './conversation-evidence.ts';
import { compare } from './turns/span-tree.ts';

/** The turns of one trace. */
class Traced {
  readonly traceId: TraceId;
  readonly turns: readonly Turn[];
  readonly named: string | undefined;
  readonly startedAtMs: number;
  /** Trace that this one continues. */
  before: Traced | undefined;
  /** A later trace that continues this one and has the conversation's id. */
  namedBy: Traced | undefined;

  constructor(traceId: TraceId, turns: readonly Turn[]) {
    this.traceId = traceId;
    this.turns = turns;
    this.named = turns.find(({ conversationId }) => conversationId !== undefined)?.conversationId;
    this.startedAtMs = Math.min(...turns.map((turn) => turn.startedAtMs));
  }

  /** Trace that names the conversation, else the one with which it began. */
  get first(): Traced {
    let first: Traced = this;
    while (first.before !== undefined) first = first.before;
    return first;
  }

  goesOnFrom(other: Traced): boolean {
    for (let at: Traced | undefined = this; at !== undefined; at = at.before) if (at === other) return true;
    return false;
  }
}

export function groupConversations(
  turns: readonly Turn[],
  idOf: (turns: readonly Turn[], traceId: TraceId) => ConversationId,
): readonly Conversation[] {
  const traces = tracesOf(turns);
  connect(traces);
  const byId = new Map<ConversationId, Turn[]>();
  for (const trace of traces) {
    const first = trace.first.namedBy ?? trace.first;
    const id = idOf(first.turns, first.traceId);
    const there = byId.get(id);
    if (there === undefined) byId.set(id, [...trace.turns]);
    else there.push(...trace.turns);
  }
  return [...byId]
    .map(([id, members]) => buildConversation(id, members))
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs || compare(a.id, b.id));
}

function tracesOf(turns: readonly Turn[]): readonly Traced[] {
  const byTrace = new Map<TraceId, Turn[]>();
  for (const turn of turns) {
    const there = byTrace.get(turn.traceId);
    if (there === undefined) byTrace.set(turn.traceId, [turn]);
    else there.push(turn);
  }
  return [...byTrace]
    .map(([traceId, members]) => new Traced(traceId, members))
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs || compare(a.traceId, b.traceId));
}

/** A trace goes on from the latest of those before it that it has evidence for. */
function connect(traces: readonly Traced[]): void {
  if (traces.every(({ named }) => named !== undefined)) return;
  const byTrace = new Map(traces.map((trace) => [trace.traceId, trace]));
  const owners = new Map<string, Traced>();
  const evidence = new Map(traces.map((trace) => [trace, evidenceOf(trace.turns)]));
  for (const [trace, { has }] of evidence) for (const key of has) if (!owners.has(key)) owners.set(key, trace);
  for (const [trace, { wants, linked }] of evidence) {
    for (const other of [...linked.map((id) => byTrace.get(id)), ...wants.map((key) => owners.get(key))]) {
      if (other === undefined || other.goesOnFrom(trace)) continue;
      if (trace.named !== undefined) {
        if (other.first.named === undefined) other.first.namedBy ??= trace;
      } else if (trace.before === undefined || isLater(other, trace.before)) trace.before = other;
    }
  }
}

function isLater(a: Traced, b: Traced): boolean {
  return a.startedAtMs > b.startedAtMs || (a.startedAtMs === b.startedAtMs && a.traceId > b.traceId);
}
