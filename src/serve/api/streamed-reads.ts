/**
 * Answers that are read a part at a time (`next` of an answer) and sent as they come: an export of any length takes the
 * memory of one part. Between two parts others have their turn in the queue of the reading thread.
 *
 *   too many at once        429
 *   a part is refused       asked for again after a while; after a minute the connection is broken off
 *   a client takes nothing  broken off after a minute
 *
 * A broken connection is how a client learns that the answer is not whole: the status was sent long before.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';

const STREAMS_MAX = 2;
const TAKEN_WITHIN_MS = 60_000;
const TRIES_MAX = 60;

export class StreamedReads {
  readonly #retryMs: number;
  #active = 0;

  constructor({ retryMs = RETRY_AFTER_SECONDS * 1_000 }: { readonly retryMs?: number } = {}) {
    this.#retryMs = retryMs;
  }

  /** The answer with all that follows it. `part` reads the part with this query. */
  whole(first: Answer, part: (query: string) => Promise<Answer>): Answer {
    const { next, onTaken, ...answer } = first;
    if (next === undefined) return first;
    onTaken?.();
    if (this.#active >= STREAMS_MAX) {
      const error = `${STREAMS_MAX} exports are running already`;
      return jsonAnswer(429, { error }, { 'retry-after': String(RETRY_AFTER_SECONDS) });
    }
    return {
      ...answer,
      body: '',
      stream: (response) => {
        this.#send(response, { body: first.body, next }, part).catch(() => response.destroy());
      },
    };
  }

  async #send(
    response: ServerResponse,
    first: Pick<Answer, 'body' | 'next'>,
    part: (query: string) => Promise<Answer>,
  ): Promise<void> {
    // Others may have begun since the answer.
    if (this.#active >= STREAMS_MAX) {
      response.destroy();
      return;
    }
    this.#active += 1;
    try {
      let answer: Pick<Answer, 'body' | 'next' | 'onTaken'> = first;
      for (;;) {
        await written(response, answer.body);
        answer.onTaken?.();
        if (response.destroyed) return;
        if (answer.next === undefined) break;
        answer = await this.#partOf(response, answer.next, part);
      }
      response.end();
    } finally {
      this.#active -= 1;
    }
  }

  async #partOf(response: ServerResponse, query: string, part: (query: string) => Promise<Answer>): Promise<Answer> {
    for (let tried = 0; tried < TRIES_MAX && !response.destroyed; tried += 1) {
      const answer = await part(query);
      if (answer.status === 200) return answer;
      answer.onTaken?.();
      await pause(this.#retryMs);
    }
    throw new Error('a part of the answer could not be read');
  }
}

/** Resolves once the client has taken most of it, or has gone. */
async function written(response: ServerResponse, body: string | Uint8Array): Promise<void> {
  if (body.length === 0 || response.destroyed || response.write(body)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => response.destroy(), TAKEN_WITHIN_MS);
  response.once('drain', resolve);
  response.once('close', resolve);
  await promise;
  clearTimeout(timer);
  response.off('drain', resolve);
  response.off('close', resolve);
}
