/**
 * Forgetting in the running service: one after the other, each step done by the thread that has the store. It also does
 * what remains after a crash, and what arrives later of something forgotten: the thread says so once a minute.
 */
import type { Unavailable } from '../../report/http/answer.ts';
import { AwaitedAnswers } from '../threads/awaited-answers.ts';
import { forget, type ForgetRequest, type ForgetResult, type ForgettingPlaces, wipeJournal } from './forget.ts';
import type { ForgetAnswer, ForgetStep, StepTaker } from './steps.ts';

export interface ForgetCommand {
  readonly type: 'forget';
  readonly id: number;
  readonly step: ForgetStep;
}

export type ForgetMessage =
  | { readonly type: 'forget-step'; readonly id: number; readonly answer: ForgetAnswer | { readonly problem: string } }
  /** The journal has bytes of something forgotten. */
  | { readonly type: 'journal-to-wipe' };

/** A search through all that is stored takes its time. */
const STEP_MS = 600_000;

export class Forgetting implements StepTaker {
  readonly #answers = new AwaitedAnswers<ForgetAnswer | { readonly problem: string }>(STEP_MS);
  readonly #thread: { tell(command: ForgetCommand): boolean };
  #places: Omit<ForgettingPlaces, 'store'> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(thread: { tell(command: ForgetCommand): boolean }) {
    this.#thread = thread;
  }

  /** The log is open. */
  open(places: Omit<ForgettingPlaces, 'store'>): void {
    this.#places = places;
  }

  async forget(request: ForgetRequest): Promise<ForgetResult | Unavailable | { readonly problem: string }> {
    const places = this.#places;
    if (places === undefined) return { unavailable: 'this instance is starting', retryAfterSeconds: 1 };
    try {
      return await this.#inTurn(async () =>
        request.dryRun && request.gone?.aborted === true
          ? { unavailable: 'the client went away' }
          : forget(request, { ...places, store: this }),
      );
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return { problem: `not all of it is forgotten, ask again: ${problem}` };
    }
  }

  async take(step: ForgetStep): Promise<ForgetAnswer> {
    const answer = await this.#answers.ask((id) => this.#thread.tell({ type: 'forget', id, step }));
    if ('unavailable' in answer) throw new Error(answer.unavailable);
    if ('problem' in answer) throw new Error(answer.problem);
    return answer;
  }

  receive(message: ForgetMessage): void {
    if (message.type === 'forget-step') {
      this.#answers.answered(message.id, message.answer);
      return;
    }
    const log = this.#places?.log;
    if (log === undefined) return;
    // Not awaited: if it fails, the thread names these rows again in a minute.
    this.#inTurn(() => wipeJournal(this, log)).catch(() => undefined);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const done = before.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** Takes a step on the scoring thread. Never rejects. */
export async function takeStep(steps: StepTaker, { id, step }: ForgetCommand): Promise<ForgetMessage> {
  try {
    return { type: 'forget-step', id, answer: await steps.take(step) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { type: 'forget-step', id, answer: { problem } };
  }
}
