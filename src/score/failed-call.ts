/**
 * Whether a tool call is known to have failed: it ended with an error, or it came back like any other and its result states that what was
 * asked was not done. Only statements count, in an object, in JSON text, or in the one text that MCP wraps a result in:
 *
 *     {success: false}, {succeeded: false}, {ok: false}             also as 0 or 'false', and as all that is in `data`, `result` or `response`
 *     {refunded: false}, {cancelled: 0}                             of a tool that changes something, by the verb of its own name
 *     {status: 'error', …}                                          in whatever case
 *     {status: 'failed' | 'failure' | 'fail', …}                    of a tool that reads, only beside a description of what went wrong
 *     {status: 'declined' | 'rejected' | 'denied' | 'timeout' …}    of a tool that changes something
 *     {error: …}, {errors: [ … ]}, {statusCode: 500}, {status: 404} beside nothing but a description of the error or of the response
 *     whatever `tool-failure.ts` knows
 *     'Error: …', an error as programs print it, 'The request could not be processed', as a line by itself
 *
 * What a tool that reads found out is data: the order it was asked for may well be declined. So may the record be that a change gives back,
 * which is told by its parts being more than plain values; and a status that was asked for (`reject_claim`, `{decision: 'rejected'}`) is
 * what was to be. A tool that looks for errors finds errors. Beside data that did come (GraphQL's `{data, errors}`), an error is part of an answer.
 *
 * A call that never ended, or whose result was not recorded, is not known to have failed; of a result that was cut, what stands before the
 * cut can say so. One that is `pending` has not failed, and is not known to be done either (`isPending`).
 */
import type { Json } from '../model/json.ts';
import { isPrintedException, isPrintedHttpError } from '../model/printed-error.ts';
import type { Content } from '../model/step.ts';
import { failureIn } from '../model/tool-failure.ts';
import type { ToolCall } from '../model/turn.ts';
import { effectByName, type ToolEffect, wordSet, wordsOf } from './effect-by-name.ts';
import { isFailureLine } from './failure-line.ts';

type Call = Pick<ToolCall, 'error' | 'result'> & Partial<Pick<ToolCall, 'name' | 'args'>>;
type Members = ReadonlyMap<string, Json>;

const FAILED = /^(?:fail|failed|failure)$/;
const REFUSED =
  /^(?:declined|rejected|denied|refused|unauthori[sz]ed|forbidden|not_(?:allowed|permitted|authori[sz]ed)|timeout|timed_out|unsuccessful)$/;
/** A refusal by a tool that changes something: a thing that is not found was not changed. */
const REFUSED_CHANGE = /^not_found$/;
const PENDING = /^(?:pending|queued|processing|in_progress|waiting|awaiting)(?:_[a-z_]+)?$/;
const SUCCESS = ['success', 'succeeded', 'ok'] as const;
const HTTP_CODE = ['statusCode', 'status_code', 'httpStatus', 'http_status', 'status', 'code'] as const;
const OF_AN_ERROR = wordSet(`
  error error_message errorMessage message msg detail details reason type code error_code errorCode error_type errorType
  status status_code statusCode retryable
`);
/** Names by which servers, and the libraries that ask them, describe a response without a result; RFC 9457 among them. */
const OF_A_RESPONSE: ReadonlySet<string> = new Set([
  ...OF_AN_ERROR,
  ...wordSet(`
    errors title instance path timestamp body headers statusText status_text httpStatus http_status cause stack name
    requestId request_id traceId trace_id success ok extensions
  `),
]);
/** Names by which a result describes work that goes on, and when to ask again; ids are known by their endings. */
const OF_A_JOB = wordSet('status message msg detail details note reason eta retry_after poll_url status_url');
const OF_A_TEXT = wordSet('message msg detail result output response text content');
const OF_MCP = wordSet('content isError is_error structuredContent _meta');
/** Words in the name of a tool whose results are about errors. */
const LOOKS_FOR_ERRORS = wordSet(`
  error errors exception exceptions log logs trace traces traceback incident incidents test tests pytest lint validate
  validation typecheck compile diagnose diagnostics audit debug health uptime ping link links monitor probe
`);

/** `effect`, where more is known of the tool than its name says. */
export function hasFailed(call: Call, effect: ToolEffect = effectByName(call.name ?? '')): boolean {
  return call.error !== undefined || saysFailure(call, effect);
}

/** The call was taken, and its result says that the work still goes on. The record of a thing that is pending says more than that. */
export function isPending({ error, result, name = '' }: Call): boolean {
  const json = unwrapped(result);
  if (error !== undefined || result.state !== 'whole' || !isObject(json)) return false;
  const members: Members = new Map(Object.entries(json));
  const isOfTheJob = [...members.keys()].every((member) => OF_A_JOB.has(member) || /(?:^|_)id$|[a-z]Id$/.test(member));
  return PENDING.test(statusOf(members)) && isOfTheJob && !wordsOf(name).includes('pending');
}

function saysFailure(call: Call, effect: ToolEffect): boolean {
  const { result } = call;
  if (result.state !== 'whole' && result.state !== 'truncated') return false;
  if (result.state === 'whole' && failureIn(result.json) !== undefined) return true;
  const json = onlyText(withoutEnvelope(unwrapped(result)));
  if (typeof json === 'string') return textSaysFailure(json.trim(), call, effect);
  if (!isObject(json)) return false;
  const all = Object.entries(json);
  // The last that is there may be half of what was written, and what else there was is not known.
  if (result.state === 'truncated') return isStated(new Map(all.slice(0, -1)), call, effect, { isCut: true });
  const members: Members = new Map(all);
  if (isStated(members, call, effect, { isCut: false })) return true;
  if (failureIn(json) !== undefined || isNothingButAnError(members)) return true;
  return !looksForErrors(call) && (isErrorResponse(members) || isNothingButErrors(members));
}

function isStated(members: Members, call: Call, effect: ToolEffect, { isCut }: { readonly isCut: boolean }): boolean {
  if (SUCCESS.some((name) => isNo(members.get(name)))) return true;
  if (effect === 'writes' && saysNotDone(members, call)) return true;
  const status = statusOf(members);
  const isDescribed = !isCut && areAllIn(OF_AN_ERROR, members);
  // Said of a call, where `failed` may be said of the thing that was looked up.
  if (status === 'error') return !isAskedFor(/^error/, call);
  if (FAILED.test(status)) return (effect !== 'reads' || isDescribed) && !isAskedFor(/^fail/, call);
  const isRefused = REFUSED.test(status) || (effect === 'writes' && REFUSED_CHANGE.test(status));
  if (!isRefused || effect === 'reads') return false;
  const isOfTheCall = effect === 'unknown' ? isDescribed : !isCut && isPlain(members);
  return isOfTheCall && !isAskedFor(/^(?:reject|declin|den(?:y|ied)|refus|forbid)/, call);
}

function isNo(value: Json | undefined): boolean {
  return value === false || value === 0 || (typeof value === 'string' && value.trim().toLowerCase() === 'false');
}

/** `{cancelled: false}` of `cancel_order`: the verb of the tool's own name, as what has been done. */
function saysNotDone(members: Members, { name = '' }: Call): boolean {
  const verbs = wordsOf(name).filter((word) => effectByName(word) === 'writes');
  return [...members].some(
    ([member, value]) =>
      isNo(value) &&
      DONE.test(member) &&
      verbs.some((verb) => member.toLowerCase().startsWith(verb.slice(0, VERB_STEM))),
  );
}

const DONE = /^[A-Za-z]{2,}(?:ed|en|nt|ne|ade)$/;
const VERB_STEM = 3;

function isNothingButAnError(members: Members): boolean {
  return areAllIn(OF_AN_ERROR, members) && isSomething(members.get('error'));
}

function isErrorResponse(members: Members): boolean {
  if (!isWithoutData(members)) return false;
  return HTTP_CODE.some((name) => {
    // A bare `code` may be of anything; beside a message it is that of an error.
    const isOne = name !== 'code' || members.has('message') || members.has('msg');
    return isOne && /^[45]\d\d$/.test(String(members.get(name) ?? ''));
  });
}

function isNothingButErrors(members: Members): boolean {
  const errors = members.get('errors') ?? null;
  return typeof errors === 'object' && errors !== null && Object.keys(errors).length > 0 && isWithoutData(members);
}

/** A response, and nothing that was asked for. GraphQL names the fields that it has no value for. */
function isWithoutData(members: Members): boolean {
  return [...members].every(([name, value]) => OF_A_RESPONSE.has(name) || (name === 'data' && isNothing(value)));
}

function textSaysFailure(text: string, call: Call, effect: ToolEffect): boolean {
  if (looksForErrors(call)) return false;
  if (/^error:\s*\S/i.test(text) || isPrintedException(text) || isPrintedHttpError(text)) return true;
  return isFailureLine(text, effect) && !isAskedFor(/^(?:reject|declin|den(?:y|ied)|refus|fail|error)/, call);
}

/** The tool's name says so, or one of its arguments is such a word. */
function isAskedFor(what: RegExp, { name = '', args }: Call): boolean {
  const isVerb = wordsOf(name).some((word) => what.test(word) && !/^(?:fail|error)/.test(word));
  if (isVerb || args?.state !== 'whole') return isVerb;
  const words = args.text.slice(0, TEXT_READ_MAX).matchAll(/["']([A-Za-z]{3,12})["']/g);
  return [...words].some(([, word = '']) => what.test(word.toLowerCase()));
}

const TEXT_READ_MAX = 4000;

function looksForErrors({ name = '' }: Call): boolean {
  return wordsOf(name).some((word) => LOOKS_FOR_ERRORS.has(word));
}

function statusOf(members: Members): string {
  const status = members.get('status');
  return typeof status === 'string'
    ? status
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_')
    : '';
}

function areAllIn(names: ReadonlySet<string>, members: Members): boolean {
  return [...members.keys()].every((name) => names.has(name));
}

/** Except what describes the error, nothing in it has parts of its own. */
function isPlain(members: Members): boolean {
  return [...members].every(([name, value]) => OF_A_RESPONSE.has(name) || typeof value !== 'object' || value === null);
}

function isSomething(error: Json | undefined): boolean {
  if (typeof error === 'string') return error.trim() !== '';
  return error === true || (typeof error === 'object' && error !== null);
}

function isNothing(data: Json): boolean {
  return data === null || (isObject(data) && Object.values(data).every((value) => value === null));
}

function isObject(json: Json): json is { readonly [name: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Unwraps an object whose only member is an envelope such as `data`. */
function withoutEnvelope(json: Json): Json {
  const [name = '', ...others] = isObject(json) ? Object.keys(json) : [];
  const inner = others.length === 0 && isObject(json) && ENVELOPES.has(name) ? json[name] : undefined;
  return inner !== undefined && isObject(inner) ? inner : json;
}

const ENVELOPES = wordSet('data result response output');

/** MCP: `{content: [{type: 'text', text: …}]}`, of which some clients give the list alone. */
function unwrapped({ json, state }: Content): Json {
  const parts = isObject(json) && Object.keys(json).every((name) => OF_MCP.has(name)) ? json.content : json;
  const part = Array.isArray(parts) && parts.length === 1 ? parts[0] : undefined;
  if (part === undefined || !isObject(part) || part.type !== 'text' || typeof part.text !== 'string') return json;
  const { text } = part;
  if (state !== 'whole' || !text.trimStart().startsWith('{')) return text;
  try {
    // The cast is what JSON.parse gives.
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** A text by itself, under one of the names that wrappers give it. */
function onlyText(json: Json): Json {
  const [name = '', ...others] = isObject(json) ? Object.keys(json) : [];
  const text = others.length === 0 && isObject(json) && OF_A_TEXT.has(name) ? json[name] : undefined;
  return typeof text === 'string' ? text : json;
}
