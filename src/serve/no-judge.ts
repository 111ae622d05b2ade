/**
 * In the place of `Asking` where no judge is configured: who waits for one in the store, from a configuration of before, is told that there is none.
 *
 *   stopped --start--> telling --told all--> nothing left
 *                         ^--- store away: after a pause ---|        --stop--> stopped
 *
 * Only the start looks: with this configuration nothing begins to wait. A crash in the middle leaves the rest to the next start.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AskingParts, endAllWaiting } from '../ask/judge-scheduler.ts';
import { Stoppable } from './stoppable.ts';

export interface NoJudgeParts extends Pick<AskingParts, 'questions' | 'onEvent'> {
  /** Undefined: it is over, or given up. */
  readonly onProblem: (error: unknown) => void;
  readonly retryMs?: number;
}

const RETRY_MS = 1000;

export class NoJudge {
  readonly #parts: NoJudgeParts;
  readonly #telling = new Stoppable((signal) => this.#tell(signal));

  constructor(parts: NoJudgeParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#telling.start();
  }

  async stop(): Promise<void> {
    await this.#telling.stop();
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const { onProblem, retryMs = RETRY_MS } = this.#parts;
    let isTold = false;
    while (!isTold && !signal.aborted) {
      try {
        await endAllWaiting(this.#parts);
        isTold = true;
      } catch (error) {
        onProblem(error);
        await sleep(retryMs, undefined, { signal }).catch(() => {});
      }
    }
    onProblem(undefined);
  }
}
