/**
 * Port of a provider's client: one call, whose result or error is a value. Clients hold no state but what an endpoint
 * has refused.
 */
import type { Json } from '../model/json.ts';
import type { CallTrouble } from './model-error.ts';

export interface ModelCall {
  readonly model: string;
  /** Instructions to the model. */
  readonly instructions: string;
  /** Material for the model. */
  readonly material: string;
  /** Schema of its answer. */
  readonly schema: Json;
  readonly maxOutputTokens: number;
  /** Undefined: the provider's own; some models take no other. */
  readonly temperature: number | undefined;
}

/** Tokens as the provider counts them, reasoning and cached input included. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type ModelReply =
  | { readonly is: 'said'; readonly text: string; readonly model: string; readonly usage: Usage | undefined }
  /** The model would not answer. */
  | { readonly is: 'refused'; readonly reason: string; readonly usage: Usage | undefined }
  /** The answer is longer than it may be. */
  | { readonly is: 'cut'; readonly usage: Usage | undefined }
  | { readonly is: 'failed'; readonly trouble: CallTrouble };

export interface ModelClient {
  /** Never throws. Where the signal ends it, the reply is a failure that may have cost something. */
  ask(call: ModelCall, signal: AbortSignal): Promise<ModelReply>;
}

export interface Endpoint {
  /** Undefined: the provider's own. */
  readonly baseUrl: string | undefined;
  /** Undefined: none is sent. */
  readonly apiKey: string | undefined;
}
