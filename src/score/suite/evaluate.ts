/**
 * Applies a suite to a conversation: every criterion gets exactly one verdict, the verdicts are weighed, the score is
 * given an outcome, and the whole is explained in a sentence.
 *
 * Pure and synchronous: the same conversation gives the same evaluation, byte for byte. Nothing a check does makes this
 * throw: what it throws, or gives instead of an answer, becomes the verdict `error`, which does not lower the score.
 * That a check ends is for the caller to ensure: `onCriterion` says which one is about to run, and `stopped` names
 * those not to run again.
 */
import type { Conversation } from '../../model/conversation.ts';
import {
  type DecidedVerdict,
  type Evaluation,
  type EvaluationBasis,
  type Finding,
  UNDECIDED,
  type Verdict,
  type VerdictKind,
} from '../../model/evaluation.ts';
import type { JudgeRequest } from '../../model/judging.ts';
import { type SpanId, type TurnId, tryParseSpanId } from '../../model/ids.ts';
import { unreachable } from '../../model/unreachable.ts';
import { brokeBy } from '../subject/ending.ts';
import { explain, explainWithoutScore } from './explain.ts';
import { askJudges, type Judgement, type Judges, type ToJudge } from './judges.ts';
import { doubtGap, gapIn, toolsGap } from '../subject/needs.ts';
import { aboutOfDecided, type Conditions, conditionsOf, decideOutcome, decideWithoutScore } from './outcome.ts';
import { describeThrown, toReason } from '../subject/sentences.ts';
import { type EvaluatedSubject, type Extracts, type Subject, subjectOf, type SubjectWith } from '../subject/subject.ts';
import { CheckError } from '../subject/answer.ts';
import type { CompiledCriterion, CompiledSuite } from './suite.ts';
import { ONE, ratio, weigh } from '../subject/weigh.ts';

interface ToEvaluate {
  readonly conversation: Conversation;
  /** The turn that a suite of scope `turn` evaluates; the conversation then holds this turn alone. */
  readonly turnId: TurnId | undefined;
  readonly revision: number;
}

interface EvaluateOptions {
  /** Called before each check runs, with its place in the suite. */
  readonly onCriterion?: (index: number) => void;
  /** Criteria not to run, by name, with the reason: they get the verdict `error`. */
  readonly stopped?: ReadonlyMap<string, string>;
  /** Judges' answers; without them, judged criteria are skipped. */
  readonly judges?: Judges;
}

export interface Evaluated extends Evaluation {
  /**
   * Questions that must be asked before the evaluation is complete; empty if there are none. Until then the criteria
   * that wait are `skipped`, and the rest is scored as it stands.
   */
  readonly waiting: readonly JudgeRequest[];
}

const EVIDENCE_MAX = 20;
const NO_EVIDENCE: readonly SpanId[] = [];
const NOTHING_WAITS: readonly JudgeRequest[] = [];

export function evaluate(suite: CompiledSuite, target: ToEvaluate, options: EvaluateOptions = {}): Evaluated {
  const subject = subjectOf(target.conversation, target.turnId, suite);
  const verdicts = new Map<string, Verdict>();
  let toJudge: ToJudge[] | undefined;
  const doubt = doubtGap(subject);
  suite.criteria.forEach((criterion, index) => {
    const { name, judged, capsAt } = criterion;
    const stopped = options.stopped?.get(name);
    if (stopped === undefined) options.onCriterion?.(index);
    const verdict = stopped === undefined ? answer(criterion, subject, doubt) : errorVerdict(stopped);
    if (verdict === 'for-a-judge' && judged !== undefined) {
      toJudge ??= [];
      toJudge.push({ name, judged, isCritical: capsAt !== undefined });
    }
    // A placeholder, so that verdicts are in the suite's order; a judge's verdict replaces it.
    verdicts.set(name, verdict === 'for-a-judge' ? skippedVerdict('Was not asked.') : verdict);
  });
  const waiting = toJudge === undefined ? NOTHING_WAITS : judge(suite, subject, toJudge, options.judges, verdicts);
  const kindOf = (criterion: string): VerdictKind => verdicts.get(criterion)?.verdict ?? 'skipped';
  const weighed = weigh(suite, kindOf, brokeBy(subject.ending, suite.scope));
  const kinds = new Map<string, VerdictKind>();
  for (const [name, { verdict }] of verdicts) kinds.set(name, verdict);
  const findings = findingsIn(suite, subject, options);
  // `completed` and `failed` may be what never ended; they are not asked if no outcome uses them.
  const isStopped = options.stopped !== undefined && options.stopped.size > 0;
  const conditions = weighed.score === undefined && isStopped ? undefined : conditionsOf(suite, subject);
  const evaluation = {
    conversationId: target.conversation.id,
    turnId: target.turnId,
    suite: suite.name,
    suiteVersion: suite.version,
    ...(suite.shadow && { shadow: suite.shadow }),
    scope: suite.scope,
    revision: target.revision,
    score: weighed.score,
    decidedShare: ratio(weighed.decided, weighed.total),
    about: aboutOfDecided(suite.criteria, kinds),
    ending: subject.ending,
    verdicts,
    waiting,
    basis: basisOf(suite, conditions),
    ...(findings.length > 0 && { findings }),
  };
  const { score, zeroedBy } = weighed;
  const { ending } = subject;
  if (score === undefined || conditions === undefined) {
    const decision = decideWithoutScore(suite, { subject, verdicts: kinds, conditions, ending });
    const explanation = explainWithoutScore(suite, { weighed, verdicts, decision });
    return { ...evaluation, outcome: decision?.outcome ?? 'unscored', explanation };
  }
  const decision = decideOutcome(suite, { subject, score: score / ONE, verdicts: kinds, conditions, ending, zeroedBy });
  return {
    ...evaluation,
    outcome: decision.outcome,
    ...(decision.kind !== undefined && { because: decision.kind }),
    explanation: explain(score, decision, verdicts),
  };
}

function basisOf({ definition }: CompiledSuite, conditions: Conditions | undefined): EvaluationBasis {
  const isKnown = conditions !== undefined && conditions.undecided.length === 0;
  if (!isKnown) return { definition: definition.id, conditions: undefined };
  const { completed, failed } = conditions;
  return { definition: definition.id, conditions: { completed, failed } };
}

/** Findings are a bonus: one that cannot be worked out is left out. A check that never ended is not run again. */
function findingsIn(
  suite: CompiledSuite,
  subject: SubjectWith<Extracts>,
  { stopped }: EvaluateOptions,
): readonly Finding[] {
  if (suite.findingsOf === undefined || (stopped !== undefined && stopped.size > 0)) return [];
  try {
    return suite.findingsOf(subject);
  } catch {
    // The criteria that ask the same have said `error`, with the reason.
    return [];
  }
}

function answer(
  criterion: CompiledCriterion,
  subject: EvaluatedSubject,
  doubt: string | undefined,
): Verdict | 'for-a-judge' {
  const gap = doubt ?? gapIn(subject, criterion.needs);
  if (gap !== undefined) return notRecorded(gap);
  try {
    subject.takeLookedForTools();
    const applies = criterion.when === undefined ? true : criterion.when(subject);
    if (applies !== true) return whenNotApplies(applies);
    if (criterion.judged !== undefined) return 'for-a-judge';
    const given = criterion.check(subject);
    const unseen = subject.takeLookedForTools() ? toolsGap(subject) : undefined;
    return unseen === undefined ? toVerdict(given, criterion, subject) : notRecorded(unseen);
  } catch (thrown) {
    return errorVerdict(thrown instanceof CheckError ? thrown.message : describeThrown(thrown));
  }
}

/** Puts the verdicts that judges have given in their places, and gives what still has to be asked. */
function judge(
  suite: CompiledSuite,
  subject: Subject,
  criteria: readonly ToJudge[],
  judges: Judges | undefined,
  verdicts: Map<string, Verdict>,
): readonly JudgeRequest[] {
  const judgements = askJudges(suite, subject, criteria, judges);
  for (const criterion of suite.criteria) {
    const judgement = judgements.of.get(criterion.name);
    if (judgement !== undefined) verdicts.set(criterion.name, judgedVerdict(judgement, criterion, subject));
  }
  return judgements.waiting;
}

function judgedVerdict(judgement: Judgement, criterion: CompiledCriterion, subject: Subject): Verdict {
  switch (judgement.is) {
    case 'answer':
      return toVerdict(judgement.answer, criterion, subject);
    case 'judged':
      return {
        ...decided(judgement.answer, criterion, subject),
        judgedBy: judgement.judgedBy,
        ...(judgement.steps !== undefined && { steps: judgement.steps }),
      };
    case 'error':
      return errorVerdict(judgement.reason);
    case 'skipped':
      return skippedVerdict(judgement.reason);
    default:
      return unreachable(judgement);
  }
}

function notRecorded(reason: string): Verdict {
  return { verdict: 'not_applicable', reason, undecided: 'not_recorded' };
}

function whenNotApplies(answer: unknown): Verdict {
  if (answer === false) return { verdict: 'not_applicable', reason: DOES_NOT_ARISE };
  return notApplicableVerdict(answer) ?? errorVerdict(wrongAnswer('`when`', answer));
}

/** Looks at whatever a check gave back: it may be a stranger's JavaScript. */
function toVerdict(answer: unknown, criterion: CompiledCriterion, subject: Subject): Verdict {
  if (typeof answer === 'boolean') return decided({ pass: answer }, criterion, subject);
  const undecided = notApplicableVerdict(answer);
  if (undecided !== undefined) return undecided;
  if (isObject(answer) && typeof answer.pass === 'boolean') {
    const { pass, reason, evidence } = answer;
    return decided({ pass, reason, evidence }, criterion, subject);
  }
  return errorVerdict(wrongAnswer('The check', answer));
}

function decided(
  { pass, reason, evidence }: { readonly pass: boolean; readonly reason?: unknown; readonly evidence?: unknown },
  criterion: CompiledCriterion,
  subject: Subject,
): DecidedVerdict {
  const given = typeof reason === 'string' ? toReason(reason) : '';
  const spans = toSpanIds(evidence);
  return {
    verdict: pass ? 'pass' : 'fail',
    reason: given === '' ? toReason(`${criterion.question} ${pass ? 'Yes.' : 'No.'}`) : given,
    // A failure always leads somewhere: to the turn as a whole where nothing more precise is known.
    evidence: spans.length === 0 && !pass ? [subject.turn.rootSpanId] : spans,
  };
}

function toSpanIds(evidence: unknown): readonly SpanId[] {
  if (!Array.isArray(evidence)) return NO_EVIDENCE;
  const ids = new Set<SpanId>();
  for (const candidate of evidence) {
    const id = typeof candidate === 'string' ? tryParseSpanId(candidate) : undefined;
    if (id !== undefined && ids.size < EVIDENCE_MAX) ids.add(id);
  }
  return [...ids];
}

const DOES_NOT_ARISE = 'The question does not arise here.';

/** Undefined where it is another answer. */
function notApplicableVerdict(answer: unknown): Verdict | undefined {
  if (!isObject(answer) || typeof answer.notApplicable !== 'string') return undefined;
  const undecided = UNDECIDED.find((one) => one === answer.undecided);
  const reason = toReason(answer.notApplicable) || DOES_NOT_ARISE;
  return { verdict: 'not_applicable', reason, ...(undecided !== undefined && { undecided }) };
}

function wrongAnswer(who: string, answer: unknown): string {
  if (isObject(answer) && typeof answer.then === 'function') {
    ignoreRejection(answer.then, answer);
    return `${who} gave a Promise; checks are synchronous: await nothing, and answer with a boolean.`;
  }
  if (isObject(answer) && 'score' in answer) {
    return `${who} gave a score; say what is enough: scored(check, { atLeast: 0.75 }).`;
  }
  const what = answer === null ? 'null' : typeof answer;
  return `${who} gave ${what} instead of a boolean, { pass, reason, evidence } or notApplicable(reason).`;
}

/** The promise is nobody's; its rejection must not end the process. */
// biome-ignore lint/complexity/noBannedTypes: `typeof` has just said that it is a function; no more is known of it.
function ignoreRejection(then: Function, promise: object): void {
  const ignore = () => undefined;
  try {
    then.call(promise, ignore, ignore);
  } catch {
    // A `then` that throws is no promise; what it gave is an error either way.
  }
}

function errorVerdict(reason: string): Verdict {
  return { verdict: 'error', reason: toReason(reason) };
}

function skippedVerdict(reason: string): Verdict {
  return { verdict: 'skipped', reason: toReason(reason) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
