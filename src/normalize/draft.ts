/**
 * The fields of a step while it is being understood. Extractors write what is still absent; the first to speak wins, and
 * when somebody asks, it is noted which rule that was.
 */
import type { StepKind } from '../model/step.ts';

export interface Fields {
  kind: StepKind | undefined;
  agentName: string | undefined;
  agentId: string | undefined;
  agentVersion: string | undefined;
  conversationId: string | undefined;
  userId: string | undefined;
  toolName: string | undefined;
  toolCallId: string | undefined;
  requestModel: string | undefined;
  responseModel: string | undefined;
  provider: string | undefined;
  responseId: string | undefined;
  finishReasons: readonly string[] | undefined;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  cacheReadTokens: number | undefined;
  cacheWriteTokens: number | undefined;
  reasoningTokens: number | undefined;
  costUsd: number | undefined;
  errorType: string | undefined;
  errorMessage: string | undefined;
  ended: boolean | undefined;
  environment: string | undefined;
  serviceName: string | undefined;
}

export type Field = keyof Fields;

/** A class for its stable shape: one is made for every span. */
export class Draft implements Fields {
  kind: StepKind | undefined = undefined;
  agentName: string | undefined = undefined;
  agentId: string | undefined = undefined;
  agentVersion: string | undefined = undefined;
  conversationId: string | undefined = undefined;
  userId: string | undefined = undefined;
  toolName: string | undefined = undefined;
  toolCallId: string | undefined = undefined;
  requestModel: string | undefined = undefined;
  responseModel: string | undefined = undefined;
  provider: string | undefined = undefined;
  responseId: string | undefined = undefined;
  finishReasons: readonly string[] | undefined = undefined;
  inputTokens: number | undefined = undefined;
  outputTokens: number | undefined = undefined;
  cacheReadTokens: number | undefined = undefined;
  cacheWriteTokens: number | undefined = undefined;
  reasoningTokens: number | undefined = undefined;
  costUsd: number | undefined = undefined;
  errorType: string | undefined = undefined;
  errorMessage: string | undefined = undefined;
  ended: boolean | undefined = undefined;
  environment: string | undefined = undefined;
  serviceName: string | undefined = undefined;
  /** Which captured content the span's keys promise, as bits of {@link CAPTURED}. */
  captured = 0;
  /** Filled only in a draft that is made to explain. */
  readonly rules: Map<string, string> | undefined;

  constructor(rules: Map<string, string> | undefined) {
    this.rules = rules;
  }

  /** Writes the field if it is absent. */
  settle<F extends Field>(field: F, value: Fields[F], rule: string): void {
    if (value === undefined || this[field] !== undefined) return;
    // The class has every field of Fields at the same type; TypeScript does not correlate them under a generic key.
    (this as Fields)[field] = value;
    this.rules?.set(field, rule);
  }
}

export const CAPTURED = {
  input: 1,
  output: 2,
  toolArgs: 4,
  toolResult: 8,
  state: 16,
  truth: 32,
} as const;
export type Captured = keyof typeof CAPTURED;
