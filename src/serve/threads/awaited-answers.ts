/** Questions of the main thread to the thread that has the store, and their answers; for a person who waits for them. */
import type { Unavailable } from '../../report/http/answer.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';

const TIMEOUT_MS = 8000;
const NOT_HEARD = {
  unavailable: 'the thread that has the store is being started, or is stopping: ask again, or another instance',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};
const NOT_KNOWN = {
  unavailable: 'no answer yet, and it is not known whether it was done: ask again, which does no harm',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

export class AwaitedAnswers<T> {
  readonly #asked = new Map<number, (answer: T) => void>();
  readonly #timeoutMs: number;
  #last = 0;

  constructor(timeoutMs: number = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** `post` returns false if no thread runs. A thread that ends before it has answered leaves the question open. */
  async ask(post: (id: number) => boolean): Promise<T | Unavailable> {
    this.#last += 1;
    const id = this.#last;
    const { promise, resolve } = Promise.withResolvers<T | Unavailable>();
    this.#asked.set(id, resolve);
    const timer = setTimeout(() => resolve(NOT_KNOWN), this.#timeoutMs);
    if (!post(id)) resolve(NOT_HEARD);
    const answer = await promise;
    clearTimeout(timer);
    this.#asked.delete(id);
    return answer;
  }

  answered(id: number, answer: T): void {
    this.#asked.get(id)?.(answer);
  }
}
