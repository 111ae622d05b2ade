/**
 * Decides whether a tool call is known to have failed. A call has failed if it ended with an error, or if its result states that what was asked was not
 * done. Only statements count, in an object, in JSON text, or in the one text that MCP wraps a result in:
 *
 *     {success: false}, {succeeded: false}, {ok: false}             also as 0 or 'false', and as all that is in `data`, `result` or `response`
 *     {refunded: false}, {accepted: false}                          of a tool that changes something: the verb of its own name, or that it was taken
 *     {status: 'error', …}                                          in upper or lower case; of a tool that changes something also `state`, `outcome`, `result`
 *     {status: 'failed' | 'failure' | 'fail', …}                    of a tool that reads, only beside a description of the error
 *     {status: 'declined' | 'rejected' | 'denied' | 'timeout' …}    of a tool that changes something
 *     [{success: true}, {success: false}], {results: [ … ]},
 *     {cancelled: [1], failed: [2]}, {sent: 9, failed: 1}           of a tool that changes something: not all of it was done (`bulk-parts.ts`)
 *     {error: …}, {errors: [ … ]}, {statusCode: 500}, {status: 404} beside nothing but a description of the error or of the response
 *     whatever `tool-failure.ts` knows
 *     'Error: …', '<error>…</error>', a printed exception, 'The request could not be processed', as a line by itself
 *
 * The result of a tool that reads is data: the order that it looked up may well be declined. The record that a change returns is data too; it is known by
 * parts that are more than plain values. A status that was asked for (`reject_claim`, `{decision: 'rejected'}`) is the intended one. A tool that looks
 * for errors finds errors. An error beside other data is part of an answer (GraphQL's `{data, errors}`).
 *
 * A call that never ended, or whose result was not recorded, is not known to have failed. In a result that was cut, only the text before the cut counts.
 * A `pending` call has not failed, and is not known to be done either (`isPending`).
 */
import { isMapping, type Json } from '../../model/json.ts';
import { isPrintedException, isPrintedHttpError } from '../../model/printed-error.ts';
import type { Content } from '../../model/step.ts';
import { pythonLiteral } from '../../model/python-literal.ts';
import { failureIn } from '../../model/tool-failure.ts';
import type { ToolCall } from '../../model/turn.ts';
import { type BulkParts, bulkParts, mayNameUndone } from './bulk-parts.ts';
import { effectByName, type ToolEffect, wordSet, wordsOf } from './effect-by-name.ts';
import { isErrorCode, isFailureLine } from './failure-line.ts';

type Call = Pick<ToolCall, 'error' | 'result'> & Partial<Pick<ToolCall, 'name' | 'args'>>;
type Members = ReadonlyMap<string, Json>;

const FAILED = /^(?:fail|failed|failure)$/;
const REFUSED =
  /^(?:declined|rejected|denied|refused|unauthori[sz]ed|forbidden|not_(?!required|needed|changed|modified)[a-z]+(?:ed|ne)|timeout|timed_out|unsuccessful|ko|nok)$/;
/** Beside nothing but a description: in a record they may be the state of the thing. */
const GIVEN_UP = /^(?:cancell?ed|aborted|expired|voided)$/;
/** A refusal by a tool that changes something: a thing that is not found was not changed. */
const REFUSED_CHANGE = /^not_found$/;
const PENDING = /^(?:pending|queued|processing|in_progress|waiting|awaiting|scheduled)(?:_[a-z_]+)?$/;
const AWAITS_APPROVAL =
  /^(?:requires|needs|pending|awaiting|waiting_for)_(?:manual_)?(?:approval|review|authori[sz]ation)$/;
const PENDING_TEXT = /^(?:queued|pending|scheduled|waiting|submitted) (?:for|until|to)\b[^.\n]{0,80}\.?$/i;
const SUCCESS = ['success', 'succeeded', 'ok', 'is_success', 'isSuccess', 'is_successful', 'isSuccessful'] as const;
/** Names under which a tool that changes something gives its status. */
const STATUS_OF_CHANGE = ['status', 'state', 'outcome', 'result'] as const;
const TAKEN = ['accepted', 'approved', 'completed', 'successful', 'processed', 'executed', 'applied', 'done'] as const;
const PARTS = ['results', 'responses', 'outcomes'] as const;
/** Names, beside a status, under which a tool says that it waits for an approval. */
const NEEDS = ['needs', 'requires', 'awaiting', 'waiting_for'] as const;
const APPROVAL = /^(?:[a-z]+[_ ])?(?:approval|review|authori[sz]ation|confirmation)$/i;
const ERRORS_OF_USER = ['userErrors', 'user_errors'] as const;
const HTTP_CODE = ['statusCode', 'status_code', 'httpStatus', 'http_status', 'status', 'code'] as const;
const OF_AN_ERROR = wordSet(`
  error error_message errorMessage message msg detail details reason type code error_code errorCode error_type errorType
  status status_code statusCode retryable exception traceback
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
const OF_A_JOB = wordSet(
  'status message msg detail details note reason eta retry_after poll_url status_url requires_approval needs_approval needs requires awaiting waiting_for',
);
const ENVELOPES = wordSet('data result response output');
const OF_A_TEXT = wordSet('message msg detail result output response text content');
const OF_MCP = wordSet('content isError is_error structuredContent _meta');
/** Words in the name of a tool whose results are about errors. */
const LOOKS_FOR_ERRORS = wordSet(`
  error errors exception exceptions log logs trace traces traceback incident incidents test tests pytest lint validate
  validation typecheck compile diagnose diagnostics audit debug health uptime ping link links monitor probe
`);

/** `effectOf` is given if more is known of the tool than its name says. It is called only for results that may state a failure, because it may read spans. */
export function hasFailed(call: Call, effectOf: () => ToolEffect = () => effectByName(call.name ?? '')): boolean {
  return call.error !== undefined || saysFailure(call, effectOf);
}

/** The parts done and not done of a change that was carried out in part. Undefined for other calls. */
export function partsOfPartlyDone(call: Call): BulkParts | undefined {
  if (call.error !== undefined || call.result.state !== 'whole' || looksForErrors(call)) return undefined;
  const parts = bulkParts(withoutEnvelope(unwrapped(call.result)), (part) => isUndone(part, call));
  return parts !== undefined && parts.doneCount > 0 && parts.undoneCount > 0 ? parts : undefined;
}

/** The call was accepted, and its result says that the work still goes on. The record of a pending thing has other members as well. */
export function isPending({ error, result, name = '' }: Call): boolean {
  if (error !== undefined || result.state !== 'whole') return false;
  const json = unwrapped(result);
  if (typeof json === 'string') return PENDING_TEXT.test(json.trim());
  if (!isMapping(json)) return false;
  const members: Members = new Map(Object.entries(json));
  const words = wordsOf(name);
  return (
    isOfAJob(members) &&
    (needsApproval(members) || PENDING.test(statusOf(members))) &&
    !words.includes('pending') &&
    !words.some((word) => word.startsWith('schedul'))
  );
}

/** A person has to allow it first, so nothing is under way yet. */
export function awaitsApproval({ error, result }: Call): boolean {
  if (error !== undefined || result.state !== 'whole') return false;
  const json = unwrapped(result);
  const members: Members = isMapping(json) ? new Map(Object.entries(json)) : new Map();
  return needsApproval(members) && isOfAJob(members);
}

function isOfAJob(members: Members): boolean {
  return [...members.keys()].every((member) => OF_A_JOB.has(member) || /(?:^|_)id$|[a-z]Id$/.test(member));
}

function needsApproval(members: Members): boolean {
  return (
    members.get('requires_approval') === true ||
    members.get('needs_approval') === true ||
    NEEDS.some((name) => APPROVAL.test(String(members.get(name) ?? ''))) ||
    AWAITS_APPROVAL.test(statusOf(members))
  );
}

function saysFailure(call: Call, effectOf: () => ToolEffect): boolean {
  const { result } = call;
  if (result.state !== 'whole' && result.state !== 'truncated') return false;
  if (result.state === 'whole' && failureIn(result.json) !== undefined) return true;
  const json = onlyText(withoutEnvelope(unwrapped(result)));
  if (json === false) return result.state === 'whole' && effectOf() === 'writes';
  if (isPlainData(json)) return false;
  const known = effectOf();
  // A hand-over that was refused was not made.
  const effect = known === 'hands_over' ? 'writes' : known;
  if (typeof json === 'string') return textSaysFailure(json.trim(), call, effect);
  if (effect === 'writes' && result.state === 'whole' && isPartlyUndone(json, call)) return true;
  if (!isMapping(json)) return false;
  const all = Object.entries(json);
  // The last that is there may be half of what was written, and what else there was is not known.
  if (result.state === 'truncated') return isStated(new Map(all.slice(0, -1)), call, effect, { isCut: true });
  const members: Members = new Map(all);
  if (isStated(members, call, effect, { isCut: false })) return true;
  if (failureIn(json) !== undefined || isNothingButAnError(members)) return true;
  return !looksForErrors(call) && (isErrorResponse(members, effect) || isNothingButErrors(members));
}

/** Most results: an object none of whose members states anything, and whose values are plain or lists. */
function isPlainData(json: Json): boolean {
  if (typeof json === 'number' || typeof json === 'boolean' || json === null) return true;
  if (!isMapping(json)) return false;
  for (const name of Object.keys(json)) {
    const value = json[name];
    if (value === undefined) continue;
    if (MAY_STATE.has(name) || isNo(value) || mayNameUndone(name, value) || isMapping(value)) return false;
  }
  return true;
}

const MAY_STATE: ReadonlySet<string> = new Set([
  ...OF_A_RESPONSE,
  ...STATUS_OF_CHANGE,
  ...PARTS,
  ...ERRORS_OF_USER,
  ...ENVELOPES,
  'isError',
  'is_error',
]);

function isStated(members: Members, call: Call, effect: ToolEffect, { isCut }: { readonly isCut: boolean }): boolean {
  if (SUCCESS.some((name) => isNo(members.get(name)))) return true;
  if (effect === 'writes' && (saysNotDone(members, call) || TAKEN.some((name) => isNo(members.get(name))))) return true;
  if (effect === 'writes' && !isCut && ERRORS_OF_USER.some((name) => isFilled(members.get(name)))) return true;
  const status = effect === 'writes' ? statusOfChange(members) : statusOf(members);
  const isDescribed = !isCut && areAllIn(OF_AN_ERROR, members);
  // Said of a call, where `failed` may be said of the thing that was looked up.
  if (status === 'error') return !isAskedFor(/^error/, call);
  if (FAILED.test(status)) return (effect !== 'reads' || isDescribed) && !isAskedFor(/^fail/, call);
  if (effect === 'writes' && isDescribed && GIVEN_UP.test(status))
    return !isAskedFor(/^(?:cancel|abort|expir|void)/, call);
  const isRefused = REFUSED.test(status) || (effect === 'writes' && REFUSED_CHANGE.test(status));
  if (!isRefused || effect === 'reads') return false;
  const isOfTheCall = effect === 'unknown' ? isDescribed : !isCut && isPlain(members);
  return isOfTheCall && !isAskedFor(/^(?:reject|declin|den(?:y|ied)|refus|forbid)/, call);
}

function isNo(value: Json | undefined): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^(?:false|no)$/i.test(value.trim()));
}

/** `{cancelled: false}` of `cancel_order`, `{amount_refunded: 0}` of `refund_order`: the verb of the tool's own name, as what has been done. */
function saysNotDone(members: Members, { name = '' }: Call): boolean {
  const verbs = wordsOf(name).filter((word) => effectByName(word) === 'writes');
  return [...members].some(
    ([member, value]) =>
      isNo(value) &&
      wordsOf(member).some(
        (word) => DONE.test(word) && verbs.some((verb) => word.startsWith(verb.slice(0, VERB_STEM))),
      ),
  );
}

const DONE = /^[A-Za-z]{2,}(?:ed|en|nt|ne|ade)$/;
const VERB_STEM = 3;

/** A member of the thing that was asked for may stand beside it, and hold nothing. */
function isNothingButAnError(members: Members): boolean {
  const all = [...members];
  return (
    all.every(([name, value]) => OF_AN_ERROR.has(name) || value === null) &&
    ERROR_ITSELF.some((name) => isSomething(members.get(name)))
  );
}

const ERROR_ITSELF = ['error', 'exception', 'error_message', 'errorMessage'] as const;

/** A change of several things of which one was not made, or the answer of a mutation, one level down. */
function isPartlyUndone(json: Json, call: Call): boolean {
  if (looksForErrors(call)) return false;
  if ((bulkParts(json, (part) => isUndone(part, call))?.undoneCount ?? 0) > 0) return true;
  const [mutation, ...others] = isMapping(json) ? Object.values(json) : [];
  return mutation !== undefined && others.length === 0 && isMapping(mutation) && isRefused(mutation);
}

function isUndone(part: { readonly [name: string]: Json }, call: Call): boolean {
  const status = statusOf(new Map(Object.entries(part)));
  return isRefused(part) || ((status === 'error' || FAILED.test(status)) && !isAskedFor(/^(?:fail|error)/, call));
}

function isRefused(part: { readonly [name: string]: Json }): boolean {
  const members: Members = new Map(Object.entries(part));
  return SUCCESS.some((name) => isNo(members.get(name))) || ERRORS_OF_USER.some((name) => isFilled(members.get(name)));
}

function isFilled(list: Json | undefined): boolean {
  return Array.isArray(list) && list.length > 0;
}

function isErrorResponse(members: Members, effect: ToolEffect): boolean {
  if (!isWithoutData(members)) return false;
  if (effect !== 'reads' && (statusOf(members, 'type') === 'error' || isErrorCode(String(members.get('code') ?? ''))))
    return true;
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

function textSaysFailure(written: string, call: Call, effect: ToolEffect): boolean {
  if (looksForErrors(call)) return false;
  const isMarked = MARKED.test(written) && effect === 'writes';
  const text = written.replace(MARK, '');
  if (
    isMarked ||
    /^(?:error|exception|fatal):\s*\S/i.test(text) ||
    isPrintedException(text) ||
    isPrintedHttpError(text)
  )
    return true;
  if (isErrorPage(text) || XML_ERROR.test(text) || (effect === 'writes' && /^(?:error|failed|failure)$/i.test(text)))
    return true;
  return isFailureLine(text, effect) && !isAskedFor(/^(?:reject|declin|den(?:y|ied)|refus|fail|error)/, call);
}

/** Signs of a failure that programs put before what they say. */
const MARKED = /^(?:[❌✗✘⛔🚫]|\[(?:error|fatal|fail(?:ed|ure)?)\])/iu;
const MARK = /^(?:[❌✗✘⛔🚫]\ufe0f?\s{0,3}|\[(?:error|fatal|fail(?:ed|ure)?)\]:?\s{0,3}(?=\S))/iu;

/** The page that a proxy or a server sends in place of an answer: its title, or its first heading, is a status of HTTP. */
function isErrorPage(text: string): boolean {
  if (!/^<(?:!doctype html|html)/i.test(text)) return false;
  const titles = [...text.slice(0, TEXT_READ_MAX).matchAll(/<(?:title|h1)[^>]{0,100}>([^<]{1,200})</gi)];
  return titles.some(([, title = '']) => isPrintedHttpError(title.trim()));
}

const XML_ERROR = /^<error(?:\s[^>]{0,200})?>[\s\S]{0,4000}<\/error>$/i;

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

/** A word; a sentence is a text of another kind. */
function statusOfChange(members: Members): string {
  for (const name of STATUS_OF_CHANGE) {
    const status = statusOf(members, name);
    if (status !== '') return status;
  }
  return '';
}

function statusOf(members: Members, name: string = 'status'): string {
  const status = members.get(name);
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
  return data === null || (isMapping(data) && Object.values(data).every((value) => value === null));
}

/** Unwraps an object whose only member is an envelope such as `data`. */
function withoutEnvelope(json: Json): Json {
  const [name = '', ...others] = isMapping(json) ? Object.keys(json) : [];
  const inner = others.length === 0 && isMapping(json) && ENVELOPES.has(name) ? json[name] : undefined;
  return inner !== undefined && isMapping(inner) ? inner : json;
}

/** MCP: `{content: [{type: 'text', text: …}]}`, of which some clients give the list alone. A text may be an object as Python prints it. */
function unwrapped({ json, state }: Content): Json {
  const parts = isMapping(json) && Object.keys(json).every((name) => OF_MCP.has(name)) ? json.content : json;
  const part = Array.isArray(parts) && parts.length === 1 ? parts[0] : undefined;
  if (part === undefined || !isMapping(part) || part.type !== 'text' || typeof part.text !== 'string')
    return typeof json === 'string' ? asPrinted(json, state) : json;
  const { text } = part;
  if (state !== 'whole' || !text.trimStart().startsWith('{')) return text;
  try {
    // The cast is what JSON.parse gives.
    return JSON.parse(text) as Json;
  } catch {
    return asPrinted(text, state);
  }
}

function asPrinted(text: string, state: Content['state']): Json {
  if (state !== 'whole' || text.length > LITERAL_LENGTH_MAX || !/^\s*[[{][\s{[]{0,3}['"]/.test(text)) return text;
  // The cast holds because a literal has nothing but texts, numbers, lists and mappings.
  return (pythonLiteral(text.trim()) as Json | undefined) ?? text;
}

const LITERAL_LENGTH_MAX = 20_000;

/** A text by itself, under one of the names that wrappers give it. */
function onlyText(json: Json): Json {
  const [name = '', ...others] = isMapping(json) ? Object.keys(json) : [];
  const text = others.length === 0 && isMapping(json) && OF_A_TEXT.has(name) ? json[name] : undefined;
  return typeof text === 'string' ? text : json;
}
