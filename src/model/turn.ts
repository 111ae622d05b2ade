/** One user request and everything the agent did to answer it; usually one trace. */
import type { AgentIdentity, Content, Step, StepError, Usage } from './step.ts';
import type { SpanId, TraceId, TurnId } from './ids.ts';
import type { ReportedCost, SpentTokens } from './cost.ts';
import type { Json } from './json.ts';

/** A tool call as the model asked for it and as it was carried out, paired. */
export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Content;
  /** `missing` where no result is known. */
  readonly result: Content;
  readonly error: StepError | undefined;
  /** The tool's own span, where there is one. */
  readonly spanId: SpanId | undefined;
  /** The llm span that asked for it, where known. */
  readonly requestedBy: SpanId | undefined;
  /** Whether a result, an error or a finished tool span shows that the call came to an end. */
  readonly answered: boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

const TURN_FLAGS = [
  'root-missing',
  'partial-trace',
  'forced',
  'content-missing',
  'truncated-json',
  'redacted',
  'over-limit',
  'negative-duration',
  'attributes-dropped',
] as const;
export type TurnFlag = (typeof TURN_FLAGS)[number];

/** Signs that a turn was not read as it happened. */
export const DOUBTS = [
  /** The question is an object as a program prints it. */
  'question-misread',
  /** An answer is there, and what it answers is not. */
  'question-unseen',
  /** The answer is such a print, or holds the instructions. */
  'answer-misread',
  /** A tool is named after a method, or its arguments are still wrapped. */
  'tool-misread',
  /** A model asked for a tool and went on, and nothing shows what the tool gave. */
  'tools-unseen',
  /** The same tokens stand on two spans beside each other. */
  'counted-twice',
  /** It is one call out of a turn whose other calls are elsewhere. */
  'fragment',
  /** A model gave an answer that is not the turn's, or nothing shows what it gave. */
  'answer-unseen',
  /** It has spans with content of an agent, of which nobody knows what they are. */
  'not-understood',
] as const;
export type Doubt = (typeof DOUBTS)[number];

export interface Turn {
  readonly id: TurnId;
  readonly traceId: TraceId;
  /** The step that stands for the turn: its agent or workflow span, else the top-most span there is. */
  readonly rootSpanId: SpanId;
  readonly conversationId: string | undefined;
  /** The rule that gave the conversation id, or 'synthetic'. */
  readonly conversationIdSource: string;
  readonly userId: string | undefined;
  readonly agent: AgentIdentity;
  readonly environment: string | undefined;
  readonly attributes: ReadonlyMap<string, string | number | boolean>;
  readonly userInput: Content;
  readonly finalAnswer: Content;
  /** Steps by start time, then span id. Duplicates and evaluator traffic are already gone. */
  readonly steps: readonly Step[];
  readonly toolCalls: readonly ToolCall[];
  readonly llmCalls: number;
  /** Finish reasons of the turn's last model call, and of the answer as the agent's own span has it. */
  readonly finishReasons: readonly string[];
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
  /** Tokens by call; worked out when asked for. */
  readonly spent: readonly SpentTokens[];
  /** Parts of `costUsd`, each counted once; worked out when asked for. */
  readonly costs: readonly ReportedCost[];
  /** Set when the turn itself failed, not when a tool failed and the agent recovered. */
  readonly error: StepError | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly ended: boolean;
  readonly state: Json | undefined;
  readonly truth: Json | undefined;
  readonly flags: readonly TurnFlag[];
  readonly doubts: readonly Doubt[];
  /** Some span names a parent that has not come: what is missing may come late, and with it the conversation's id. */
  readonly lacksParents: boolean;
}
