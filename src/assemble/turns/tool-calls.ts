/**
 * Tool calls as the model asked for them and as they were carried out, paired: by call id; else by name and arguments;
 * else by name and order. A call without a span is taken from the transcript, with the result that a later model call was
 * shown, if any; a span without a request stands for itself.
 */
import type { SpanId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { Content, Message, Step, StepError } from '../../model/step.ts';
import { isPrintedException } from '../../model/printed-error.ts';
import { failureIn, couldIndicateFailure } from '../../model/tool-failure.ts';
import type { ToolCall } from '../../model/turn.ts';
import { canonicalJson } from './canonical-json.ts';
import { firstThere, MISSING } from './deferred-content.ts';
import { type OrderedCall, inOrderOfCalls } from './call-order.ts';
import { NONE, type Family } from './span-tree.ts';
import { mayBeHandoff, withoutHandoffs } from './handoffs.ts';
import { handMadeSpans } from './manual-tool-spans.ts';
import { shownRequests } from './shown-requests.ts';
import { isInWindow, Results, type ToolRequest, type ToolResult, Transcripts } from './transcripts.ts';

export function toolCallsOf(family: Family, members: readonly number[], root: Step): readonly ToolCall[] {
  const calls = allCallsOf(family, members, root);
  return calls.some(({ name }) => mayBeHandoff(name)) ? withoutHandoffs(calls, family) : calls;
}

function allCallsOf(family: Family, members: readonly number[], root: Step): readonly ToolCall[] {
  const tools = members.filter((index) => family.at(index).tool !== undefined);
  const asked = requestsOf(family, members);
  const shown = [...asked, ...shownRequests(family, members, asked)];
  if (shown.length === 0 && tools.length === 0) return ofTranscript(root);
  // Model calls that do not record what they asked for leave it to the agent's transcript.
  const requests = shown.length === 0 ? requestsOfTranscript(root) : shown;
  const spanOf = pairedSpans(family, requests, tools);
  const withoutTool = requests.filter((request) => !spanOf.has(request));
  const handMade = handMadeSpans(family, members, withoutTool);
  const calls: OrderedCall[] = [];
  const transcripts = new Transcripts(modelCalls(family, members), root, requests);
  for (let order = 0; order < requests.length; order++) {
    const request = requests[order];
    if (request === undefined) continue;
    const tool = spanOf.get(request) ?? handMade.get(request);
    const call =
      tool === undefined ? withoutSpan(request, transcripts) : requested(family.at(tool), request, transcripts);
    calls.push({ call, order });
  }
  const paired = new Set(spanOf.values());
  for (const tool of tools)
    if (!paired.has(tool)) calls.push({ call: ofSpan(family, tool, transcripts), order: requests.length });
  return inOrderOfCalls(calls);
}

function modelCalls(family: Family, members: readonly number[]): readonly Step[] {
  return members.map((index) => family.at(index)).filter((step) => step.kind === 'llm');
}

function requestsOf(family: Family, members: readonly number[]): readonly ToolRequest[] {
  const requests: ToolRequest[] = [];
  let agentOf: readonly number[] | undefined;
  for (let position = 0; position < members.length; position++) {
    const by = family.at(members[position] ?? 0);
    if (by.kind !== 'llm') continue;
    const asked = by.messagesOut.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool_call'));
    if (asked.length === 0) continue;
    agentOf ??= family.nearestAncestors((step) => step.kind === 'agent' || step.kind === 'tool');
    const beforeMs = nextModelCallMs(family, members, position, agentOf);
    for (const [at, { id, name, args }] of asked.entries()) {
      requests.push({ by, beforeMs, id, name, args, position: at, siblings: asked.length });
    }
  }
  return requests;
}

function nextModelCallMs(
  family: Family,
  members: readonly number[],
  position: number,
  agentOf: readonly number[],
): number {
  const agent = agentOf[members[position] ?? 0];
  for (let at = position + 1; at < members.length; at++) {
    const index = members[at] ?? 0;
    if (family.at(index).kind === 'llm' && agentOf[index] === agent) return family.at(index).startedAtMs;
  }
  return Number.POSITIVE_INFINITY;
}

/** Each round is stricter than the next, and a span once given away is gone. */
function pairedSpans(
  family: Family,
  requests: readonly ToolRequest[],
  tools: readonly number[],
): ReadonlyMap<ToolRequest, number> {
  const spanOf = new Map<ToolRequest, number>();
  const free = new Set(tools);
  const round = (
    key: (name: string, id: string | undefined, args: Content) => string | undefined,
    windowed: boolean,
    among: Iterable<number> = free,
  ) => {
    if (free.size === 0 || spanOf.size === requests.length) return;
    const byKey = new Map<string, number[]>();
    for (const tool of among) {
      const { tool: call } = family.at(tool);
      const name = call === undefined ? undefined : key(call.name, call.callId, call.args);
      if (name === undefined) continue;
      const there = byKey.get(name);
      if (there === undefined) byKey.set(name, [tool]);
      else there.push(tool);
    }
    for (const request of requests) {
      if (spanOf.has(request)) continue;
      const name = key(request.name, request.id, request.args);
      const candidates = name === undefined ? undefined : byKey.get(name);
      const at = candidates?.findIndex((tool) => !windowed || isInWindow(family.at(tool), request)) ?? NONE;
      const [tool] = at === NONE ? [] : (candidates?.splice(at, 1) ?? []);
      if (tool === undefined) continue;
      spanOf.set(request, tool);
      free.delete(tool);
    }
  };
  if (requests.length * tools.length <= SCANNED_MAX) scanById(family, requests, free, spanOf);
  else round((_name, id) => id, true);
  round((_name, id) => id, false);
  round((name, _id, args) => (args.state === 'whole' ? `${name} ${canonicalJson(args.json)}` : undefined), true);
  round((name) => name, true);
  const names = new Set(requests.map(({ name }) => name));
  // Some frameworks name a tool's span after one of their classes. If no model asked for that name, the arguments
  // decide.
  const strangers = [...free].filter((tool) => !names.has(family.at(tool).tool?.name ?? ''));
  round((_name, _id, args) => (args.state === 'whole' ? canonicalJson(args.json) : undefined), true, strangers);
  return spanOf;
}

/**
 * Pairs up to this number are compared one by one; more are looked up, or a hostile trace would take the square of its
 * size.
 */
const SCANNED_MAX = 256;

/** The first round, which pairs all calls of most turns, without making a map. */
function scanById(
  family: Family,
  requests: readonly ToolRequest[],
  free: Set<number>,
  spanOf: Map<ToolRequest, number>,
): void {
  for (const request of requests) {
    if (request.id === undefined) continue;
    for (const tool of free) {
      const step = family.at(tool);
      if (step.tool?.callId !== request.id || !isInWindow(step, request)) continue;
      spanOf.set(request, tool);
      free.delete(tool);
      break;
    }
  }
}

function requested(tool: Step, request: ToolRequest, transcripts: Transcripts): ToolCall {
  return new RequestedCall(tool, request, transcripts);
}

/** Anything missing on the tool's span is taken, when first read, from what models asked for and were shown. */
class RequestedCall implements ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Content;
  readonly result: Content;
  readonly spanId: SpanId;
  readonly requestedBy: SpanId;
  readonly answered = true;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly #tool: Step;
  readonly #request: ToolRequest;
  readonly #transcripts: Transcripts;
  #error: StepError | undefined | null = null;

  constructor(tool: Step, request: ToolRequest, transcripts: Transcripts) {
    this.id = request.id ?? callIdOf(tool, transcripts);
    // The span may be called after a class of the framework's; the model asked for the tool by its name.
    this.name = request.name === '' ? (tool.tool?.name ?? '') : request.name;
    this.args = argsOf(tool, request);
    this.#request = request;
    this.#transcripts = transcripts;
    this.result = firstThere(
      () => (tool.tool === undefined ? tool.output : tool.tool.result),
      () => this.#shown()?.result ?? MISSING,
    );
    this.spanId = tool.spanId;
    this.requestedBy = request.by.spanId;
    this.startedAtMs = tool.startedAtMs;
    this.endedAtMs = tool.endedAtMs;
    this.#tool = tool;
  }

  get error(): StepError | undefined {
    if (this.#error === null) this.#error = this.#tool.error ?? this.#shownError();
    return this.#error;
  }

  #shown(): ToolResult | undefined {
    return this.#transcripts.resultOf({ ...this.#request, id: this.id });
  }

  /** A span that says what the tool gave back has been through to the end. */
  #shownError(): StepError | undefined {
    const { tool, output } = this.#tool;
    return (tool?.result ?? output).state === 'missing' ? errorOf(this.#shown()) : undefined;
  }
}

/** Some emitters give of an object with one text only the text; the model asked with the object. */
function argsOf(tool: Step, request: ToolRequest): Content {
  const ofSpan = tool.tool?.args ?? MISSING;
  const isUnwrapped = () => typeof ofSpan.json === 'string' && isOnlyMember(request.args.json, ofSpan.json);
  return firstThere(
    () => (isUnwrapped() ? request.args : ofSpan),
    () => request.args,
  );
}

/** Some streams are put together without the arguments. */
function isEmpty(args: Json): boolean {
  return typeof args === 'object' && args !== null && Object.keys(args).length === 0;
}

function isOnlyMember(object: Json, text: string): boolean {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return false;
  const members = Object.values(object);
  return members.length === 1 && members[0] === text;
}

function withoutSpan(request: ToolRequest, transcripts: Transcripts): ToolCall {
  const id = request.id ?? transcripts.callIdOf({ ...request, startedAtMs: request.by.startedAtMs });
  const result = transcripts.resultOf({ ...request, id });
  return {
    id,
    name: request.name,
    args: firstThere(
      () => (isEmpty(request.args.json) ? MISSING : request.args),
      () => transcripts.argsOf(id) ?? request.args,
    ),
    result: result?.result ?? MISSING,
    error: errorOf(result),
    spanId: undefined,
    requestedBy: request.by.spanId,
    answered: result !== undefined,
    startedAtMs: request.by.endedAtMs,
    endedAtMs: request.by.endedAtMs,
  };
}

/** A tool without a span failed if the model was told so. */
function errorOf(result: ToolResult | undefined): StepError | undefined {
  if (result === undefined || result.failed === false) return undefined;
  const { text } = result.result;
  const told = couldIndicateFailure(text) ? failureIn(result.result.json) : undefined;
  const message = told ?? (result.failed === true || isPrintedException(text) ? text : undefined);
  return message === undefined ? undefined : { type: 'tool_error', message, source: 'transcript' };
}

/** The span's own, or as a model was shown it. */
function callIdOf(tool: Step, transcripts: Transcripts): string | undefined {
  const { callId, args = MISSING } = tool.tool ?? {};
  return callId ?? transcripts.callIdOf({ name: tool.name, args, startedAtMs: tool.startedAtMs });
}

function ofSpan(family: Family, index: number, transcripts: Transcripts): ToolCall {
  const step = family.at(index);
  let caller = family.parentOf(index);
  while (caller !== NONE && family.at(caller).kind === 'other') caller = family.parentOf(caller);
  return {
    id: callIdOf(step, transcripts),
    name: step.tool?.name ?? step.name,
    args: step.tool?.args ?? MISSING,
    result: step.tool?.result ?? MISSING,
    error: step.error,
    spanId: step.spanId,
    requestedBy: caller !== NONE && family.at(caller).kind === 'llm' ? family.at(caller).spanId : undefined,
    answered: true,
    startedAtMs: step.startedAtMs,
    endedAtMs: step.endedAtMs,
  };
}

/** Calls of the transcript in the agent's own span, if no other span arrived. */
function ofTranscript(root: Step): readonly ToolCall[] {
  if (root.kind === 'llm') return [];
  const results = new Results(sinceUser(root.messagesOut).flatMap((message) => message.parts));
  return requestsOfTranscript(root).map((request) => {
    const result = results.take(request);
    return {
      id: request.id,
      name: request.name,
      args: request.args,
      result: result?.result ?? MISSING,
      error: errorOf(result),
      spanId: undefined,
      requestedBy: undefined,
      answered: result !== undefined,
      startedAtMs: root.startedAtMs,
      endedAtMs: root.endedAtMs,
    };
  });
}

/** Calls that, according to the agent's span, its models asked for. */
function requestsOfTranscript(root: Step): readonly ToolRequest[] {
  if (root.kind === 'llm') return [];
  return sinceUser(root.messagesOut).flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== 'tool_call') return [];
      const { id, name, args } = part;
      return { by: root, beforeMs: Number.POSITIVE_INFINITY, id, name, args, position: 0, siblings: 1 };
    }),
  );
}

/** Some agents give back the whole conversation, in which earlier turns called tools too. */
function sinceUser(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex((message) => message.role === 'user') + 1);
}
