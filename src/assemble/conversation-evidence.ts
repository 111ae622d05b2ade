/**
 * Evidence that turns without an id belong to one conversation: one is linked to the trace of another, goes on from a
 * response of another, or was shown the answer to a tool call that another asked for. Ids of responses and of tool
 * calls are made up by providers and long enough not to meet twice; shorter ones (`call_1`) prove nothing and are left
 * out. A call is looked for only where the same service was instrumented in the same way: a model server in a test
 * gives the same ids to everyone.
 *
 * History is evidence between turns that name no conversation, if a tool was called in it: all that users and tools said,
 * and the arguments of the calls. Words alone may be said in the same way to many.
 *
 * Finding keys decodes every message; links lie in the spans themselves.
 */
import { createHash } from 'node:crypto';
import { HISTORY_KEY } from '../model/conversation-id.ts';
import type { TraceId } from '../model/ids.ts';
import type { Message, Step, StepKind } from '../model/step.ts';
import type { Turn } from '../model/turn.ts';
import { canonicalJson } from './turns/canonical-json.ts';

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
    if (turn.conversationId === undefined || turn.conversationId === '') collectHistory(turn, has, wants);
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

/** Keys of the history that the turn was shown, and of the one that it leaves to the next turn. */
function collectHistory({ steps }: Turn, has: Set<string>, wants: Set<string>): void {
  const speaking = steps.filter(({ kind, messagesIn }) => SPEAKING.has(kind) && messagesIn.length > 0);
  const [first, last] = [speaking.find(({ kind }) => kind === 'llm') ?? speaking[0], speaking.findLast(isLast)];
  if (first === undefined) return;
  const asked = first.messagesIn.findLastIndex(({ role }) => role === 'user');
  const before = historyKey(first, first.messagesIn.slice(0, Math.max(0, asked)));
  if (before !== undefined) wants.add(before);
  const after = last === undefined ? undefined : historyKey(last, [...last.messagesIn, ...last.messagesOut]);
  if (after !== undefined) has.add(after);
}

const SPEAKING: ReadonlySet<StepKind> = new Set<StepKind>(['llm', 'agent', 'workflow']);

/** An agent that gives back more than its answer has said what its calls would. */
function isLast({ kind, messagesOut }: Step): boolean {
  return kind === 'llm' || messagesOut.length > 1;
}

function historyKey(step: Step, messages: readonly Message[]): string | undefined {
  const said: unknown[] = [];
  let calls = 0;
  for (const { role, parts } of messages.slice(-MESSAGES_MAX)) {
    for (const part of parts) {
      if (part.type === 'tool_call') {
        calls += 1;
        said.push(['call', part.name, canonicalJson(part.args.json)]);
      } else if (part.type === 'tool_result') said.push(['result', part.result.text]);
      else if (part.type === 'text' && role === 'user') said.push(['user', part.text]);
    }
  }
  if (calls === 0) return undefined;
  const whole = JSON.stringify([step.serviceName, step.scopeName, said]);
  return `${HISTORY_KEY}${createHash('sha256').update(whole).digest('base64url').slice(0, 32)}`;
}

/** A history may be as long as a hostile sender likes. */
const MESSAGES_MAX = 200;

function add(to: Set<string>, kind: string, id: string | undefined): void {
  if (id !== undefined && id.length >= ID_LENGTH_MIN && id.length <= ID_LENGTH_MAX) to.add(`${kind}:${id}`);
}
