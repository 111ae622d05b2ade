/**
 * The judged criteria of one evaluation: which of them are asked together, what is known of the answers, and what still has to be asked.
 * Pure, as all scoring is: what a judge said comes in as a fact like the conversation itself, and what it has not said yet is waited for by
 * somebody else.
 */
import { createHash } from 'node:crypto';
import type { GradedStep, JudgeVersion } from '../../model/evaluation.ts';
import {
  type GradedSteps,
  isUnsupported,
  type JudgedAnswer,
  type JudgeOmission,
  type JudgeOutcome,
  type JudgeRequest,
} from '../../model/judging.ts';
import { unreachable } from '../../model/unreachable.ts';
import { shorten } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import type { Answer, ReasonedAnswer } from '../subject/answer.ts';
import type { CompiledSuite } from './suite.ts';
import { type GoldenRun, goldenRunOf } from '../judge/golden-items.ts';
import { gradedSteps, gradedStepsOf, wrongSteps } from '../judge/graded-steps.ts';
import { callKey, judgeVersion } from './judge-version.ts';
import { type Rendered, renderRequest } from '../judge/judge-request.ts';
import type { JudgeSettings } from '../judge/judge-settings.ts';
import type { Judged } from '../judge/judged-criterion.ts';

/** Evidence that a judge was shown, or was not because it did not fit, and its answers without a quote that is in it. */
export interface ShownEvidence {
  readonly judge: string;
  readonly isCut: boolean;
  readonly unsupported: number;
}

export interface Judges {
  /** The judge configured under that name, unless it is not to be asked this time; undefined if there is none. */
  settings(judge: string): JudgeSettings | 'not asked' | undefined;
  /** The end of that request, where it has come to one. Must not throw, and say the same to the same request within an evaluation. */
  outcomeOf(request: JudgeRequest): JudgeOutcome | 'waiting';
  /** Called for each piece of evidence that is not waited for. */
  onShown?(shown: ShownEvidence): void;
}

export interface ToJudge {
  readonly name: string;
  readonly isCritical: boolean;
  readonly judged: Judged;
}

export type Judgement =
  /** Known without asking. */
  | { readonly is: 'answer'; readonly answer: Answer }
  | {
      readonly is: 'judged';
      readonly answer: ReasonedAnswer;
      readonly judgedBy: JudgeVersion;
      /** Undefined where no steps were graded. */
      readonly steps: readonly GradedStep[] | undefined;
    }
  | { readonly is: 'error'; readonly reason: string }
  | { readonly is: 'skipped'; readonly reason: string };

interface Judgements {
  /** Judgements by criterion; every criterion that was given has one. */
  readonly of: ReadonlyMap<string, Judgement>;
  readonly waiting: readonly JudgeRequest[];
}

const REASON_LENGTH_MAX = 300;
/** Below all that an author can give: a candidate is asked about when there is nothing else to ask. */
const SHADOW_PRIORITY = -1;
/**
 * Whether the question was to be asked and could not be. A critical criterion is an `error` then, because whoever talks to the
 * agent can spend a budget. To sample, and to configure no judge, are decisions of the suite's owner.
 */
const WANTED_TO_ASK = {
  'over-budget': true,
  'too-late': true,
  'sampled-out': false,
  'not-configured': false,
} satisfies Record<JudgeOmission, boolean>;
const NOTHING_TO_SEE: Judgement = {
  is: 'answer',
  answer: { notApplicable: 'Nothing was recorded that a judge could look at.' },
};
const NO_ROOM: Judgement = {
  is: 'error',
  reason: "The judge's `evidence_tokens` leave no room even for the request and the answer.",
};
/** The reason of a verdict that nobody wanted a judge for. */
export const NOT_ASKED = 'Judges were not asked.';
const UNSUPPORTED: Judgement = { is: 'error', reason: "None of the quotes in the judge's answer is in the data." };
const WAITS: Judgement = { is: 'skipped', reason: 'Waits for the judge.' };

export function askJudges(
  suite: Pick<CompiledSuite, 'name' | 'version' | 'criteria' | 'shadow'>,
  subject: Subject,
  criteria: readonly ToJudge[],
  judges: Judges | undefined,
): Judgements {
  const judgements = new Map<string, Judgement>();
  const waiting: JudgeRequest[] = [];
  const toAsk: Asked[] = [];
  for (const criterion of criteria) {
    const judgement = withoutAsking(criterion, subject, judges?.settings(criterion.judged.judge));
    const asked = judgement ?? askedOf(criterion, subject);
    if ('is' in asked) judgements.set(criterion.name, asked);
    else toAsk.push(asked);
  }
  for (const group of askedTogether(toAsk)) {
    const settings = judges?.settings(group.judge);
    if (settings === undefined || settings === 'not asked' || judges === undefined)
      throw new Error('score: a judge that was there is not there any more');
    const settle = (judgement: Judgement) => {
      for (const { name } of group.criteria) judgements.set(name, judgement);
    };
    const rendered = renderRequest({
      suite: suite.name,
      suiteVersion: suite.version,
      judge: group.judge,
      fingerprint: settings.fingerprint,
      evidenceTokens: settings.evidenceTokens,
      criteria: group.criteria.map(({ name, judged, graded }) => ({
        name,
        question: judged.question,
        guidance: judged.guidance,
        ...(graded !== undefined && { graded }),
      })),
      sees: group.sees,
      golden: group.golden,
      priority: suite.shadow ? SHADOW_PRIORITY : group.priority,
      subject,
    });
    if (rendered.is !== 'request') {
      settle(rendered.is === 'nothing-to-see' ? NOTHING_TO_SEE : NO_ROOM);
      continue;
    }
    const { judge } = group;
    const { cut } = rendered.request;
    if (cut !== '' && settings.strict) {
      for (const { name, isCritical } of group.criteria) judgements.set(name, uncounted(cut, isCritical));
      judges.onShown?.({ judge, isCut: true, unsupported: 0 });
      continue;
    }
    const outcome = judges.outcomeOf(rendered.request);
    if (outcome === 'waiting') {
      waiting.push(rendered.request);
      settle(WAITS);
      continue;
    }
    const unsupported = outcome.is === 'answered' ? outcome.answers.filter(isUnsupported).length : 0;
    judges.onShown?.({ judge, isCut: cut !== '', unsupported });
    for (const criterion of group.criteria) {
      const version = () => judgeVersion(suite.criteria, criterion, settings);
      judgements.set(criterion.name, judgementOf(criterion, outcome, { rendered, version, settings }));
    }
  }
  return { of: judgements, waiting };
}

/**
 * The sample comes before what is plain without a judge: were silence a failure in all conversations and the rest judged in one of ten, the
 * agent would look as if it were silent ten times as often.
 */
function withoutAsking(
  { judged }: ToJudge,
  subject: Subject,
  settings: ReturnType<Judges['settings']>,
): Judgement | undefined {
  if (settings === 'not asked') return { is: 'skipped', reason: NOT_ASKED };
  if (settings === undefined) {
    return { is: 'skipped', reason: `No judge is configured by the name '${judged.judge}'.` };
  }
  if (!isInSample(subject, settings.share)) {
    const reason = `Not among the ${percent(settings.share)} of conversations that the judge is shown.`;
    return { is: 'skipped', reason };
  }
  const answer = judged.without?.(subject);
  return answer === undefined ? undefined : { is: 'answer', answer };
}

interface Asked extends ToJudge {
  readonly golden: GoldenRun | undefined;
  readonly graded: GradedSteps | undefined;
}

/** Question with what the golden trace adds to it, or the judgement that makes asking unnecessary. */
function askedOf({ name, isCritical, judged }: ToJudge, subject: Subject): Asked | Judgement {
  const asked = { name, isCritical, judged };
  if (judged.golden === undefined) return { ...asked, golden: undefined, graded: undefined };
  const golden = goldenRunOf(subject, judged.golden);
  if (typeof golden === 'string') return { is: 'answer', answer: { notApplicable: golden } };
  if (judged.gradesAtLeast === undefined) return { ...asked, golden, graded: undefined };
  const grading = gradedStepsOf(golden, judged.gradesAtLeast);
  if ('answer' in grading) return { is: 'answer', answer: grading.answer };
  return { ...asked, golden, graded: grading.graded };
}

interface Group {
  readonly judge: string;
  readonly sees: Judged['sees'];
  readonly priority: number;
  readonly golden: GoldenRun | undefined;
  readonly criteria: readonly Asked[];
}

function askedTogether(criteria: readonly Asked[]): readonly Group[] {
  const groups = Map.groupBy(criteria, ({ name, judged }) => callKey(name, judged));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { judge, sees } = first.judged;
    return [
      {
        judge,
        sees,
        golden: first.golden,
        priority: Math.max(...members.map(({ judged }) => judged.priority)),
        criteria: members,
      },
    ];
  });
}

function judgementOf(
  criterion: Asked,
  outcome: JudgeOutcome,
  {
    rendered,
    version,
    settings,
  }: {
    readonly rendered: Extract<Rendered, { readonly is: 'request' }>;
    readonly version: () => string;
    readonly settings: JudgeSettings;
  },
): Judgement {
  switch (outcome.is) {
    case 'answered': {
      const answer = outcome.answers.find((candidate) => candidate.criterion === criterion.name);
      if (answer === undefined) return { is: 'error', reason: 'What the judge answered is about other questions.' };
      if (isUnsupported(answer) && settings.strict) return UNSUPPORTED;
      const { golden } = criterion;
      const steps = answer.grades && golden && gradedSteps(golden, answer.grades);
      const evidence = [...(answer.pass ? [] : wrongSteps(steps ?? [])), ...answer.quotes.map(rendered.spanOf)];
      return {
        is: 'judged',
        answer: { pass: answer.pass, reason: reasonOf(answer, rendered.request.cut), evidence },
        judgedBy: {
          judge: rendered.request.judge,
          version: version(),
          ...(outcome.model !== '' && { model: outcome.model }),
        },
        steps,
      };
    }
    case 'failed':
      return { is: 'error', reason: `The judge gave no answer: ${outcome.reason}` };
    case 'left-out':
      return {
        is: criterion.isCritical && WANTED_TO_ASK[outcome.because] ? 'error' : 'skipped',
        reason: outcome.reason,
      };
    default:
      return unreachable(outcome);
  }
}

/** A long text must not switch off a critical criterion. */
function uncounted(cut: string, isCritical: boolean): Judgement {
  const reason = `Not judged, because a part of the evidence does not fit into \`evidence_tokens\`. ${cut}`;
  return isCritical ? { is: 'error', reason } : { is: 'answer', answer: { notApplicable: reason } };
}

/** The judge's words, followed by what a reader needs to weigh them, however long these words are. */
function reasonOf({ reason, votes, pass, ...quoted }: JudgedAnswer, cut: string): string {
  const agreed = pass ? votes.yes : votes.of - votes.yes;
  const remarks = [
    ...(agreed < votes.of ? [`${agreed} of ${votes.of} votes.`] : []),
    ...(isUnsupported(quoted) ? ['None of its quotes is in the data.'] : []),
    ...(cut === '' ? [] : [cut]),
  ];
  const remark = remarks.length === 0 ? '' : ` (${remarks.join(' ')})`;
  return `${shorten(reason, REASON_LENGTH_MAX - remark.length)}${remark}`;
}

const SAMPLE_BITS = 48;

/** Sample by the conversation's id alone, so that all criteria and judges see the same conversations each time. */
function isInSample({ conversation }: Subject, share: number): boolean {
  if (share >= 1) return true;
  const digest = createHash('sha256').update(`judged:${conversation.id}`).digest();
  return digest.readUIntBE(0, SAMPLE_BITS / 8) < share * 2 ** SAMPLE_BITS;
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
