/**
 * A step is a span understood: what kind of work it was, what went in, what came out, what went wrong. Which dialect the
 * span was written in no longer matters, except to explain: `rules` says which rule decided each field.
 */
import type { SpanId, TraceId } from './ids.ts';
import type { Json } from './json.ts';

export const STEP_KINDS = [
  'workflow',
  'agent',
  'llm',
  'tool',
  'retrieval',
  'rerank',
  'embedding',
  'memory',
  'guardrail',
  'evaluator',
  'plan',
  'step',
  'other',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** Why a piece of content is not simply there. Checks that need it answer `not_applicable` with this as the reason. */
export type ContentState = 'whole' | 'truncated' | 'redacted' | 'missing';

export interface Content {
  readonly state: ContentState;
  /** Content for people: the text itself, or the JSON as text. '' when missing. */
  readonly text: string;
  /** Content for programs: the parsed value if the text is JSON, else the text itself. */
  readonly json: Json;
}

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string | undefined; readonly name: string; readonly args: Content }
  | {
      readonly type: 'tool_result';
      readonly id: string | undefined;
      readonly result: Content;
      /** Whether the call failed; absent where nobody says. */
      readonly failed?: boolean;
    }
  | {
      readonly type: 'media';
      readonly modality: string;
      readonly mime: string | undefined;
      /** Its address; absent where the message holds the bytes. Nobody opens it. */
      readonly uri?: string;
    }
  | { readonly type: 'other'; readonly raw: Json };

export interface Message {
  /** 'system', 'user', 'assistant', 'tool', or what the emitter wrote. */
  readonly role: string;
  readonly name: string | undefined;
  readonly parts: readonly Part[];
  readonly finishReason: string | undefined;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Subsets of the input and output counts, never additions to them. */
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

export interface StepError {
  readonly type: string;
  readonly message: string;
  /** The rule that found it: 'status', 'error.type', 'exception', ... */
  readonly source: string;
}

export interface AgentIdentity {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly version: string | undefined;
}

const STEP_FLAGS = [
  'content-missing',
  'truncated-json',
  'redacted',
  'duplicate',
  'usage-adjusted',
  'handled-exception',
  'suspected-error',
  'negative-duration',
  'synthesised',
  'attributes-dropped',
  'not-understood',
  'output-missing',
] as const;
export type StepFlag = (typeof STEP_FLAGS)[number];

/** A span that another refers to without being its child. */
export interface StepLink {
  readonly traceId: TraceId;
  readonly spanId: SpanId | undefined;
}

export interface Step {
  readonly traceId: TraceId;
  readonly spanId: SpanId;
  readonly parentSpanId: SpanId | undefined;
  /** The parent lives in another process, which may never report to us. */
  readonly parentIsRemote: boolean;
  readonly links: readonly StepLink[];
  readonly kind: StepKind;
  /** Tool name, model, agent name or span name, by kind. */
  readonly name: string;
  readonly spanName: string;
  readonly agent: AgentIdentity;
  readonly conversationId: string | undefined;
  readonly userId: string | undefined;
  /** Input and output of an agent, workflow or plain step. For an llm step these are derived from its messages. */
  readonly input: Content;
  readonly output: Content;
  /** All system messages; undefined where none was recorded, or they were redacted whole. */
  readonly systemInstructions: string | undefined;
  /** Decoded when first read: the input repeats the whole history and few criteria look at it. */
  readonly messagesIn: readonly Message[];
  readonly messagesOut: readonly Message[];
  readonly tool: StepTool | undefined;
  readonly model: StepModel | undefined;
  /** Usage that this span reports; `assemble` decides which of nested spans counts. */
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
  readonly status: 'unset' | 'ok' | 'error';
  readonly error: StepError | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly environment: string | undefined;
  readonly serviceName: string | undefined;
  /** Resource and span attributes with scalar values, for `match`. Decoded when first read. */
  readonly attributes: ReadonlyMap<string, string | number | boolean>;
  /** Values of Assay's own attributes (`assay.conversation.end`, `assay.conversation.state`, `assay.truth`). */
  readonly marks: StepMarks;
  /**
   * Effects of tools as the span gives them, by name: of its own tool and of those that it defines. Decoded when first
   * read.
   */
  readonly toolEffects: ReadonlyMap<string, 'reads' | 'writes'>;
  readonly scopeName: string;
  /** Length of its span, and of those that it stands for, in protobuf. */
  readonly bytes: number;
  readonly flags: readonly StepFlag[];
  /** field -> the rule that decided it, such as `kind` -> `gen_ai.operation.name`. */
  readonly rules: ReadonlyMap<string, string>;
}

export interface StepTool {
  readonly name: string;
  readonly callId: string | undefined;
  readonly args: Content;
  readonly result: Content;
}

export interface StepModel {
  readonly request: string | undefined;
  readonly response: string | undefined;
  readonly provider: string | undefined;
  readonly responseId: string | undefined;
  /** The response that this call goes on from; the provider keeps the history. */
  readonly previousResponseId: string | undefined;
  readonly finishReasons: readonly string[];
}

export interface StepMarks {
  readonly ended: boolean;
  readonly state: Json | undefined;
  readonly truth: Json | undefined;
}
