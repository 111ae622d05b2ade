/**
 * How an agent is called, whatever it is: a place where runs of cases happen, one at a time. A command, a module and a URL each have
 * a file that gives such places; whoever drives them need not know which it is.
 */
import type { Json } from '../model/json.ts';

export interface AgentPlace {
  /** Gives the agent a run, all its turns. Never throws; ends soon after the signal. */
  run(given: GivenRun, signal: AbortSignal): Promise<AgentEnd>;
  /** After a run: ends what it left running. A sentence about what that was; undefined where there was nothing. */
  clear(): Promise<string | undefined>;
  /** Ends whatever runs here. May be called twice. */
  stop(): Promise<void>;
}

/** Data of a run that the agent receives; never the ground truth. */
export interface GivenRun {
  readonly case: string;
  readonly repeat: number;
  readonly seed: number;
  readonly conversationId: string;
  /** Never empty. */
  readonly turns: readonly Json[];
  readonly tags: readonly string[];
  /** W3C trace context, one for each turn: the traces that the agent's spans may join. */
  readonly traceparents: readonly string[];
  readonly otlpEndpoint: string;
}

export type AgentEnd =
  | {
      readonly ended: 'answered';
      /** Answers, one for each turn; a command gives one for all of them. Output that is not JSON is a text. */
      readonly answers: readonly Json[];
      readonly spans: SpansThen;
      readonly oddity: string | undefined;
    }
  | {
      readonly ended: 'failed';
      readonly answers: readonly Json[];
      readonly problem: string;
      /**
       * True if the agent was never asked: no such command, a module that cannot be loaded, a URL on which nobody
       * listens.
       */
      readonly isUnreachable: boolean;
      readonly spans: SpansThen;
    }
  | {
      /** The signal ended the run. */
      readonly ended: 'interrupted';
      readonly answers: readonly Json[];
      readonly lastSaid: string;
      readonly spans: SpansThen;
    };

/**
 * State of the run's spans when it ends. `sent`: its exporter has sent what there was. `lost`: the process is gone, and
 * what it had not sent with it. `awaited`: they may come yet.
 */
export type SpansThen = 'sent' | 'lost' | 'awaited';

/** The JSON that an agent gets, for a turn (from 1). */
export function requestJson(given: GivenRun, turn: number): { readonly [key: string]: Json } {
  return {
    case: given.case,
    repeat: given.repeat,
    seed: given.seed,
    conversation_id: given.conversationId,
    input: given.turns[turn - 1] ?? null,
    turns: given.turns,
    turn,
    of: given.turns.length,
    tags: given.tags,
    otlp_endpoint: given.otlpEndpoint,
    traceparent: given.traceparents[turn - 1] ?? null,
  };
}

/** Error in an answer: `{"error": "…"}` or `{"error": {"message": "…"}}`. */
export function errorIn(answer: Json): string | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return undefined;
  const { error } = answer as { readonly [key: string]: Json };
  if (typeof error === 'string' && error !== '') return error;
  if (typeof error !== 'object' || error === null || Array.isArray(error)) return undefined;
  const { message } = error as { readonly [key: string]: Json };
  return typeof message === 'string' ? message : JSON.stringify(error);
}
