/**
 * Turns that are spread over several traces. If nothing encloses an agent's calls (a provider's SDK is instrumented,
 * the application is not), each model call and each tool call is a trace of its own:
 *
 *     model: user asks   -> asks for a tool       begins the turn, does not end it
 *     tool                                        neither
 *     model: tool result -> answers               ends the turn, does not begin it
 *
 * The messages that the model was shown decide. A call that is shown a new message of the user begins a turn. A call
 * that is shown the result of a tool continues one. So does a call whose question is an argument of a tool call that is
 * still open: it is an agent called as a tool. A trace with an agent, a workflow or a chain around its calls is a turn
 * by itself.
 */
import type { Json } from '../../model/json.ts';
import type { Message, Part, Step, StepKind } from '../../model/step.ts';
import type { Turn } from '../../model/turn.ts';

type ToolCallPart = Extract<Part, { readonly type: 'tool_call' }>;

const BARE: ReadonlySet<StepKind> = new Set<StepKind>([
  'llm',
  'tool',
  'retrieval',
  'rerank',
  'embedding',
  'memory',
  'guardrail',
]);

/** Whether nothing is around the turn's calls, so that it may be a part of one. A gateway's server is around one model call. */
export function isBare(turn: Turn): boolean {
  const root = turn.steps.find(({ spanId }) => spanId === turn.rootSpanId);
  if (root === undefined) return false;
  if (root.kind !== 'other') return BARE.has(root.kind);
  const [only, ...others] = turn.steps.filter(({ kind }) => kind !== 'other');
  return only?.kind === 'llm' && others.length === 0;
}

/** Whether the turn needs no other trace to be scored by itself. */
export function isWhole(turn: Turn): boolean {
  return !isBare(turn) || (begins(turn) !== false && ends(turn));
}

/** Whether the turn's last model call asks for a tool and nothing around the calls says that the turn is over. */
export function isOpen(turn: Turn): boolean {
  const last = lastModelCall([turn]);
  return last !== undefined && isBare(turn) && last.error === undefined && asksForTools(last);
}

/** Whether it is one model call out of a turn: it asks for a tool, or goes on from one, and the calls beside it are elsewhere. */
export function isFragment(turn: Pick<Turn, 'steps' | 'conversationId' | 'flags'>): boolean {
  const [only, ...others] = turn.steps.filter(({ kind }) => kind !== 'other');
  if (only?.kind !== 'llm' || others.length > 0 || only.error !== undefined) return false;
  // An agent that was killed leaves calls whose root was lost; these never had one.
  if (turn.flags.includes('root-missing')) return false;
  if (only.messagesIn.findLast(({ role }) => role !== 'system')?.role === 'tool') return true;
  // With an id, calls beside it would have been found: some agents are one call that fills in a form.
  return turn.conversationId === undefined && asksForTools(only);
}

/** Turns of one conversation in order of start, those that are parts of one turn together. */
export function togetherInTurns(turns: readonly Turn[]): readonly (readonly [Turn, ...Turn[]])[] {
  const groups: [Turn, ...Turn[]][] = [];
  for (const turn of turns) {
    const group = groups.at(-1);
    if (group !== undefined && goesOn(group, turn)) group.push(turn);
    else groups.push([turn]);
  }
  return groups;
}

function goesOn(group: readonly [Turn, ...Turn[]], turn: Turn): boolean {
  if (!isBare(turn) || !isBare(group[0])) return false;
  const before = lastModelCall(group);
  const begun = begins(turn);
  if (begun === undefined) return before !== undefined && asksForTools(before);
  return !begun || (before !== undefined && isAgain(before, turn)) || isInsideTool(group, turn);
}

/** An agent called as a tool: its question is an argument of a call that was asked for and has not been answered yet. */
function isInsideTool(group: readonly Turn[], turn: Turn): boolean {
  const question = modelCalls(turn)[0]?.input.text.trim() ?? '';
  if (question.length < QUESTION_LENGTH_MIN) return false;
  return pendingCalls(group).some(({ args }) => hasText(args.json, question));
}

/** Shorter texts are the values of any argument. */
const QUESTION_LENGTH_MIN = 8;
const ARGUMENT_DEPTH_MAX = 3;

function hasText(value: Json, text: string, depth = 0): boolean {
  if (typeof value === 'string') return value.trim() === text;
  if (typeof value !== 'object' || value === null || depth >= ARGUMENT_DEPTH_MAX) return false;
  return Object.values(value).some((member) => hasText(member, text, depth + 1));
}

function pendingCalls(group: readonly Turn[]): readonly ToolCallPart[] {
  const pending = new Map<string, ToolCallPart>();
  for (const call of group.flatMap(modelCalls)) {
    for (const { parts } of call.messagesIn) {
      for (const part of parts) if (part.type === 'tool_result' && part.id !== undefined) pending.delete(part.id);
    }
    for (const { parts } of call.messagesOut) {
      for (const part of parts) if (part.type === 'tool_call' && part.id !== undefined) pending.set(part.id, part);
    }
  }
  return [...pending.values()];
}

/** True for a failed call that was retried. */
function isAgain(before: Step, turn: Turn): boolean {
  const call = modelCalls(turn)[0];
  if (before.error === undefined || call === undefined) return false;
  return before.messagesIn.length === call.messagesIn.length && before.input.text === call.input.text;
}

/** undefined where it is not known what the model was shown. */
function begins(turn: Turn): boolean | undefined {
  const call = modelCalls(turn)[0];
  if (call === undefined) return false;
  const last = call.messagesIn.findLast(({ role }) => role !== 'system');
  return last === undefined ? undefined : last.role === 'user' && !answersTool(last);
}

/** Some model APIs let the user say the results of tools. */
function answersTool(message: Message): boolean {
  return message.parts.some(({ type }) => type === 'tool_result');
}

function ends(turn: Turn): boolean {
  const call = modelCalls(turn).at(-1);
  return call !== undefined && (call.error !== undefined || !asksForTools(call));
}

function asksForTools(call: Step): boolean {
  if (call.model?.finishReasons.includes('tool_call') === true) return true;
  return call.messagesOut.some(({ parts }) => parts.some(({ type }) => type === 'tool_call'));
}

function lastModelCall(turns: readonly Turn[]): Step | undefined {
  return turns.flatMap(modelCalls).at(-1);
}

function modelCalls(turn: Turn): readonly Step[] {
  return turn.steps.filter(({ kind }) => kind === 'llm');
}
