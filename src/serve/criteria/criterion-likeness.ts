/**
 * Which criteria say what another one says, by the newest evaluations of the store, looked at now and then: what the gauge of it shows.
 * `assay validate --store` tells the same with more words.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Stoppable } from '../../model/stoppable.ts';

interface LikenessParts {
  /** Works it out, elsewhere (likeness-of.ts). Undefined while there is no store to be read. */
  readonly read: () => Promise<readonly ShownLikeness[]> | undefined;
  readonly onProblem: (problem: string) => void;
}

export interface ShownLikeness {
  readonly suite: string;
  readonly criterion: string;
  readonly other: string;
  /** 1 where they always agree, −1 where they never do. */
  readonly phi: number;
}

const EVERY_MS = 600_000;

export class CriterionLikeness {
  readonly #parts: LikenessParts;
  readonly #loop = new Stoppable((signal) => this.#run(signal));
  #shown: readonly ShownLikeness[] = [];

  constructor(parts: LikenessParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start();
  }

  /** Before the store is closed. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Only the pairs that are alike. */
  all(): readonly ShownLikeness[] {
    return this.#shown;
  }

  /** Never rejects. */
  async refresh(): Promise<void> {
    try {
      const shown = await this.#parts.read();
      if (shown !== undefined) this.#shown = shown;
    } catch (error) {
      // The last known figures stay.
      this.#parts.onProblem(error instanceof Error ? error.message : String(error));
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.refresh();
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
