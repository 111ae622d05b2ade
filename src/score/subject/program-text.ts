/**
 * Text that a program printed where an answer should be. It is no answer to a person, however it got there:
 *
 *     None, null, undefined, NaN, [object Object]     a value that is not there, or has no text
 *     {}, []                                          an empty value
 *     500 Internal Server Error, KeyError: 'eta'      an error as a server, a client library or a runtime prints it, a traceback
 *     {"error": "timeout"}                            an error as a value
 *     502 Bad Gateway as a page of HTML               an error page of a proxy
 *     Agent stopped due to iteration limit            what a framework says when it gives up
 *     Thought: … Action: …                            a step of the agent that its framework could not read
 *     <think>…, TODO, {answer}, <answer></answer>     thoughts without an answer, or a mark where it should have been
 *     <tool_call>…</tool_call>, {"name", "arguments"} a tool call that nobody carried out, `refund(order="A-17")` among them
 *
 * Only where it is the whole text. Other JSON of an agent is its answer, `0` and `false` among it. An empty value is
 * the right answer to some requests for data, and an error to some questions about errors. Each passes if the request
 * mentions such a thing. JSON also passes if the agent's instructions mention it, or its spans show that JSON was
 * requested. For an empty value it must be known that they do not.
 */
import type { Turn } from '../../model/turn.ts';
import { isPrintedException, isPrintedHttpError } from '../../model/printed-error.ts';
import { tryParseJson } from '../../model/json.ts';

const TEXT_READ_MAX = 20_000;

const NOTHING = /^(?:None|null|undefined|NaN|\[object Object\])?$/;
const EMPTY_VALUE = /^(?:\{\s*\}|\[\s*\])$/;
const TAGGED_CALL =
  /^(?:<tool_calls?>[\s\S]*<\/tool_calls?>|<function_calls?>[\s\S]*<\/function_calls?>|<function=[\s\S]*<\/function>|\[TOOL_CALLS\][\s\S]*|<\|python_tag\|>[\s\S]*)$/;

const PYTHON_CALL = /^[a-z]\w{0,60}(?:_\w{1,60})+\((?:\w{1,60} ?= ?[^()\n]{0,400})?\)$/;
const GAVE_UP =
  /^Agent stopped due to (?:max iterations|iteration limit(?: or time limit)?|time limit)\.?$|^(?:Agent |Run )?(?:reached|hit|exceeded) (?:the |its )?max(?:imum)?(?: number of)? (?:iterations|steps|turns)[.!]?$/i;
/** ReAct: a thought and an action, and no answer behind them. */
const STEP = /^(?:Thought|Action):/;
const STEP_ACTS = /(?:^|[.!?\n]\s?)Action:/;
/** A mark where the answer should have been, or thoughts that never came to one. */
const NOT_WRITTEN =
  /^(?:TODO|TBD|\.{3,}|…|\{\{?\s?[a-z_]{1,40}\s?\}?\}|<{1,2}INSERT [A-Z ]{1,40}>{1,2}|<think(?:ing)?>(?:(?!<\/think)[\s\S])*|<think(?:ing)?>[\s\S]*<\/think(?:ing)?>|<([a-z_]{1,20})>\s*<\/\1>)$/;
const ERROR_PAGE =
  /^<(?:!doctype html|html)[\s>][\s\S]{0,2000}?<title>[^<]{0,100}(?:[45]\d\d\b|error|bad gateway|unavailable)/i;

const SPEAKS_OF_DATA = /json|list|array|object|schema|fields?\b|keys?\b|dict|data|xml|yaml/i;
const SPEAKS_OF_ERRORS =
  /error|exception|fehler|erreur|erro\b|trace|stack|raise|throw|fail|crash|bug|code|http|status|output|print|\blogs?\b/i;
const SPEAKS_OF_CODE = /code|python|script|snippet|method|command|\bsdk\b|program/i;
const SPEAKS_OF_CALLS = /json|tool|function|call|schema|api\b/i;

export function isProgramText(turn: Turn): boolean {
  const { finalAnswer, userInput } = turn;
  if (finalAnswer.state !== 'whole' || finalAnswer.text.length > TEXT_READ_MAX) return false;
  const text = finalAnswer.text.trim();
  const request = userInput.text.slice(0, TEXT_READ_MAX);
  if (NOTHING.test(text)) return true;
  if (NOT_WRITTEN.test(text)) return !SPEAKS_OF_CODE.test(request) && !SPEAKS_OF_DATA.test(request);
  if (EMPTY_VALUE.test(text))
    return userInput.state === 'whole' && !SPEAKS_OF_DATA.test(request) && !isDataWanted(turn);
  if (isPrintedException(text) || isPrintedHttpError(text)) return !SPEAKS_OF_ERRORS.test(request);
  if (ERROR_PAGE.test(text)) return !SPEAKS_OF_ERRORS.test(request) && !/\bhtml\b/i.test(request);
  if (isErrorValue(text))
    return !SPEAKS_OF_ERRORS.test(request) && !SPEAKS_OF_DATA.test(request) && !isDataWanted(turn);
  if (GAVE_UP.test(text)) return true;
  if (STEP.test(text)) return STEP_ACTS.test(text) && !/Final Answer:/i.test(text) && !SPEAKS_OF_CALLS.test(request);
  if (PYTHON_CALL.test(text)) return !SPEAKS_OF_CALLS.test(request) && !SPEAKS_OF_CODE.test(request);
  if (TAGGED_CALL.test(text)) return !SPEAKS_OF_CALLS.test(request);
  return isWrittenCall(text) && !SPEAKS_OF_CALLS.test(request) && !isDataWanted(turn);
}

/** Whether the agent's instructions speak of JSON, or its spans say that it asked its model for it. */
export function isDataWanted({ steps }: Turn): boolean {
  return steps.some(
    ({ systemInstructions, attributes }) =>
      /json|schema/i.test(systemInstructions?.slice(0, TEXT_READ_MAX) ?? '') ||
      attributes.get('gen_ai.output.type') === 'json',
  );
}

/** Members that an error as a value has. With any other, an object is data that may say what went wrong. */
const ERROR_MEMBERS: ReadonlySet<string> = new Set([
  'error',
  'message',
  'status',
  'status_code',
  'code',
  'type',
  'detail',
  'details',
  'success',
  'ok',
  'request_id',
  'trace_id',
]);

function isErrorValue(text: string): boolean {
  const value = jsonOf(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const members = Object.entries(value);
  return Boolean(Object.fromEntries(members).error) && members.every(([name]) => ERROR_MEMBERS.has(name));
}

/** Undefined where the text is none: prose may begin with a bracket. */
function jsonOf(text: string): unknown {
  return /^[[{]/.test(text) ? tryParseJson(text) : undefined;
}

/** Members of a tool call as models write it. An object with any other member is data, because structured answers may have a `name` too. */
const CALL_MEMBERS: readonly string[] = [
  'arguments,name',
  'name,parameters',
  'arguments,id,name',
  'arguments,name,type',
  'function,type',
  'function,id,type',
  'action,action_input',
];

function isWrittenCall(text: string): boolean {
  const value = jsonOf(text);
  if (value === undefined) return false;
  const calls: readonly unknown[] = Array.isArray(value) ? value : [value];
  return calls.length > 0 && calls.every(isCall);
}

function isCall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  const calls = members.get('tool_calls');
  if (members.size === 1 && Array.isArray(calls)) return calls.length > 0;
  if (!CALL_MEMBERS.includes([...members.keys()].toSorted().join(','))) return false;
  const given = members.get('arguments') ?? members.get('parameters') ?? members.get('function') ?? '';
  const name = members.get('name') ?? members.get('action') ?? members.get('type');
  // LangChain's agents hand in their answer by an action of this name.
  const isNamed = typeof name === 'string' && !/^final.?answer$/i.test(name);
  return isNamed && (typeof given === 'object' || typeof given === 'string');
}
