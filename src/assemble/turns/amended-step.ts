/**
 * A step that stands for several spans of one operation (a framework's and a provider SDK's, a tool call seen from client
 * and server), or whose parent was merged away. The outer span speaks; the inner ones fill in what it left out, in their
 * order. There may be thousands of them, so that nothing here calls itself.
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
  readonly inner?: readonly Step[];
  readonly parentSpanId?: SpanId | undefined;
}

/** Fields in the words of rules: never an inner span's; not an inner one's where the outer says that all went well. */
const OWN_FIELDS: readonly string[] = ['kind', 'toolName'];
const ERROR_FIELDS: readonly string[] = ['error', 'errorType', 'errorMessage'];
const USAGE_FIELDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'];

export class AmendedStep implements Step {
  readonly #outer: Step;
  readonly #inner: readonly Step[];
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
    this.#inner = amendment.inner ?? [];
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
  get bytes() {
    return this.#all().reduce((sum, { bytes }) => sum + bytes, 0);
  }
  get agent() {
    return {
      name: this.#first(({ agent }) => agent.name),
      id: this.#first(({ agent }) => agent.id),
      version: this.#first(({ agent }) => agent.version),
    };
  }
  get links(): readonly StepLink[] {
    return this.#inner.length === 0 ? this.#outer.links : this.#all().flatMap(({ links }) => links);
  }
  get conversationId() {
    return this.#first(({ conversationId }) => conversationId);
  }
  get userId() {
    return this.#first(({ userId }) => userId);
  }
  get input(): Content {
    return this.#first(({ input }) => present(input)) ?? (this.#inner.at(-1) ?? this.#outer).input;
  }
  get output(): Content {
    return this.#first(({ output }) => present(output)) ?? (this.#inner.at(-1) ?? this.#outer).output;
  }
  get systemInstructions() {
    return this.#first(({ systemInstructions }) => systemInstructions);
  }
  get messagesIn(): readonly Message[] {
    return this.#first(({ messagesIn }) => filled(messagesIn)) ?? [];
  }
  get messagesOut(): readonly Message[] {
    return this.#first(({ messagesOut }) => filled(messagesOut)) ?? [];
  }
  get tool(): StepTool | undefined {
    if (this.#inner.length === 0) return this.#outer.tool;
    const tools = this.#all().flatMap(({ tool }) => tool ?? []);
    const [first, last] = [tools[0], tools.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    return {
      name: first.name,
      callId: firstOf(tools, ({ callId }) => callId),
      args: firstOf(tools, ({ args }) => present(args)) ?? last.args,
      result: firstOf(tools, ({ result }) => present(result)) ?? last.result,
    };
  }
  get model(): StepModel | undefined {
    if (this.#inner.length === 0) return this.#outer.model;
    const models = this.#all().flatMap(({ model }) => model ?? []);
    if (models.length === 0) return undefined;
    return {
      request: firstOf(models, ({ request }) => request),
      response: firstOf(models, ({ response }) => response),
      provider: firstOf(models, ({ provider }) => provider),
      responseId: firstOf(models, ({ responseId }) => responseId),
      previousResponseId: firstOf(models, ({ previousResponseId }) => previousResponseId),
      finishReasons: firstOf(models, ({ finishReasons }) => filled(finishReasons)) ?? [],
    };
  }
  /** The innermost span is nearest to the provider, who counts. */
  get usage(): Usage | undefined {
    return firstOf(this.#innermostFirst(), ({ usage }) => usage);
  }
  get costUsd() {
    return firstOf(this.#innermostFirst(), ({ costUsd }) => costUsd);
  }
  get error(): StepError | undefined {
    return this.#outer.status === 'ok' ? (this.#outer.error ?? this.#toldError()) : this.#first(({ error }) => error);
  }
  get environment() {
    return this.#first(({ environment }) => environment);
  }
  get serviceName() {
    return this.#first(({ serviceName }) => serviceName);
  }
  get attributes() {
    return this.#outer.attributes;
  }
  get marks() {
    return {
      ended: this.#first(({ marks }) => marks.ended || undefined) ?? false,
      state: this.#first(({ marks }) => marks.state),
      truth: this.#first(({ marks }) => marks.truth),
    };
  }
  get toolEffects() {
    if (this.#inner.every(({ toolEffects }) => toolEffects.size === 0)) return this.#outer.toolEffects;
    return new Map(this.#innermostFirst().flatMap(({ toolEffects }) => [...toolEffects]));
  }
  get flags(): readonly StepFlag[] {
    if (this.#inner.length === 0) return this.#outer.flags;
    const flags = new Set(this.#all().flatMap((step) => step.flags));
    // Missing on some of them is not missing.
    if (!this.#all().every((step) => step.flags.includes('content-missing'))) flags.delete('content-missing');
    if (this.output.state !== 'missing' || this.messagesOut.some(({ parts }) => parts.length > 0)) {
      flags.delete('output-missing');
    }
    return [...flags];
  }
  /** For each field, the rule of the span which gave it. */
  get rules(): Step['rules'] {
    if (this.#inner.length === 0) return this.#outer.rules;
    const rules = new Map(this.#outer.rules);
    for (const inner of this.#inner) {
      for (const [field, rule] of inner.rules) if (!rules.has(field) && !this.#isOwn(field)) rules.set(field, rule);
    }
    for (const [field, innermost] of this.#counters()) {
      const rule = innermost?.rules.get(field);
      if (rule === undefined) rules.delete(field);
      else rules.set(field, rule);
    }
    return rules;
  }

  /** A framework that hands on what its tool threw says that all went well: the words of the error are the result. */
  #toldError(): StepError | undefined {
    const { error } = this.#inner.at(-1) ?? {};
    const result = error === undefined ? '' : (this.tool?.result.text.trim() ?? '');
    // A status has the name of what was thrown before its words.
    return result !== '' && `: ${error?.message.trim()}`.endsWith(`: ${result}`) ? error : undefined;
  }

  #isOwn(field: string): boolean {
    return OWN_FIELDS.includes(field) || (this.status === 'ok' && ERROR_FIELDS.includes(field));
  }
  #counters(): readonly (readonly [field: string, counter: Step | undefined])[] {
    const steps = this.#innermostFirst();
    const counter = steps.find(({ usage }) => usage !== undefined);
    return [
      ...USAGE_FIELDS.map((field) => [field, counter] as const),
      ['costUsd', steps.find(({ costUsd }) => costUsd !== undefined)] as const,
    ];
  }

  #all(): readonly Step[] {
    return [this.#outer, ...this.#inner];
  }
  #innermostFirst(): readonly Step[] {
    return this.#all().toReversed();
  }
  #first<T>(of: (step: Step) => T | undefined): T | undefined {
    return of(this.#outer) ?? firstOf(this.#inner, of);
  }
}

function firstOf<S, T>(all: readonly S[], of: (one: S) => T | undefined): T | undefined {
  for (const one of all) {
    const found = of(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function present(content: Content): Content | undefined {
  return content.state === 'missing' ? undefined : content;
}

function filled<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}
