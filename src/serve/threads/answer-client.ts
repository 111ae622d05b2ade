/**
 * Answers to clients whose question a thread answers (`asked-thread.ts`), and what is counted of them. A refusal is 429
 * where the client asks for too much, 503 where nobody could answer.
 */
import type { ReadingEvent, ReadRefusal } from '../../model/events/reading-events.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import type { AskedOutcome } from './asked-thread.ts';

const OF_ALL = { client_gone: 'the client went away', stopping: 'this instance is stopping' } as const;
const TOO_MUCH: readonly ReadRefusal[] = ['queue_full', 'displaced'];

/** Words of one thread. */
export type Refusals = { readonly [Because in Exclude<ReadRefusal, keyof typeof OF_ALL>]: string };

interface Answering {
  /** As it was registered. */
  readonly route: string;
  readonly refusals: Refusals;
  readonly onEvent: (event: ReadingEvent) => void;
}

/** Rejects where the thread failed. */
export async function answerClient(
  asking: Promise<AskedOutcome<Answer>>,
  { route, refusals, onEvent }: Answering,
): Promise<Answer> {
  const began = performance.now();
  const outcome = await asking;
  if (outcome.is === 'refused') {
    const { because } = outcome;
    onEvent({ type: 'read-refused', because });
    const error = { ...OF_ALL, ...refusals }[because];
    const status = TOO_MUCH.includes(because) ? 429 : 503;
    return jsonAnswer(status, { error }, { 'retry-after': String(RETRY_AFTER_SECONDS) });
  }
  const status = outcome.is === 'replied' ? outcome.reply.status : 500;
  onEvent({ type: 'store-read', route, status, tookMs: performance.now() - began });
  if (outcome.is === 'failed') throw new Error(outcome.error);
  if (outcome.is === 'outdated') throw new Error(`a question to ${route} cannot be outdated`);
  return outcome.reply;
}
