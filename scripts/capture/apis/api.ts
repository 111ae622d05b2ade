/** One provider's request and response format: what the model server needs to play a script over it. */
import type { Usage, PlayedCall } from '../script.ts';

export interface Answer {
  readonly id: string;
  readonly text: string;
  readonly calls: readonly PlayedCall[];
  readonly usage: Usage;
  readonly model: string;
}

/** A server-sent event; some providers name them. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: unknown;
}

export interface ModelApi {
  readonly name: string;
  readonly requestedModel: string;
  readonly respondedModel: string;
  readonly reportsReasoning: boolean;
  readonly isAsked: (path: string) => boolean;
  readonly isStreamed: (path: string, request: Request) => boolean;
  readonly whole: (answer: Answer) => unknown;
  readonly stream: (answer: Answer) => readonly StreamEvent[];
  /** After the last event, if the provider sends an end mark. */
  readonly endOfStream?: string;
  /** Streams are lines of JSON, not server-sent events. */
  readonly linesOnly?: true;
  readonly error: (status: number, message: string) => unknown;
}

/** The request's JSON, of which a scripted server reads very little. */
export interface Request {
  readonly stream?: unknown;
  readonly tools?: unknown;
  readonly messages?: unknown;
}

/** Pieces, so that readers of a stream must join them. */
export function pieces(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += 24) found.push(text.slice(at, at + 24));
  return found;
}
