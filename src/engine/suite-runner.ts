/**
 * Asks suites: whether one is for a conversation, and what it says of it. A suite that throws or never returns is left out and
 * said; it keeps no other from answering.
 */
import { prepareReading } from '../score/language/read-answer.ts';
import { isBroken } from '../model/decision.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { EngineEvent } from '../model/events/scoring-events.ts';
import type { TurnId } from '../model/ids.ts';
import { keyOfSuite } from '../model/suite-key.ts';
import type { JudgeOutcome, JudgeRequest } from '../model/judging.ts';
import { evaluate } from '../score/evaluate.ts';
import type { Judges } from '../score/judge/judges.ts';
import type { CompiledSuite } from '../score/suite.ts';
import { type CheckWatch, MATCHING, WHOLE_SUITE } from './check-watch.ts';

interface SuiteRunnerParts {
  readonly watch: CheckWatch;
  readonly onEvent: (event: EngineEvent) => void;
  /** Settings under the name of a judge. */
  readonly judge: Judges['settings'];
  readonly timed: <T>(stage: string, work: () => T) => T;
}

export interface RunEvaluation {
  readonly evaluation: Evaluation;
  /** Questions to judges that are still open; empty if all verdicts are in. */
  readonly requests: readonly JudgeRequest[];
}

export class SuiteRunner {
  readonly #parts: SuiteRunnerParts;

  constructor(parts: SuiteRunnerParts) {
    this.#parts = parts;
  }

  /** Whether the suite is for this conversation. A suite that can't even say that, or never does, is left out. */
  applies(
    suite: CompiledSuite,
    conversation: Conversation,
    subject: string,
    matches: CompiledSuite['matchesTurn'],
  ): boolean {
    const { watch } = this.#parts;
    const target = { suite: keyOfSuite(suite), subject };
    if (watch.stoppedFor(target).has(WHOLE_SUITE)) return false;
    watch.started(target, MATCHING);
    try {
      return matches?.(conversation) === true;
    } catch (error) {
      this.#parts.onEvent({ type: 'check-failed', suite: target.suite, criterion: WHOLE_SUITE, reason: String(error) });
      return false;
    } finally {
      watch.finished();
    }
  }

  /** Undefined where the suite as a whole could not answer. */
  evaluate(
    suite: CompiledSuite,
    subject: { readonly conversation: Conversation; readonly turnId: TurnId | undefined; readonly revision: number },
    outcomeOf: (request: JudgeRequest) => JudgeOutcome | 'waiting',
  ): RunEvaluation | undefined {
    const { watch } = this.#parts;
    const target = { suite: keyOfSuite(suite), subject: subject.turnId ?? subject.conversation.id };
    const { turns } = subject.conversation;
    const read = turns.find(({ id }) => id === subject.turnId) ?? turns.at(-1);
    if (read !== undefined) prepareReading(read);
    try {
      const { waiting: requests, ...evaluation } = this.#parts.timed(`scoring by ${suite.name}`, () =>
        evaluate(suite, subject, {
          onCriterion: (index) => watch.started(target, index),
          stopped: watch.stoppedFor(target),
          judges: { settings: this.#parts.judge, outcomeOf },
        }),
      );
      for (const [criterion, verdict] of evaluation.verdicts) {
        if (isBroken(verdict.verdict)) {
          this.#parts.onEvent({ type: 'check-failed', suite: target.suite, criterion, reason: verdict.reason });
        }
      }
      if (requests.length === 0) return { evaluation, requests };
      const waitsFor = requests.flatMap(({ criteria }) => criteria.map(({ name }) => name));
      return { evaluation: { ...evaluation, waitsFor }, requests };
    } catch (error) {
      this.#parts.onEvent({ type: 'check-failed', suite: target.suite, criterion: WHOLE_SUITE, reason: String(error) });
      return undefined;
    } finally {
      watch.finished();
    }
  }
}
