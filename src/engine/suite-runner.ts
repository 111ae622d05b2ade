/**
 * Asks suites: whether one is for a conversation, and what it says of it. A suite that throws or never returns is left out and
 * said; it keeps no other from answering.
 */
import { prepareReadingOf } from '../score/subject/answer-reading.ts';
import { isBroken } from '../model/decision.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { EngineEvent } from '../model/events/scoring-events.ts';
import type { TurnId } from '../model/ids.ts';
import { keyOfSuite } from '../model/suite-key.ts';
import type { JudgeOutcome, JudgeRequest } from '../model/judging.ts';
import { evaluate } from '../score/suite/evaluate.ts';
import type { Judges, ShownEvidence } from '../score/suite/judges.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { weightOf } from './conversation-weight.ts';
import { type CheckTarget, type CheckWatch, MATCHING, WHOLE_SUITE } from './check-watch.ts';

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
  /** Log time at which criteria that are suspended now may be asked again; undefined where none is. */
  readonly suspendedUntil: number | undefined;
}

/** The turn or conversation that a suite is asked about, and when, by the log. */
interface AskedOf {
  readonly subject: string;
  readonly logTime: number;
}

export class SuiteRunner {
  readonly #parts: SuiteRunnerParts;
  /** Each suite asks about the same conversation, some more than once. */
  readonly #weights = new WeakMap<Conversation, number>();

  constructor(parts: SuiteRunnerParts) {
    this.#parts = parts;
  }

  /** Whether the suite is for this conversation. A suite that can't even say that, or never does, is left out. */
  applies(
    suite: CompiledSuite,
    conversation: Conversation,
    asked: AskedOf,
    matches: CompiledSuite['matchesTurn'],
  ): boolean {
    const { watch } = this.#parts;
    const target = this.#targetOf(suite, conversation, asked);
    if (watch.stoppedFor(target).has(WHOLE_SUITE)) return false;
    // A match may read the answer, and what it is read by is compiled before the time is taken.
    const last = suite.scope === 'turn' ? conversation.turns.at(-1) : undefined;
    if (last !== undefined) prepareReadingOf(last);
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
    subject: {
      readonly conversation: Conversation;
      readonly turnId: TurnId | undefined;
      readonly revision: number;
      readonly logTime: number;
    },
    outcomeOf: (request: JudgeRequest) => JudgeOutcome | 'waiting',
  ): RunEvaluation | undefined {
    const { watch } = this.#parts;
    const { conversation, turnId, logTime } = subject;
    const target = this.#targetOf(suite, conversation, { subject: turnId ?? conversation.id, logTime });
    const stopped = watch.stoppedFor(target);
    const { turns } = conversation;
    const read = turns.find(({ id }) => id === turnId) ?? turns.at(-1);
    if (read !== undefined) prepareReadingOf(read);
    const shown: ShownEvidence[] = [];
    try {
      const { waiting: requests, ...evaluation } = this.#parts.timed(`scoring by ${suite.name}`, () =>
        evaluate(suite, subject, {
          onCriterion: (index) => watch.started(target, index),
          stopped: new Map(stopped.entries().map(([criterion, { reason }]) => [criterion, reason])),
          judges: { settings: this.#parts.judge, outcomeOf, onShown: (evidence) => shown.push(evidence) },
        }),
      );
      for (const [criterion, verdict] of evaluation.verdicts) {
        if (isBroken(verdict.verdict)) {
          this.#parts.onEvent({ type: 'check-failed', suite: target.suite, criterion, reason: verdict.reason });
        }
      }
      const pauses = stopped.values().flatMap(({ stops }) => (stops.for === 'pause' ? [stops.until] : []));
      const suspendedUntil = pauses.reduce<number | undefined>((last, until) => Math.max(last ?? 0, until), undefined);
      if (requests.length === 0) {
        for (const evidence of shown) this.#parts.onEvent({ type: 'evidence-shown', ...evidence });
        return { evaluation, requests, suspendedUntil };
      }
      const waitsFor = requests.flatMap(({ criteria }) => criteria.map(({ name }) => name));
      return { evaluation: { ...evaluation, waitsFor }, requests, suspendedUntil };
    } catch (error) {
      this.#parts.onEvent({ type: 'check-failed', suite: target.suite, criterion: WHOLE_SUITE, reason: String(error) });
      return undefined;
    } finally {
      watch.finished();
    }
  }

  #targetOf(suite: CompiledSuite, conversation: Conversation, { subject, logTime }: AskedOf): CheckTarget {
    const weight = this.#weights.get(conversation) ?? weightOf(conversation);
    this.#weights.set(conversation, weight);
    return { suite: keyOfSuite(suite), subject, agent: conversation.agent.name ?? '', logTime, weight };
  }
}
