/** Questions of the main thread to the thread that has the store, and their answers; for a person who waits for them. */
const TIMEOUT_MS = 8000;
const NOT_HEARD = 'this instance is starting, or reads nothing: ask again, or another one';
const NOT_KNOWN = 'no answer yet, and it is not known whether it was done: ask again, which does no harm';

export interface Unanswered {
  readonly problem: string;
}

export class AwaitedAnswers<T> {
  readonly #asked = new Map<number, (answer: T) => void>();
  #last = 0;

  /** `post` gives false where nobody hears it. A thread that ends before it has answered leaves it open. */
  async ask(post: (id: number) => boolean): Promise<T | Unanswered> {
    this.#last += 1;
    const id = this.#last;
    const { promise, resolve } = Promise.withResolvers<T | Unanswered>();
    this.#asked.set(id, resolve);
    const timer = setTimeout(() => resolve({ problem: NOT_KNOWN }), TIMEOUT_MS);
    if (!post(id)) resolve({ problem: NOT_HEARD });
    const answer = await promise;
    clearTimeout(timer);
    this.#asked.delete(id);
    return answer;
  }

  answered(id: number, answer: T): void {
    this.#asked.get(id)?.(answer);
  }
}
