/**
 * A criterion that a model answers: how an author writes it, in YAML as in TypeScript, and what is left of that once all that was not said
 * has been filled in. The question, the guidance and what may be seen are the author's and trusted; whatever comes from spans is not, and
 * never gets in here.
 */
import { z } from 'zod';
import type { About } from '../../model/evaluation.ts';
import type { Need } from '../subject/needs.ts';
import type { Subject } from '../subject/subject.ts';
import type { Answer } from '../subject/answer.ts';
import { toMillionths } from '../subject/weigh.ts';
import { BUILT_IN_JUDGMENTS } from './built-in-judgments.ts';
import type { PartsWithGolden } from './golden-items.ts';
import { SIGHTS, type Sight } from './visible-material.ts';
import type { SuiteParts } from '../trajectory/assess-run.ts';

export interface Judging {
  /** The judge's name in the configuration; `default` unless given. */
  readonly by?: string | undefined;
  /** A question that comes with its guidance, such as `helpful`. */
  readonly uses?: string | undefined;
  /** The question for the model, if it needs other words than the criterion's question. Yes is good. */
  readonly question?: string | undefined;
  /** Explains to the model what is a yes and what is a no. */
  readonly guidance?: string | undefined;
  /**
   * Material beside requests and answers: the agent's `instructions`, kinds of steps, `state`, `truth`, `golden`.
   * Instructions and what tools and retrievals gave, unless given; with `llm`, instructions as well.
   */
  readonly sees?: readonly Sight[] | undefined;
  /** Asked in one call with the suite's other criteria that say so, have the same judge and see the same. */
  readonly shared?: boolean | undefined;
  /** Priority from 0 to 100, 50 unless given. Lower ones are left out first if the budget is short. */
  readonly priority?: number | undefined;
  /** Least share of right steps that is a pass, for `step_correctness`; 0.8 unless given. */
  readonly threshold?: number | undefined;
}

/** The parts of a criterion that the engine needs to ask. */
export interface Judged {
  readonly judge: string;
  readonly question: string;
  readonly guidance: string;
  /** Sights in the order of `SIGHTS`. */
  readonly sees: readonly Sight[];
  readonly shared: boolean;
  readonly priority: number;
  /** Traces from which the golden trace is chosen; undefined if it is not shown. */
  readonly golden: PartsWithGolden | undefined;
  /** Threshold in millionths; set if the steps of the golden trace are graded. */
  readonly gradesAtLeast: number | undefined;
  /** Answers without a judge where the answer is plain; undefined where a judge has to. */
  readonly without: ((subject: Subject) => Answer | undefined) | undefined;
}

const JUDGE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const QUESTION_LENGTH_MAX = 2000;
const GUIDANCE_LENGTH_MAX = 10_000;

export const JUDGING = {
  by: z.string().regex(JUDGE_NAME, 'the name of a judge: a letter, then up to 63 letters, digits, - and _').optional(),
  uses: z.enum([...BUILT_IN_JUDGMENTS.keys()]).optional(),
  question: z
    .string()
    .trim()
    .min(1, 'a yes/no question')
    .max(QUESTION_LENGTH_MAX, lengthTo(QUESTION_LENGTH_MAX))
    .optional(),
  guidance: z.string().max(GUIDANCE_LENGTH_MAX, lengthTo(GUIDANCE_LENGTH_MAX)).optional(),
  sees: z.array(z.enum(SIGHTS)).optional(),
  shared: z.boolean().optional(),
  priority: z.int('a whole number').min(0, 'from 0 to 100').max(100, 'from 0 to 100').optional(),
  threshold: z
    .number()
    .refine((share) => toMillionths(share) !== undefined, 'from 0 to 1, up to six decimal places')
    .optional(),
};

/** A bare text is the name of a judge, and `judge:` with nothing after it is the default one. */
export const judgingShape = z.preprocess(
  (written) => (typeof written === 'string' ? { by: written } : (written ?? {})),
  z.strictObject(JUDGING),
);

function lengthTo(max: number): string {
  return `at most ${max} characters`;
}

/** Instructions among them: a question about what the agent ought to do can't be answered without, and nobody sees from a verdict that they lacked. */
const SEEN_BY_DEFAULT: readonly Sight[] = ['instructions', 'tool', 'retrieval', 'rerank', 'memory'];
const PRIORITY_BY_DEFAULT = 50;
const THRESHOLD_BY_DEFAULT = 0.8;

export function judgedOf(
  judging: Judging | string,
  criterion: { readonly question: string },
  parts: SuiteParts,
): Judged {
  const written: Judging = typeof judging === 'string' ? { by: judging } : judging;
  const builtIn = written.uses === undefined ? undefined : BUILT_IN_JUDGMENTS.get(written.uses);
  const seen = seenBy(judging);
  const { golden } = parts;
  return {
    judge: judgeNamed(judging),
    question: (written.question ?? builtIn?.question ?? criterion.question).trim(),
    guidance: [builtIn?.guidance, written.guidance]
      .filter((part) => part !== undefined)
      .join('\n')
      .trim(),
    sees: SIGHTS.filter((sight) => seen.has(sight)),
    shared: written.shared ?? false,
    priority: written.priority ?? PRIORITY_BY_DEFAULT,
    golden: seen.has('golden') && golden !== undefined ? { ...parts, golden } : undefined,
    gradesAtLeast: builtIn?.gradesSteps === true ? toMillionths(written.threshold ?? THRESHOLD_BY_DEFAULT) : undefined,
    without: builtIn?.without,
  };
}

export function judgeNamed(judging: Judging | string): string {
  return typeof judging === 'string' ? judging : (judging.by ?? 'default');
}

export function seenBy(judging: Judging | string): ReadonlySet<Sight> {
  const { sees, uses = '' }: Judging = typeof judging === 'string' ? {} : judging;
  const builtIn = BUILT_IN_JUDGMENTS.get(uses);
  const seen = new Set(sees ?? builtIn?.sees ?? SEEN_BY_DEFAULT);
  // Steps can't be graded unseen.
  if (builtIn?.gradesSteps === true) seen.add('golden');
  // A model's instructions are part of its step.
  if (seen.has('llm')) seen.add('instructions');
  return seen;
}

/** Mistakes beyond the form, each with its field of `judge`. */
export function judgingMistakes(
  judging: Judging | string,
  { golden }: SuiteParts,
): readonly { readonly field: string; readonly problem: string; readonly expected: string }[] {
  const { uses, threshold }: Judging = typeof judging === 'string' ? {} : judging;
  const grades = uses !== undefined && BUILT_IN_JUDGMENTS.get(uses)?.gradesSteps === true;
  return [
    ...(golden === undefined && seenBy(judging).has('golden')
      ? [
          {
            field: grades ? 'uses' : 'sees',
            problem: 'the suite has no golden traces',
            expected: 'a block `golden` in the suite',
          },
        ]
      : []),
    ...(threshold !== undefined && !grades
      ? [
          {
            field: 'threshold',
            problem: 'only steps are graded',
            expected: 'no `threshold`, or `uses: step_correctness`',
          },
        ]
      : []),
  ];
}

/** A question of one's own is about the task, as a check of one's own is. */
export function aboutOfJudging(judging: Judging | string): About {
  const { uses = '', question }: Judging = typeof judging === 'string' ? {} : judging;
  return (question === undefined ? BUILT_IN_JUDGMENTS.get(uses)?.about : undefined) ?? 'task';
}

/** Data that must have been recorded, or the question is not asked. */
export function needsOf(judging: Judging | string): readonly Need[] {
  const uses = typeof judging === 'string' ? undefined : judging.uses;
  return (uses === undefined ? undefined : BUILT_IN_JUDGMENTS.get(uses)?.needs) ?? [];
}
