/**
 * In the place of the judge scheduler if no judge is configured: ends the questions that still wait in the store from an earlier configuration.
 *
 *   stopped --start--> telling --told all--> nothing left
 *                         ^--- store away: after a pause ---|        --stop--> stopped
 *
 * Only the start looks: with this configuration nothing begins to wait. A crash in the middle leaves the rest to the next start.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JudgeSchedulerParts, endAllWaiting } from '../../ask/judge-scheduler.ts';
import type { Troubles } from './scoring-side.ts';
import { Stoppable } from '../../model/stoppable.ts';

interface NoJudgeParts extends Pick<JudgeSchedulerParts, 'questions' | 'onEvent'> {
  readonly troubles: Troubles;
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
    const { troubles, retryMs = RETRY_MS } = this.#parts;
    let isTold = false;
    while (!isTold && !signal.aborted) {
      try {
        await endAllWaiting(this.#parts);
        isTold = true;
      } catch (error) {
        troubles.said('ask', error);
        await sleep(retryMs, undefined, { signal }).catch(() => {});
      }
    }
    // A stop ends the problem too: an instance with a problem leaves its lanes to others.
    troubles.over('ask');
  }
}
