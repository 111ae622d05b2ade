/**
 * Applies one suite to one conversation or turn, and puts what it says into the store: as an evaluation, which is counted, or as one that waits
 * for verdicts.
 *
 *   scored ──all verdicts are in──▶ recorded, counted
 *      └──some wait──▶ waiting: what is decided is counted; its requests are in the store from the same commit on
 *                         └──looked at again (`revisiting.ts`)──▶ recorded, or waiting for what is new
 *
 * One that has no score while a criterion is suspended is re-evaluated when the pause is over.
 *
 * There is at most one that waits for each suite and turn. A later revision takes its place, with what has been counted of it.
 */
import type { Conversation } from '../model/conversation.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { TurnId } from '../model/ids.ts';
import { keyOfSuite } from '../model/suite-key.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type { EngineStore, EvaluationKey } from '../store/engine-store.ts';
import type { EvaluationRecorder } from './evaluation-recorder.ts';
import type { RunEvaluation, SuiteRunner } from './suite-runner.ts';

interface ScoringPlace {
  /** Row of the conversation. */
  readonly conversation: number;
  /** The row of the turn's trace; 0 for the conversation as a whole. */
  readonly trace: number;
  readonly revision: number;
  readonly logTime: number;
}

export class SuiteScoring {
  readonly #store: EngineStore;
  readonly #runner: SuiteRunner;
  readonly #recorder: EvaluationRecorder;
  readonly #onReused: (judge: string) => void;
  readonly #timed: <T>(stage: string, work: () => T) => T;

  constructor(parts: {
    readonly store: EngineStore;
    readonly runner: SuiteRunner;
    readonly recorder: EvaluationRecorder;
    /** An answer of this judge was there before anybody waited for it. */
    readonly onReused: (judge: string) => void;
    readonly timed: <T>(stage: string, work: () => T) => T;
  }) {
    this.#store = parts.store;
    this.#runner = parts.runner;
    this.#recorder = parts.recorder;
    this.#onReused = parts.onReused;
    this.#timed = parts.timed;
  }

  /** The conversation, or the turn that it consists of here. */
  score(suite: CompiledSuite, subject: Conversation, turnId: TurnId | undefined, place: ScoringPlace): void {
    const evaluated = this.#evaluate(suite, subject, turnId, place);
    if (evaluated === undefined) return;
    const key = keyOf(suite, turnId, place);
    const before = place.revision === 1 ? undefined : this.#store.evaluations.previous(key);
    // The conversation was re-evaluated meanwhile, so its revision is higher than the spans alone explain.
    const isOvertaken = before !== undefined && before.revision >= place.revision;
    if (!isOvertaken) this.#keep(evaluated, suite, subject, place);
    else if (!this.#isAsBefore(evaluated.evaluation, key)) {
      const revision = before.revision + 1;
      const evaluation = { ...evaluated.evaluation, revision };
      this.#keep({ ...evaluated, evaluation }, suite, subject, { ...place, revision });
    }
  }

  /**
   * Something is known now that was not before: completes what waits, and makes a new revision where the evaluation is
   * not what it was. A conversation that was never evaluated waits for its due time.
   */
  scoreAgain(
    suite: CompiledSuite,
    subject: Conversation,
    turnId: TurnId | undefined,
    { isFirst, ...place }: Omit<ScoringPlace, 'revision'> & { readonly isFirst: boolean },
  ): void {
    const key = keyOf(suite, turnId, place);
    const waiting = this.#store.waiting.find(key);
    const before = this.#store.evaluations.previous(key);
    const revision = waiting?.evaluation.revision ?? nextRevision(before, isFirst);
    if (revision === undefined) return;
    const evaluated = this.#evaluate(suite, subject, turnId, { ...place, revision });
    if (evaluated === undefined) this.#store.waiting.drop(key);
    else if (waiting !== undefined || !this.#isAsBefore(evaluated.evaluation, key))
      this.#keep(evaluated, suite, subject, { ...place, revision });
  }

  #evaluate(
    suite: CompiledSuite,
    conversation: Conversation,
    turnId: TurnId | undefined,
    place: ScoringPlace,
  ): RunEvaluation | undefined {
    const key = keyOf(suite, turnId, place);
    const hasWaited = this.#store.waiting.find(key) !== undefined;
    const { revision, logTime } = place;
    const evaluated = this.#runner.evaluate(suite, { conversation, turnId, revision, logTime }, (request) => {
      const outcome = this.#store.waiting.outcomeOf(request.key, key);
      if (outcome?.is === 'answered' && !hasWaited) this.#onReused(request.judge);
      return outcome ?? 'waiting';
    });
    // A score that there is all the same stands without the criterion.
    if (evaluated?.suspendedUntil !== undefined && evaluated.evaluation.score === undefined)
      this.#store.revisits.ask(place.conversation, evaluated.suspendedUntil);
    return evaluated;
  }

  #keep(
    { evaluation, requests }: RunEvaluation,
    suite: CompiledSuite,
    subject: Conversation,
    { conversation, trace, revision, logTime }: ScoringPlace,
  ): void {
    const place = { conversation, trace, subject, requests, isFirst: revision === 1, logTime };
    this.#timed('recording', () => this.#recorder.record(evaluation, suite, place));
  }

  #isAsBefore(evaluation: Evaluation, key: EvaluationKey): boolean {
    const before = this.#store.evaluations.previous(key)?.said().verdicts;
    if (before === undefined || before.size !== evaluation.verdicts.size) return false;
    return evaluation.verdicts.entries().every(([criterion, { verdict, reason }]) => {
      const was = before.get(criterion);
      return was?.verdict === verdict && was.reason === reason;
    });
  }
}

function keyOf(
  suite: CompiledSuite,
  turnId: TurnId | undefined,
  { conversation }: Pick<ScoringPlace, 'conversation'>,
): EvaluationKey {
  return { conversation, suite: keyOfSuite(suite), turnId };
}

/** Undefined where the suite has said nothing so far, and is not to begin. */
function nextRevision(before: { readonly revision: number } | undefined, isFirst: boolean): number | undefined {
  if (before !== undefined) return before.revision + 1;
  return isFirst ? 1 : undefined;
}
