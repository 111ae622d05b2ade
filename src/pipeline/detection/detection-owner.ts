/**
 * Whoever owns regression detection has one of these: it does a round whenever one is due and says what came of it. A round that fails is tried again
 * when the next one is due; nothing waits for it but what is to be observed.
 */
import { performance } from 'node:perf_hooks';
import type { DetectionSettings } from '../../detect/settings.ts';
import type { DetectionReport } from '../../model/detection.ts';
import type { DetectionEvent } from '../../model/events/detection-events.ts';
import type { DetectionStore } from '../../store/detection-store.ts';
import {
  type DetectionProblem,
  DetectionRounds,
  OBSERVATIONS_PER_ROUND,
  type Settled,
  type Subscriber,
} from './detection-rounds.ts';

export interface DetectionStart {
  readonly settings: DetectionSettings;
  readonly subscribers: readonly Subscriber[];
  readonly everyMs: number;
}

export type DetectionMessage =
  | { readonly type: 'detected'; readonly report: DetectionReport }
  | { readonly type: 'detection-event'; readonly event: DetectionEvent };

export class DetectionOwner {
  readonly #start: DetectionStart;
  readonly #post: (message: DetectionMessage) => void;
  readonly #rounds: DetectionRounds;
  #settled: Settled[] = [];
  #dueAt = 0;
  /** Observations of the round under way. */
  #taken = 0;

  constructor(start: DetectionStart, post: (message: DetectionMessage) => void) {
    this.#start = start;
    this.#post = post;
    this.#rounds = new DetectionRounds({ ...start, onProblem: (problem) => this.#problem(problem) });
  }

  get isDue(): boolean {
    return performance.now() >= this.#dueAt;
  }

  settle(settled: Settled): void {
    this.#settled.push(settled);
  }

  /** For a store that answers at once. */
  roundNow(store: { detect: (...round: Parameters<DetectionStore['detect']>) => void }, logTime: number): void {
    const settled = this.#begin();
    try {
      store.detect(OBSERVATIONS_PER_ROUND, this.#work(logTime, settled));
      this.#committed();
    } catch (error) {
      this.#failed(error, settled);
    }
  }

  async round(store: DetectionStore, logTime: number): Promise<void> {
    const settled = this.#begin();
    try {
      await store.detect(OBSERVATIONS_PER_ROUND, this.#work(logTime, settled));
      this.#committed();
    } catch (error) {
      this.#failed(error, settled);
    }
  }

  #begin(): readonly Settled[] {
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }

  #work(logTime: number, settled: readonly Settled[]): Parameters<DetectionStore['detect']>[1] {
    return (round) => {
      this.#taken = round.observations.length;
      return this.#rounds.work(round, { logTime, settled, now: Date.now() });
    };
  }

  #committed(): void {
    // Where there was more than one round takes, the next one follows at once.
    this.#dueAt = this.#taken < OBSERVATIONS_PER_ROUND ? performance.now() + this.#start.everyMs : 0;
    const report = this.#rounds.committed();
    if (report === undefined) return;
    for (const transition of report.transitions) this.#event({ type: 'detector-changed', transition });
    this.#post({ type: 'detected', report });
  }

  #failed(error: unknown, settled: readonly Settled[]): void {
    this.#rounds.undone();
    this.#settled.unshift(...settled);
    this.#dueAt = performance.now() + this.#start.everyMs;
    this.#event({ type: 'detection-failed', problem: error instanceof Error ? error.message : String(error) });
  }

  #problem({ what, problem }: DetectionProblem): void {
    this.#event(
      what === 'dropped' ? { type: 'detection-dropped', problem } : { type: 'detection-began-anew', problem },
    );
  }

  #event(event: DetectionEvent): void {
    this.#post({ type: 'detection-event', event });
  }
}
