/**
 * Signs that a turn was not read as it happened: contradictions between its spans, and forms that nobody says or calls.
 * Each was seen in an export that was once scored as if it were understood.
 */
import type { Content, Step } from '../../model/step.ts';
import type { Doubt, ToolCall, Turn } from '../../model/turn.ts';
import { isFragment } from './fragments.ts';

/** Parts of it are worked out when they are read: signs take apart only what they always need. */
type Read = Omit<Turn, 'doubts'>;

const SIGNS: readonly (readonly [Doubt, (turn: Read) => boolean])[] = [
  ['question-misread', ({ userInput }) => isPrint(userInput)],
  ['question-unseen', ({ userInput, finalAnswer }) => userInput.state === 'missing' && finalAnswer.state === 'whole'],
  ['answer-misread', isAnswerMisread],
  ['tool-misread', ({ toolCalls }) => toolCalls.some(isMisread)],
  ['tools-unseen', areToolsUnseen],
  ['counted-twice', isCountedTwice],
  ['fragment', isFragment],
  ['answer-unseen', isAnswerUnseen],
  ['not-understood', isNotUnderstood],
];

export function doubtsOf(turn: Read): readonly Doubt[] {
  return SIGNS.flatMap(([doubt, holds]) => (holds(turn) ? doubt : []));
}

/** Each form has one of these near its begin; most words have none. */
const MARKS = /[[({<@=]/;
/** Longer than any name of a class with its first parameter. */
const PRINT_SEARCHED = 200;
const PRINTS: readonly RegExp[] = [
  // ChatMessage(_role=…), [Message(role=…), {'output': AIMessage(content=…)}, (AIMessage(content=…),)
  /^[[({]?\s*(?:'[\w ]{1,60}':\s*)?(?:[A-Za-z_]\w{0,60}\.){0,5}[A-Z]\w{2,60}\(\s*(?:[a-z_]\w{0,60}=|<)[\s\S]*[)\]}]$/,
  // A LangChain message, or a model of Pydantic, as `str` has it.
  /^content=['"][\s\S]*['"] additional_kwargs=\{/,
  /^[a-z_]\w{0,60}=\[?[A-Z]\w{2,60}\([\s\S]*\)\]?/,
  /^\[?<[\w.]{1,80}(?: object)? at 0x[0-9a-f]+/,
  /^\[object [A-Za-z]{1,40}\]$/,
  /^<(?:generator|async_generator|coroutine|function|bound method) /,
  // Java: ChatResponse [metadata=…], com.acme.Answer@6d06d69c
  /^[A-Z]\w{2,60} ?[[{]\w{1,60}=[\s\S]*[\]}]$/,
  /^(?:[a-z]\w{0,60}\.){1,8}[A-Z]\w{0,60}@[0-9a-f]{4,16}$/,
];
/** A print that no model was asked for: the span of the model's call may hold it, too. */
const OF_A_MESSAGE =
  /^\[object |\b_?(?:role|content|contents|text|message|messages|response|output|parts|blocks|replies|run_id|raw)=/;
/** A transcript in place of what was said; a model may have been asked for one. */
const TRANSCRIPTS: readonly RegExp[] = [
  /^[[{]\s*["'](?:messages|role|replies|_role|history|chat_history)["']\s*:/,
  /^\[\s*\{\s*["'](?:role|parts)["']\s*:/,
];

function begins(content: Content, forms: readonly RegExp[]): boolean {
  if (content.state !== 'whole' && content.state !== 'truncated') return false;
  if (!MARKS.test(content.text.slice(0, PRINT_SEARCHED))) return false;
  // The end decides as well: words of a person that begin with code end as words do.
  const text = content.text.trim();
  const ends = text.length <= PRINT_SEARCHED ? text : `${text.slice(0, PRINT_SEARCHED)}${text.slice(-PRINT_SEARCHED)}`;
  return forms.some((form) => form.test(ends));
}

/** Whether it is an object as a program prints it, in place of words. */
function isPrint(content: Content): boolean {
  return begins(content, PRINTS) || begins(content, TRANSCRIPTS);
}

/** Shorter instructions may be words of any answer. */
const INSTRUCTIONS_MIN = 40;

function isAnswerMisread({ finalAnswer, steps }: Read): boolean {
  if (finalAnswer.state !== 'whole' && finalAnswer.state !== 'truncated') return false;
  const isPrinted = begins(finalAnswer, PRINTS);
  const answer = finalAnswer.text.trim();
  if (isPrinted && OF_A_MESSAGE.test(answer.slice(0, PRINT_SEARCHED))) return true;
  // Words that a model did say are the answer, whatever they look like. Asked first: instructions lie in long histories.
  if (steps.findLast((step) => step.kind === 'llm' && step.output.text.trim() === answer) !== undefined) return false;
  if (isPrinted || begins(finalAnswer, TRANSCRIPTS)) return true;
  return steps.some((step) => step.kind === 'llm' && isHeld(finalAnswer, step.systemInstructions));
}

function isHeld({ text }: Content, instructions = ''): boolean {
  return instructions.length >= INSTRUCTIONS_MIN && text.includes(instructions);
}

const METHOD = /\.__\w+__$|^__call__$/;

const WRAPPER = 'kwargs';

function isMisread({ name, args }: ToolCall): boolean {
  if (name === '' || METHOD.test(name)) return true;
  if (!args.text.includes(WRAPPER)) return false;
  const { json } = args;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return false;
  const keys = Object.keys(json);
  // A tool may have a parameter `args` of its own.
  return keys.includes(WRAPPER) && keys.every((key) => key === WRAPPER || key === 'args');
}

/**
 * Model calls without a word, each right after one that used the very same: a record of use taken for a call. Or each call
 * of an exporter ran while one of another did that used the very same: both watched it, side by side.
 */
function isCountedTwice({ steps }: Read): boolean {
  const calls = steps.filter(({ kind }) => kind === 'llm');
  if (calls.length < 2) return false;
  if (calls.some(({ scopeName }) => scopeName !== calls[0]?.scopeName) && isWatchedTwice(calls)) return true;
  // Asked first: words are decoded when they are read.
  if (!calls.some((call, at) => at > 0 && isSameUse(calls[at - 1] ?? call, call))) return false;
  const silent = calls.filter(isWithoutWords);
  if (silent.length === 0 || silent.length !== calls.length - silent.length) return false;
  return calls.every((call, at) => {
    const before = calls[at - 1];
    return !isWithoutWords(call) || (before !== undefined && !isWithoutWords(before) && isSameUse(before, call));
  });
}

/** Each call is compared with all others. */
const WATCHED_MAX = 64;

function isWatchedTwice(calls: readonly Step[]): boolean {
  if (calls.length > WATCHED_MAX) return false;
  const byScope = [...Map.groupBy(calls, ({ scopeName }) => scopeName).values()];
  return byScope.some((own) =>
    own.every((call) => calls.some((other) => other.scopeName !== call.scopeName && isSameCall(call, other))),
  );
}

function isSameCall(call: Step, other: Step): boolean {
  const meet = call.startedAtMs < other.endedAtMs && other.startedAtMs < call.endedAtMs;
  return meet && isSameUse(call, other);
}

function isWithoutWords({ messagesIn, messagesOut }: Step): boolean {
  return messagesIn.length === 0 && messagesOut.length === 0;
}

function isSameUse({ usage: a }: Step, { usage: b }: Step): boolean {
  return a !== undefined && b !== undefined && a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;
}

/** The turn has no answer; its last model call has one that asks for nothing more, or has no place for one. */
function isAnswerUnseen(turn: Read): boolean {
  if (turn.finalAnswer.state !== 'missing' || turn.error !== undefined) return false;
  const { steps, rootSpanId } = turn;
  const last = steps.findLast(({ kind }) => kind === 'llm') ?? steps.find(({ spanId }) => spanId === rootSpanId);
  if (last === undefined || last.error !== undefined) return false;
  // It had asked for a tool, whatever it says of its end.
  if (steps.some(({ kind, startedAtMs }) => kind === 'tool' && startedAtMs >= last.startedAtMs && last.kind === 'llm'))
    return false;
  if (last.flags.includes('output-missing')) return !turn.flags.includes('root-missing');
  if (last.kind !== 'llm' || last.output.state === 'missing') return false;
  return !last.messagesOut.some(({ parts }) => parts.some(({ type }) => type === 'tool_call'));
}

/**
 * A model stopped to call a tool, and no call is there; or one is, and no result: no model's API goes on from a call whose
 * result it was not given.
 */
function areToolsUnseen(turn: Read): boolean {
  const { toolCalls, steps } = turn;
  if (toolCalls.length === 0) {
    return steps.some(({ kind, model }) => kind === 'llm' && model?.finishReasons.includes('tool_call') === true);
  }
  const open = toolCalls.filter(({ answered, spanId }) => !answered && spanId === undefined);
  if (open.length === 0) return false;
  const agents = new Set(steps.flatMap(({ kind, agent }) => (kind === 'agent' ? agent.name : [])));
  const calls = steps.filter(({ kind }) => kind === 'llm');
  return open.some(({ name, requestedBy, endedAtMs }) => {
    if (agents.has(name)) return false;
    // The last to start decides: steps are in that order.
    const last = calls.findLast(({ spanId }) => spanId !== requestedBy);
    return last !== undefined && last.startedAtMs >= endedAtMs;
  });
}

/** A turn that has its question and its answer needs no more: others' spans hold messages, too, in requests and databases. */
function isNotUnderstood({ userInput, finalAnswer, steps }: Read): boolean {
  if (userInput.state !== 'missing' && finalAnswer.state !== 'missing') return false;
  return steps.some((step) => step.kind === 'other' && step.flags.includes('not-understood'));
}
