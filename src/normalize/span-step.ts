/**
 * A step over the bytes of its span. Fields that every reader needs are read when the step is made, in one pass over
 * the attributes. Messages, arguments and results are decoded on first use, from the bytes, which the step keeps alive.
 */
import type { SpanId, TraceId } from '../model/ids.ts';
import { failureIn, couldIndicateFailure } from '../model/tool-failure.ts';
import { STATE_MARK, TRUTH_MARK } from '../model/marks.ts';
import type { AttributeValue } from '../model/attribute-value.ts';
import type { SpanView } from '../otlp/views.ts';
import type {
  AgentIdentity,
  Content,
  ContentState,
  Message,
  Step,
  StepError,
  StepFlag,
  StepKind,
  StepLink,
  StepMarks,
  StepModel,
  StepTool,
  Usage,
} from '../model/step.ts';
import { LazyContent } from './content.ts';
import { exceptionFinder } from './dialects/otel.ts';
import { CAPTURED, type Draft } from './draft.ts';
import { SpanEvidence, type SpanSource } from './evidence.ts';
import { decodeJsonish, isPresent, isRedactionMarker, toJson } from './jsonish.ts';
import { answerIn, lastSaid, NO_MESSAGES, textOf, type MessageList } from './chat-messages.ts';
import { isNotUnderstood } from './not-understood.ts';
import { FINDERS, firstFound, type GuardedFinder, readDetails, readFields, readResource } from './reading.ts';
import { scalarAttributes } from './scalar-attributes.ts';
import { toolHintsIn } from './tool-hints.ts';
import { withoutCallResult } from './tool-results.ts';
import { isAdjusted, usageOf } from './usage.ts';

const NOT_MARKED: StepMarks = { ended: false, state: undefined, truth: undefined };
/** OTLP span flags: it is known whether the parent is remote, and it is. */
const REMOTE_PARENT = 0x300;
const CAPTURED_BY_MODEL = CAPTURED.input | CAPTURED.output;
const CAPTURED_BY_TOOL = CAPTURED.toolArgs | CAPTURED.toolResult;

export class SpanStep implements Step {
  readonly spanId: SpanId;
  readonly parentSpanId: SpanId | undefined;
  readonly parentIsRemote: boolean;
  readonly kind: StepKind;
  readonly scopeName: string;
  readonly status: 'unset' | 'ok' | 'error';
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly usage: Usage | undefined;

  readonly #source: SpanSource;
  readonly #position: number;
  readonly #draft: Draft;
  readonly #droppedAttributes: boolean;
  readonly #negativeDuration: boolean;
  readonly #isLoggedCall: boolean;
  #evidenceKept: SpanEvidence | undefined;
  #hasDetails = false;
  #messagesIn: MessageList | undefined;
  #messagesOut: MessageList | undefined;
  #input: Content | undefined;
  #output: Content | undefined;
  #tool: StepTool | undefined;
  #error: StepError | undefined | null = null;
  #marks: StepMarks | undefined;
  #toolEffects: Step['toolEffects'] | undefined;
  #flags: readonly StepFlag[] | undefined;
  #attributes: ReadonlyMap<string, string | number | boolean> | undefined;

  /** `isLoggedCall`: the span stands for a log record of a model call, whose content may be on the agent's span. */
  constructor(source: SpanSource, position: number, span: SpanView, { isLoggedCall = false } = {}) {
    const draft = readFields(span, undefined, source.idKeys);
    const { spanId, parentSpanId, startedAtMs, endedAtMs } = span;
    this.spanId = spanId;
    this.parentSpanId = parentSpanId === spanId ? undefined : parentSpanId;
    this.parentIsRemote = (span.flags & REMOTE_PARENT) === REMOTE_PARENT;
    this.kind = isLoggedCall ? 'llm' : (draft.kind ?? 'other');
    this.#isLoggedCall = isLoggedCall;
    this.scopeName = span.scope.name;
    this.status = draft.statusIsCopied === true ? 'unset' : span.statusCode;
    this.startedAtMs = startedAtMs;
    this.#negativeDuration = endedAtMs < startedAtMs;
    this.endedAtMs = this.#negativeDuration ? startedAtMs : endedAtMs;
    this.usage = usageOf(draft);
    this.#source = source;
    this.#position = position;
    this.#draft = draft;
    this.#droppedAttributes = span.droppedAttributes > 0;
  }

  get bytes(): number {
    return this.#source.bytesAt(this.#position);
  }

  get traceId(): TraceId {
    return this.#span().traceId;
  }

  get spanName(): string {
    return this.#span().name;
  }

  get name(): string {
    const draft = this.kind === 'tool' ? this.#draft : this.#details();
    switch (this.kind) {
      case 'tool':
        return draft.toolName ?? this.spanName;
      case 'llm':
        return draft.responseModel ?? draft.requestModel ?? this.spanName;
      case 'agent':
        return draft.agentName ?? this.spanName;
      default:
        return this.spanName;
    }
  }

  get agent(): AgentIdentity {
    const { agentName, agentId, agentVersion } = this.#details();
    return { name: agentName, id: agentId, version: agentVersion ?? this.#resourceFields().agentVersion };
  }

  get conversationId(): string | undefined {
    return this.#draft.conversationId;
  }

  get userId(): string | undefined {
    return this.#draft.userId;
  }

  get links(): readonly StepLink[] {
    return this.#span().links.flatMap(({ traceId, spanId }) => (traceId === undefined ? [] : { traceId, spanId }));
  }

  get environment(): string | undefined {
    return this.#details().environment ?? this.#resourceFields().environment;
  }

  get serviceName(): string | undefined {
    return this.#resourceFields().serviceName;
  }

  get costUsd(): number | undefined {
    return this.#draft.costUsd;
  }

  get messagesIn(): readonly Message[] {
    return this.#listIn().messages;
  }

  get messagesOut(): readonly Message[] {
    return this.#listOut().messages;
  }

  get systemInstructions(): string | undefined {
    const found = firstFound(FINDERS.systemInstructions, this.#evidence());
    const text =
      found?.value ??
      this.messagesIn
        .filter(({ role }) => role === 'system')
        .map(textOf)
        .join('\n\n');
    return text.trim() === '' || isRedactionMarker(text) ? undefined : text;
  }

  get input(): Content {
    this.#input ??= this.#readInput();
    return this.#input;
  }

  get output(): Content {
    this.#output ??= this.#readOutput();
    return this.#output;
  }

  get tool(): StepTool | undefined {
    if (this.kind !== 'tool') return undefined;
    this.#tool ??= {
      name: this.name,
      callId: this.#draft.toolCallId,
      args: new LazyContent(() => this.#find(FINDERS.toolArgs)),
      result: new LazyContent(() => withoutCallResult(this.#find(FINDERS.toolResult))),
    };
    return this.#tool;
  }

  get model(): StepModel | undefined {
    const { requestModel, responseModel, provider, responseId, previousResponseId, finishReasons } = this.#details();
    if (this.kind !== 'llm' && (requestModel ?? responseModel) === undefined) return undefined;
    return {
      request: requestModel,
      response: responseModel,
      provider,
      responseId,
      previousResponseId,
      finishReasons: finishReasons ?? this.messagesOut.flatMap((message) => message.finishReason ?? []),
    };
  }

  get error(): StepError | undefined {
    if (this.#error === null) this.#error = this.#readError();
    return this.#error;
  }

  get attributes(): ReadonlyMap<string, string | number | boolean> {
    this.#attributes ??= scalarAttributes(this.#span());
    return this.#attributes;
  }

  get marks(): StepMarks {
    this.#marks ??= this.#readMarks();
    return this.#marks;
  }

  get toolEffects(): Step['toolEffects'] {
    this.#toolEffects ??= toolHintsIn(this.#span().attributes, this.kind === 'tool' ? this.name : undefined);
    return this.#toolEffects;
  }

  get flags(): readonly StepFlag[] {
    this.#flags ??= this.#readFlags();
    return this.#flags;
  }

  /** Reads the span a second time, recording which rule decides each field. */
  get rules(): ReadonlyMap<string, string> {
    const rules = new Map<string, string>();
    readResource(this.#span().resource, rules);
    readDetails(this.#span(), readFields(this.#span(), rules, this.#source.idKeys));
    for (const [field, finders] of Object.entries(FINDERS)) {
      const found = firstFound<unknown>(finders, this.#evidence());
      if (found !== undefined) rules.set(field, found.rule);
    }
    return rules;
  }

  #span(): SpanView {
    return this.#source.view(this.#position);
  }

  #details(): Draft {
    if (!this.#hasDetails) {
      readDetails(this.#span(), this.#draft);
      this.#hasDetails = true;
    }
    return this.#draft;
  }

  #evidence(): SpanEvidence {
    this.#evidenceKept ??= new SpanEvidence({
      source: this.#source,
      position: this.#position,
      spanId: this.spanId,
      status: this.status,
      draft: this.#draft,
    });
    return this.#evidenceKept;
  }

  #find(finders: readonly GuardedFinder<AttributeValue>[]): AttributeValue | undefined {
    return firstFound(finders, this.#evidence())?.value;
  }

  #resourceFields(): Draft {
    return this.#source.resourceAt(this.#position);
  }

  #listIn(): MessageList {
    this.#messagesIn ??= firstFound(FINDERS.messagesIn, this.#evidence())?.value ?? NO_MESSAGES;
    return this.#messagesIn;
  }

  #listOut(): MessageList {
    this.#messagesOut ??= firstFound(FINDERS.messagesOut, this.#evidence())?.value ?? NO_MESSAGES;
    return this.#messagesOut;
  }

  #readInput(): Content {
    if (this.tool !== undefined) return this.tool.args;
    const said = lastSaid(this.#listIn(), 'user');
    if (this.kind === 'llm' || said.state !== 'missing') return said;
    return firstFound(FINDERS.input, this.#evidence())?.value ?? said;
  }

  #readOutput(): Content {
    if (this.tool !== undefined) return this.tool.result;
    const said = this.kind === 'llm' ? lastSaid(this.#listOut(), 'assistant') : answerIn(this.#listOut());
    if (this.kind === 'llm' || said.state !== 'missing') return said;
    return firstFound(FINDERS.output, this.#evidence())?.value ?? said;
  }

  #readError(): StepError | undefined {
    const found = firstFound(FINDERS.error, this.#evidence())?.value;
    if (found !== undefined) return found;
    if (this.kind === 'llm') return this.#finishError();
    return this.kind === 'tool' ? this.#toldFailure() : undefined;
  }

  #toldFailure(): StepError | undefined {
    const result = this.#find(FINDERS.toolResult);
    if (result === undefined || (typeof result === 'string' && !couldIndicateFailure(result))) return undefined;
    const message = failureIn(this.tool?.result.json);
    return message === undefined ? undefined : { type: 'tool_error', message, source: 'result' };
  }

  #finishError(): StepError | undefined {
    return this.#draft.finishReasons?.includes('error')
      ? { type: 'finish_reason', message: 'the model stopped with finish reason error', source: 'finish_reasons' }
      : undefined;
  }

  #readMarks(): StepMarks {
    const { ended, captured } = this.#draft;
    if (ended === undefined && (captured & (CAPTURED.state | CAPTURED.truth)) === 0) return NOT_MARKED;
    const { attributes } = this.#span();
    const mark = (key: string) => {
      const value = attributes.get(key);
      return isPresent(value) ? toJson(decodeJsonish(value).value) : undefined;
    };
    return { ended: ended === true, state: mark(STATE_MARK), truth: mark(TRUTH_MARK) };
  }

  #readFlags(): readonly StepFlag[] {
    const flags: StepFlag[] = [];
    const states = this.#contentStates();
    if (this.#lacksContent()) flags.push('content-missing');
    else if (this.#lacksOutput()) flags.push('output-missing');
    if (states.includes('truncated')) flags.push('truncated-json');
    if (states.includes('redacted')) flags.push('redacted');
    if (isAdjusted(this.#draft)) flags.push('usage-adjusted');
    if (this.status === 'ok' && exceptionFinder.find(this.#evidence()) !== undefined) flags.push('handled-exception');
    if (this.kind === 'tool' && this.error === undefined && looksLikeError(this.tool?.result)) {
      flags.push('suspected-error');
    }
    if (this.#negativeDuration) flags.push('negative-duration');
    if (this.#droppedAttributes) flags.push('attributes-dropped');
    if (this.kind === 'other' && isNotUnderstood(this.#draft, this.#span())) flags.push('not-understood');
    return flags;
  }

  #contentStates(): readonly ContentState[] {
    switch (this.kind) {
      case 'tool':
        return [this.tool?.args.state ?? 'missing', this.tool?.result.state ?? 'missing'];
      case 'llm':
      case 'agent':
      case 'workflow':
        return [this.#listOut().state, this.#inputState()];
      default:
        return [];
    }
  }

  /** Finds the state without decoding a history that ends as a list does. */
  #inputState(): ContentState {
    if (endsAsList(this.#span().attributes.bytesOf('gen_ai.input.messages'))) {
      return 'whole';
    }
    return this.#listIn().state;
  }

  /** Whether there was something to give back, by its tokens or its end, and nothing of it is here. */
  #lacksOutput(): boolean {
    // A place that is empty says that nothing was given back.
    const hasPlace = (this.#draft.captured & CAPTURED.output) !== 0;
    const parts = this.messagesOut.flatMap((message) => message.parts);
    const isUnread = parts.length > 0 && parts.every(({ type }) => type === 'other');
    if (this.status === 'error' || (!isUnread && (hasPlace || this.messagesOut.length > 0))) return false;
    if (this.kind === 'llm') {
      const reasons = this.model?.finishReasons ?? [];
      const hasEnd = (this.usage?.outputTokens ?? 0) > 0 || reasons.includes('stop');
      // Where what it was asked is not here either, content is not captured.
      return hasEnd && !reasons.includes('tool_call') && this.messagesIn.some((message) => textOf(message) !== '');
    }
    const isAgent = this.kind === 'agent' || this.kind === 'workflow';
    return isAgent && this.status === 'ok' && this.output.state === 'missing' && this.input.state !== 'missing';
  }

  /** Whether a model call or a tool call came without any of the content that a criterion would read. */
  #lacksContent(): boolean {
    if (this.kind === 'llm') {
      if (this.#isLoggedCall || (this.#draft.captured & CAPTURED_BY_MODEL) !== 0) return false;
      return this.#listOut().state === 'missing' && this.#listIn().state === 'missing';
    }
    if (this.kind !== 'tool' || (this.#draft.captured & CAPTURED_BY_TOOL) !== 0) return false;
    return this.tool?.args.state === 'missing' && this.tool.result.state === 'missing';
  }
}

const CLOSING_BRACKET = 0x5d;

function endsAsList(encoded: Uint8Array | undefined): boolean {
  return encoded !== undefined && encoded.length > 256 && encoded[encoded.length - 1] === CLOSING_BRACKET;
}

const ERROR_BEGINNING = /^(?:error|exception|traceback)/i;

function looksLikeError(result: Content | undefined): boolean {
  return result !== undefined && result.state === 'whole' && ERROR_BEGINNING.test(result.text.slice(0, 16));
}
