/**
 * Runs regression detection for its owner: a round whenever one is due, with its results. A round that fails is tried
 * again when the next one is due; nothing waits for it but what is to be observed.
 */
import { performance } from 'node:perf_hooks';
import type { DetectionSettings } from '../../statistics/detect/settings.ts';
import type { ChosenLevels, DetectionReport } from '../../model/detection.ts';
import type { DetectionEvent } from '../../model/events/detection-events.ts';
import type { HistoryPart, RunningSuite } from '../../model/history-learning.ts';
import type { DetectionStore } from '../../store/detection-store.ts';
import {
  type AcceptAnswer,
  type AcceptQuestion,
  type DetectionProblem,
  DetectionRounds,
  OBSERVATIONS_PER_ROUND,
  type DeliveredNotice,
  type Subscriber,
} from './detection-rounds.ts';

export interface DetectionStart {
  readonly settings: DetectionSettings;
  readonly subscribers: readonly Subscriber[];
  readonly everyMs: number;
}

/** Part of the past. Where the thread ends before it is observed, it is asked for again. */
export interface HistoryCommand {
  readonly type: 'history';
  readonly part: HistoryPart;
}

export type DetectionMessage =
  | { readonly type: 'detected'; readonly report: DetectionReport }
  | ({ readonly type: 'detection-accepted' } & AcceptAnswer)
  | { readonly type: 'detection-event'; readonly event: DetectionEvent };

/** If the thread ends before it has answered, the caller is told that the result is unknown. */
export interface AcceptCommand {
  readonly type: 'accept';
  readonly id: number;
  readonly chosen: ChosenLevels;
}

interface Input {
  readonly delivered: readonly DeliveredNotice[];
  readonly questions: readonly AcceptQuestion[];
  readonly parts: readonly HistoryPart[];
}

/**
 * A round may write the whole state, half a megabyte of JSON for an agent with many parts. So the more there is, the
 * longer the pause: rounds take at most a twentieth of the time, and a minute's delay is little beside hours.
 */
const PAUSE_PER_ROUND = 20;
const PAUSE_MAX_MS = 60_000;
/** A shorter round says more of the machine than of the state. */
const LONG_ROUND_MS = 250;

export class DetectionOwner {
  readonly #start: DetectionStart;
  readonly #post: (message: DetectionMessage) => void;
  readonly #rounds: DetectionRounds;
  #delivered: DeliveredNotice[] = [];
  #questions: AcceptQuestion[] = [];
  #parts: HistoryPart[] = [];
  #dueAt = 0;
  /** Observations that the store gave to the current round, and its start. */
  #taken = 0;
  #beganAt = 0;

  constructor(start: DetectionStart, post: (message: DetectionMessage) => void, running: readonly RunningSuite[] = []) {
    this.#start = start;
    this.#post = post;
    this.#rounds = new DetectionRounds({ ...start, running, onProblem: (problem) => this.#problem(problem) });
  }

  get isDue(): boolean {
    return performance.now() >= this.#dueAt;
  }

  /** A person waits for a round, whoever owns detection. */
  get isAsked(): boolean {
    return this.#questions.length > 0;
  }

  delivered(delivered: DeliveredNotice): void {
    this.#delivered.push(delivered);
  }

  accept({ id, chosen }: AcceptCommand): void {
    this.#questions.push({ id, chosen });
    this.#dueAt = 0;
  }

  /** Takes a part of the history, which the next round observes at once. */
  history({ part }: HistoryCommand): void {
    this.#parts.push(part);
    this.#dueAt = 0;
  }

  async round(store: DetectionStore, logTime: number): Promise<void> {
    const input = this.#begin();
    try {
      await store.round(OBSERVATIONS_PER_ROUND, this.#work(logTime, input));
      this.#committed();
    } catch (error) {
      this.#failed(error, input);
    }
  }

  #begin(): Input {
    this.#beganAt = performance.now();
    const input = { delivered: this.#delivered, questions: this.#questions, parts: this.#parts };
    this.#delivered = [];
    this.#questions = [];
    this.#parts = [];
    return input;
  }

  #work(logTime: number, input: Input): Parameters<DetectionStore['round']>[1] {
    return (round) => {
      this.#taken = round.observations.length;
      return this.#rounds.work(round, { ...input, logTime, now: Date.now() });
    };
  }

  #committed(): void {
    // If more observations wait than one round takes, the next round follows at once.
    const isCaughtUp = this.#taken < OBSERVATIONS_PER_ROUND && this.#questions.length === 0 && this.#parts.length === 0;
    const tookMs = performance.now() - this.#beganAt;
    const ownMs = tookMs < LONG_ROUND_MS ? 0 : Math.min(PAUSE_MAX_MS, tookMs * PAUSE_PER_ROUND);
    const pauseMs = Math.max(this.#start.everyMs, ownMs);
    this.#dueAt = isCaughtUp ? performance.now() + pauseMs : 0;
    const committed = this.#rounds.committed();
    if (committed === undefined) return;
    const { report, answers, learned, fresh } = committed;
    for (const answer of answers) this.#post({ type: 'detection-accepted', ...answer });
    if (fresh > 0) {
      const transitions = report.transitions.length;
      this.#event({ type: 'detection-observed', evaluations: fresh, transitions, tookMs });
    }
    for (const suite of learned) this.#event({ type: 'detection-learned', ...suite });
    for (const transition of report.transitions) this.#event({ type: 'detector-changed', transition });
    this.#post({ type: 'detected', report });
  }

  #failed(error: unknown, { delivered, questions }: Input): void {
    this.#rounds.undone();
    this.#delivered.unshift(...delivered);
    this.#dueAt = performance.now() + this.#start.everyMs;
    const problem = error instanceof Error ? error.message : String(error);
    for (const { id } of questions) {
      const acceptance = {
        problem: `the round failed, and it is unknown whether the change was accepted; check with assay detect: ${problem}`,
      };
      this.#post({ type: 'detection-accepted', id, acceptance });
    }
    this.#event({ type: 'detection-failed', problem });
  }

  #problem({ what, problem }: DetectionProblem): void {
    this.#event(
      what === 'dropped' ? { type: 'detection-dropped', problem } : { type: 'detection-began-again', problem },
    );
  }

  #event(event: DetectionEvent): void {
    this.#post({ type: 'detection-event', event });
  }
}
