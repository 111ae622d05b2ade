/**
 * Port for the parts of the scoring thread that depend on a log and its store; the thread itself (`scoring-thread.ts`)
 * is the same for all.
 */
import type { Engine } from '../../engine/engine.ts';
import type { EngineEvent } from '../../model/events/scoring-events.ts';
import type { ArchiveStore } from '../../store/archive-store.ts';
import type { DetectionStore } from '../../store/detection-store.ts';
import type { EngineStore, Total } from '../../store/engine-store.ts';
import type { FeedbackStore } from '../../store/feedback-store.ts';
import type { LabelStore } from '../../store/label-store.ts';
import type { FailureStore } from '../../store/failure-store.ts';
import type { ReadingStore } from '../../store/reading-store.ts';
import type { QuestionStore } from '../../store/question-store.ts';
import type { ResultStore } from '../../store/result-store.ts';
import type { LogFloor } from '../../store/sqlite/store.ts';
import type { TruthStore } from '../../store/truth-store.ts';
import type { StepTaker } from '../forgetting/steps.ts';
import type { LaneAnswer, FromScorer, OrderedCommand, LaneQuestion } from './scoring-protocol.ts';

export interface ScoringParts {
  /** An engine on that store, for as long as its transactions succeed. */
  readonly makeEngine: (store: EngineStore, onEvent: (event: EngineEvent) => void) => Engine;
  readonly idKeys: readonly string[];
  readonly post: (message: FromScorer) => void;
}

export interface ScoringSide {
  readonly forgetting: StepTaker;
  readonly store: {
    readonly detection: DetectionStore;
    readonly labels: LabelStore;
    readonly readings: ReadingStore;
    readonly failures: FailureStore;
    readonly questions: QuestionStore;
    readonly results: ResultStore;
    readonly archive: ArchiveStore;
    readonly truths: TruthStore;
    readonly feedbackRows: FeedbackStore;
  };
  readonly troubles: Troubles;
  /** How far the store knows the log. */
  readonly floor: LogFloor;
  /** Log time up to which everything due is scored; undefined until it is known. */
  readonly scoredTo: number | undefined;
  /** Work that only one instance does, besides the work of all sides. */
  readonly duties: readonly DutyLoop[];
  totals(): readonly Total[];
  /** Takes the first of these commands out and does them. When it resolves, they are durable and answered. Rejects if nothing was done. */
  take(waiting: OrderedCommand[]): Promise<void>;
  /** Scores what is due without a command. False if there is nothing to do. Rejects if nothing was done. */
  scoreDue(): Promise<boolean>;
  /** Removes what is old. To be called now and then. */
  tidy(): Promise<void>;
  answer(question: LaneQuestion): Promise<LaneAnswer>;
  close(): Promise<void>;
}

/** Work that starts and stops with the duty. */
export interface DutyLoop {
  start(): void;
  stop(): Promise<void>;
}

/** Failures of the store, by the kind of work that they stop. */
export interface Troubles {
  said(work: string, error: unknown): void;
  over(work: string): void;
}
