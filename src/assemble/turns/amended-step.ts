/**
 * A step that stands for two spans of one operation (a framework's and a provider SDK's, a tool call seen from client and
 * server), or whose parent was merged away. The outer span speaks; the inner one fills in what it left out.
 */
import type { SpanId } from '../../model/ids.ts';
import type {
  Content,
  Message,
  Step,
  StepError,
  StepFlag,
  StepLink,
  StepModel,
  StepTool,
  Usage,
} from '../../model/step.ts';

interface Amendment {
  readonly inner?: Step;
  readonly parentSpanId?: SpanId | undefined;
}

export class AmendedStep implements Step {
  readonly #outer: Step;
  readonly #inner: Step;
  readonly traceId;
  readonly spanId;
  readonly parentSpanId: SpanId | undefined;
  readonly parentIsRemote: boolean;
  readonly kind;
  readonly spanName;
  readonly scopeName;
  readonly status;
  readonly startedAtMs;
  readonly endedAtMs;

  constructor(outer: Step, amendment: Amendment) {
    this.#outer = outer;
    this.#inner = amendment.inner ?? outer;
    this.traceId = outer.traceId;
    this.spanId = outer.spanId;
    this.parentSpanId = 'parentSpanId' in amendment ? amendment.parentSpanId : outer.parentSpanId;
    this.parentIsRemote = outer.parentIsRemote;
    this.kind = outer.kind;
    this.spanName = outer.spanName;
    this.scopeName = outer.scopeName;
    this.status = outer.status;
    this.startedAtMs = outer.startedAtMs;
    this.endedAtMs = outer.endedAtMs;
  }

  get name() {
    return this.#outer.name;
  }
  get agent() {
    const [outer, inner] = [this.#outer.agent, this.#inner.agent];
    return { name: outer.name ?? inner.name, id: outer.id ?? inner.id, version: outer.version ?? inner.version };
  }
  get links(): readonly StepLink[] {
    return this.#inner === this.#outer ? this.#outer.links : [...this.#outer.links, ...this.#inner.links];
  }
  get conversationId() {
    return this.#outer.conversationId ?? this.#inner.conversationId;
  }
  get userId() {
    return this.#outer.userId ?? this.#inner.userId;
  }
  get input(): Content {
    return fuller(this.#outer.input, () => this.#inner.input);
  }
  get output(): Content {
    return fuller(this.#outer.output, () => this.#inner.output);
  }
  get systemInstructions() {
    return this.#outer.systemInstructions ?? this.#inner.systemInstructions;
  }
  get messagesIn(): readonly Message[] {
    const messages = this.#outer.messagesIn;
    return messages.length > 0 ? messages : this.#inner.messagesIn;
  }
  get messagesOut(): readonly Message[] {
    const messages = this.#outer.messagesOut;
    return messages.length > 0 ? messages : this.#inner.messagesOut;
  }
  get tool(): StepTool | undefined {
    const [outer, inner] = [this.#outer.tool, this.#inner.tool];
    if (outer === undefined || inner === undefined) return outer ?? inner;
    return {
      name: outer.name,
      callId: outer.callId ?? inner.callId,
      args: fuller(outer.args, () => inner.args),
      result: fuller(outer.result, () => inner.result),
    };
  }
  get model(): StepModel | undefined {
    const [outer, inner] = [this.#outer.model, this.#inner.model];
    if (outer === undefined || inner === undefined) return outer ?? inner;
    return {
      request: outer.request ?? inner.request,
      response: outer.response ?? inner.response,
      provider: outer.provider ?? inner.provider,
      responseId: outer.responseId ?? inner.responseId,
      previousResponseId: outer.previousResponseId ?? inner.previousResponseId,
      finishReasons: outer.finishReasons.length > 0 ? outer.finishReasons : inner.finishReasons,
    };
  }
  /** The inner span is nearer to the provider, who counts. */
  get usage(): Usage | undefined {
    return this.#inner.usage ?? this.#outer.usage;
  }
  get costUsd() {
    return this.#inner.costUsd ?? this.#outer.costUsd;
  }
  get error(): StepError | undefined {
    return this.#outer.error ?? (this.#outer.status === 'ok' ? undefined : this.#inner.error);
  }
  get environment() {
    return this.#outer.environment ?? this.#inner.environment;
  }
  get serviceName() {
    return this.#outer.serviceName ?? this.#inner.serviceName;
  }
  get attributes() {
    return this.#outer.attributes;
  }
  get marks() {
    const [outer, inner] = [this.#outer.marks, this.#inner.marks];
    return {
      ended: outer.ended || inner.ended,
      state: outer.state ?? inner.state,
      truth: outer.truth ?? inner.truth,
    };
  }
  get toolEffects() {
    const [outer, inner] = [this.#outer.toolEffects, this.#inner.toolEffects];
    return inner.size === 0 || inner === outer ? outer : new Map([...inner, ...outer]);
  }
  get flags(): readonly StepFlag[] {
    if (this.#inner === this.#outer) return this.#outer.flags;
    const both = new Set([...this.#outer.flags, ...this.#inner.flags]);
    // Missing on one of the two is not missing.
    if (!(this.#outer.flags.includes('content-missing') && this.#inner.flags.includes('content-missing'))) {
      both.delete('content-missing');
    }
    return [...both];
  }
  get rules() {
    return this.#outer.rules;
  }
}

function fuller(outer: Content, inner: () => Content): Content {
  return outer.state === 'missing' ? inner() : outer;
}
