/** Answers to questions that a thread was not asked: 429 where the client asks for too much, 503 where nobody could answer. */
import type { ReadRefusal } from '../model/events/reading-events.ts';
import { RETRY_AFTER_SECONDS } from '../model/retry-after.ts';
import { type Answer, jsonAnswer } from '../report/http/answer.ts';

interface Refused {
  readonly status: 429 | 503;
  readonly error: string;
}

const OF_ALL = {
  client_gone: { status: 503, error: 'the client went away' },
  stopping: { status: 503, error: 'this instance is stopping' },
} as const;

/** Words of one thread. */
export type Refusals = { readonly [Because in Exclude<ReadRefusal, keyof typeof OF_ALL>]: Refused };

export function refusalOf(words: Refusals, because: ReadRefusal): Answer {
  const all: { readonly [Because in ReadRefusal]: Refused } = { ...OF_ALL, ...words };
  const { status, error } = all[because];
  return jsonAnswer(status, { error }, { 'retry-after': String(RETRY_AFTER_SECONDS) });
}
