/**
 * Evidence that turns without an id belong to one conversation: one is linked to the trace of another, goes on from a
 * response of another, or was shown the answer to a tool call that another asked for. Ids of responses and of tool
 * calls are made up by providers and long enough not to meet twice; shorter ones (`call_1`) prove nothing and are left
 * out. A call is looked for only where the same service was instrumented in the same way: a model server in a test
 * gives the same ids to everyone.
 *
 * Finding keys decodes every message; links lie in the spans themselves.
 */
import type { TraceId } from '../model/ids.ts';
import type { Step } from '../model/step.ts';
import type { Turn } from '../model/turn.ts';

export interface ConversationEvidence {
  /** Keys by which later turns may refer to these. */
  readonly has: readonly string[];
  /** Keys by which these refer to earlier turns. */
  readonly wants: readonly string[];
  /** Traces that these are linked to. */
  readonly linked: readonly TraceId[];
}

const ID_LENGTH_MIN = 16;
const ID_LENGTH_MAX = 256;
/** The end of a long history is enough, because it contains the turn before. */
const EACH_MAX = 16;
/** A consumer of a queue is linked to whatever it took in one go; that is no conversation. */
const LINKS_MAX = 1;

export function evidenceOf(turns: readonly Turn[]): ConversationEvidence {
  return { ...keysOf(turns), linked: linksOf(turns) };
}

/** Used if there are no keys to compare; undefined if no link says anything either. */
export function evidenceOfLinks(turns: readonly Turn[]): ConversationEvidence | undefined {
  const linked = linksOf(turns);
  return linked.length === 0 ? undefined : { has: [], wants: [], linked };
}

export function keysOf(turns: readonly Turn[]): Omit<ConversationEvidence, 'linked'> {
  const has = new Set<string>();
  const wants = new Set<string>();
  for (const turn of turns) {
    for (const step of turn.steps) if (step.kind === 'llm') collect(step, has, wants);
  }
  for (const key of has) wants.delete(key);
  return { has: [...has].slice(-EACH_MAX), wants: [...wants].slice(-EACH_MAX) };
}

export function linksOf(turns: readonly Turn[]): readonly TraceId[] {
  const linked = new Set<TraceId>();
  for (const { steps, traceId: own } of turns) {
    for (const { links } of steps) for (const { traceId } of links) if (traceId !== own) linked.add(traceId);
  }
  return linked.size <= LINKS_MAX ? [...linked] : [];
}

function collect(call: Step, has: Set<string>, wants: Set<string>): void {
  const { model } = call;
  const callsOf = `call ${call.serviceName ?? ''} ${call.scopeName}`;
  add(has, 'response', model?.responseId);
  add(wants, 'response', model?.previousResponseId);
  for (const { parts } of call.messagesIn) for (const part of parts) if ('id' in part) add(wants, callsOf, part.id);
  for (const { parts } of call.messagesOut) {
    for (const part of parts) if (part.type === 'tool_call') add(has, callsOf, part.id);
  }
}

function add(to: Set<string>, kind: string, id: string | undefined): void {
  if (id !== undefined && id.length >= ID_LENGTH_MIN && id.length <= ID_LENGTH_MAX) to.add(`${kind}:${id}`);
}
