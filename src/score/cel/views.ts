/**
 * Turns, steps and tool calls as expressions see them. Each field is worked out when it is read, and what is read is
 * remembered as evidence: the tool call whose result made an expression false is the step to look at.
 *
 * A field that gives undefined is absent, which makes the check that reads it not applicable. Whole numbers that count
 * something are bigints, which is what CEL calls an int; numbers from JSON are doubles. The two compare as equals.
 */
import type { SpanId } from '../../model/ids.ts';
import type { AgentIdentity, Content, Step, StepError, Usage } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import type { Subject } from '../subject/subject.ts';
import { inert } from '../subject/values.ts';

/** Called for every tool call or step that an expression reads. */
type Touch = (spanId: SpanId | undefined) => void;

/** Knows of which calls it is known that they failed. */
type KnowsFailures = Pick<Subject, 'hasFailed' | 'toolCalls'>;

/** Thrown where content was not recorded whole. The check is not applicable, with this as the reason. */
export class ContentGap extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ContentGap';
  }
}

export function gapOf(what: string, { state }: Content): ContentGap {
  return new ContentGap(`${what} ${state === 'missing' ? 'was not recorded' : `is ${state}`}.`);
}

export class ErrorView {
  readonly type: string;
  readonly message: string;

  constructor(error: StepError) {
    this.type = error.type;
    this.message = error.message;
  }

  static readonly fields = { type: 'string', message: 'string' };
}

export class AgentView {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly id: string | undefined;

  constructor(agent: AgentIdentity) {
    this.name = agent.name;
    this.version = agent.version;
    this.id = agent.id;
  }

  static readonly fields = { name: 'string', version: 'string', id: 'string' };
}

export class UsageView {
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly total_tokens: bigint;
  readonly reasoning_tokens: bigint;
  readonly cache_read_tokens: bigint;

  constructor({ inputTokens, outputTokens, reasoningTokens, cacheReadTokens }: Usage) {
    this.input_tokens = toInt(inputTokens);
    this.output_tokens = toInt(outputTokens);
    this.total_tokens = toInt(inputTokens + outputTokens);
    this.reasoning_tokens = toInt(reasoningTokens);
    this.cache_read_tokens = toInt(cacheReadTokens);
  }

  static readonly fields = {
    input_tokens: 'int',
    output_tokens: 'int',
    total_tokens: 'int',
    reasoning_tokens: 'int',
    cache_read_tokens: 'int',
  };
}

export class ToolCallView {
  readonly #call: ToolCall;
  readonly #subject: KnowsFailures;
  readonly #touch: Touch;

  constructor(call: ToolCall, subject: KnowsFailures, touch: Touch) {
    this.#call = call;
    this.#subject = subject;
    this.#touch = touch;
  }

  /** The name alone is no evidence: it is read to select calls. */
  get name(): string {
    return this.#call.name;
  }

  get id(): string | undefined {
    return this.#call.id;
  }

  get span_id(): string | undefined {
    return spanOf(this.#call);
  }

  get args(): unknown {
    return contentOf(this.#seen().args, `The arguments of ${this.name}`);
  }

  /** null where the call failed or never ended: then there is none. */
  get result(): unknown {
    const { result, error, answered } = this.#seen();
    if (result.state === 'missing' && (error !== undefined || !answered)) return null;
    return contentOf(result, `The result of ${this.name}`);
  }

  get args_text(): string {
    return textOf(this.#seen().args, `The arguments of ${this.name}`);
  }

  get result_text(): string {
    return textOf(this.#seen().result, `The result of ${this.name}`);
  }

  /** null where there is none, so that `call.error == null` and `has(call.error)` read well. */
  get error(): ErrorView | null {
    const { error } = this.#seen();
    return error === undefined ? null : new ErrorView(error);
  }

  /** Came to an end, and not with an error. */
  get ok(): boolean {
    const call = this.#seen();
    return call.answered && call.error === undefined;
  }

  /** Ended with an error, or says in its result that it failed; false where nothing is known. */
  get failed(): boolean {
    return this.#subject.hasFailed(this.#seen());
  }

  get answered(): boolean {
    return this.#seen().answered;
  }

  get duration_ms(): number {
    return this.#call.endedAtMs - this.#call.startedAtMs;
  }

  /** Makes this the current step. For functions, not for expressions. */
  look(): ToolCall {
    return this.#seen();
  }

  #seen(): ToolCall {
    this.#touch(spanOf(this.#call));
    return this.#call;
  }

  static readonly fields = {
    name: 'string',
    id: 'string',
    span_id: 'string',
    args: 'dyn',
    result: 'dyn',
    args_text: 'string',
    result_text: 'string',
    error: 'dyn',
    ok: 'bool',
    failed: 'bool',
    answered: 'bool',
    duration_ms: 'double',
  };
}

export class StepView {
  readonly #step: Step;
  readonly #touch: Touch;

  constructor(step: Step, touch: Touch) {
    this.#step = step;
    this.#touch = touch;
  }

  get kind(): string {
    return this.#step.kind;
  }

  get name(): string {
    return this.#step.name;
  }

  get span_name(): string {
    return this.#step.spanName;
  }

  get span_id(): string {
    return this.#step.spanId;
  }

  get input(): string {
    return textOf(this.#seen().input, `The input of ${this.name}`);
  }

  get output(): string {
    return textOf(this.#seen().output, `The output of ${this.name}`);
  }

  get error(): ErrorView | null {
    const { error } = this.#seen();
    return error === undefined ? null : new ErrorView(error);
  }

  get ok(): boolean {
    return this.#seen().error === undefined;
  }

  get model(): string | undefined {
    return this.#step.model?.response ?? this.#step.model?.request;
  }

  get finish_reasons(): readonly string[] {
    return this.#seen().model?.finishReasons ?? [];
  }

  get duration_ms(): number {
    return this.#step.endedAtMs - this.#step.startedAtMs;
  }

  #seen(): Step {
    this.#touch(this.#step.spanId);
    return this.#step;
  }

  static readonly fields = {
    kind: 'string',
    name: 'string',
    span_name: 'string',
    span_id: 'string',
    input: 'string',
    output: 'string',
    error: 'dyn',
    ok: 'bool',
    model: 'string',
    finish_reasons: 'list<string>',
    duration_ms: 'double',
  };
}

export class TurnView {
  readonly #turn: Turn;
  readonly #subject: KnowsFailures;
  readonly #touch: Touch;

  constructor(turn: Turn, subject: KnowsFailures, touch: Touch) {
    this.#turn = turn;
    this.#subject = subject;
    this.#touch = touch;
  }

  get id(): string {
    return this.#turn.id;
  }

  get user_input(): string {
    return textOf(this.#turn.userInput, "The user's request");
  }

  /** '' where there was none. */
  get final_answer(): string {
    const { finalAnswer } = this.#turn;
    return finalAnswer.state === 'missing' ? '' : textOf(finalAnswer, 'The final answer');
  }

  get error(): ErrorView | null {
    const { error } = this.#turn;
    return error === undefined ? null : new ErrorView(error);
  }

  get ok(): boolean {
    return this.#turn.error === undefined;
  }

  get ended(): boolean {
    return this.#turn.ended;
  }

  get steps(): readonly StepView[] {
    return this.#turn.steps.map((step) => new StepView(step, this.#touch));
  }

  get tool_calls(): readonly ToolCallView[] {
    // Read of the subject, which notes that calls were looked for; the turn's are among its.
    if (this.#subject.toolCalls.length === 0) return [];
    return this.#turn.toolCalls.map((call) => new ToolCallView(call, this.#subject, this.#touch));
  }

  get llm_calls(): bigint {
    return toInt(this.#turn.llmCalls);
  }

  get finish_reasons(): readonly string[] {
    return this.#turn.finishReasons;
  }

  get flags(): readonly string[] {
    return this.#turn.flags;
  }

  get usage(): UsageView | undefined {
    return this.#turn.usage && new UsageView(this.#turn.usage);
  }

  get cost_usd(): number | undefined {
    return this.#turn.costUsd;
  }

  get duration_ms(): number {
    return this.#turn.endedAtMs - this.#turn.startedAtMs;
  }

  get started_at(): Date {
    return new Date(this.#turn.startedAtMs);
  }

  get ended_at(): Date {
    return new Date(this.#turn.endedAtMs);
  }

  get state(): unknown {
    return this.#turn.state === undefined ? null : inert(this.#turn.state);
  }

  static readonly fields = {
    id: 'string',
    user_input: 'string',
    final_answer: 'string',
    error: 'dyn',
    ok: 'bool',
    ended: 'bool',
    steps: 'list<Step>',
    tool_calls: 'list<ToolCall>',
    llm_calls: 'int',
    finish_reasons: 'list<string>',
    flags: 'list<string>',
    usage: 'Usage',
    cost_usd: 'double',
    duration_ms: 'double',
    started_at: 'google.protobuf.Timestamp',
    ended_at: 'google.protobuf.Timestamp',
    state: 'dyn',
  };
}

function contentOf(content: Content, what: string): unknown {
  if (content.state !== 'whole') throw gapOf(what, content);
  return inert(content.json);
}

function textOf(content: Content, what: string): string {
  if (content.state !== 'whole') throw gapOf(what, content);
  return content.text;
}

function spanOf(call: ToolCall): SpanId | undefined {
  return call.spanId ?? call.requestedBy;
}

/** Counts come from spans: what is no whole number is made one. */
function toInt(count: number): bigint {
  return Number.isFinite(count) ? BigInt(Math.trunc(count)) : 0n;
}
