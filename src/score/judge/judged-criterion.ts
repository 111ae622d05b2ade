/**
 * A criterion that a model answers: how an author writes it, in YAML as in TypeScript, and what is left of that once all that was not said
 * has been filled in. The question, the guidance and what may be seen are the author's and trusted; whatever comes from spans is not, and
 * never gets in here.
 */
import { z } from 'zod';
import type { Need } from '../needs.ts';
import type { Subject } from '../subject.ts';
import type { Answer } from '../suite.ts';
import { BUILT_IN_JUDGMENTS } from './built-in-judgments.ts';
import { SIGHTS, type Sight } from './sights.ts';

export interface Judging {
  /** The judge's name in the configuration; `default` unless given. */
  readonly by?: string | undefined;
  /** A question that comes with its guidance, such as `helpful`. */
  readonly uses?: string | undefined;
  /** What the model is asked, where it needs other words than the criterion's question. Yes is good. */
  readonly question?: string | undefined;
  /** What is a yes and what is a no, for the model. */
  readonly guidance?: string | undefined;
  /** What is shown beside requests and answers: kinds of steps, `state`, `truth`. What tools and retrievals gave, unless given. */
  readonly sees?: readonly Sight[] | undefined;
  /** Asked in one call with the suite's other criteria that say so, have the same judge and see the same. */
  readonly shared?: boolean | undefined;
  /** From 0 to 100, 50 unless given. Where the budget is short, the lower ones are left out first. */
  readonly priority?: number | undefined;
}

/** What of a criterion the engine needs to ask. */
export interface Judged {
  readonly judge: string;
  readonly question: string;
  readonly guidance: string;
  /** In the order of `SIGHTS`. */
  readonly sees: readonly Sight[];
  readonly shared: boolean;
  readonly priority: number;
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
};

/** A bare text is the name of a judge, and `judge:` with nothing after it is the default one. */
export const judgingShape = z.preprocess(
  (written) => (typeof written === 'string' ? { by: written } : (written ?? {})),
  z.strictObject(JUDGING),
);

function lengthTo(max: number): string {
  return `at most ${max} characters`;
}

const SEEN_BY_DEFAULT: readonly Sight[] = ['tool', 'retrieval', 'rerank', 'memory'];
const PRIORITY_BY_DEFAULT = 50;

export function judgedOf(judging: Judging | string, criterion: { readonly question: string }): Judged {
  const { by, uses, question, guidance, sees, shared, priority } =
    typeof judging === 'string' ? { by: judging } : judging;
  const builtIn = uses === undefined ? undefined : BUILT_IN_JUDGMENTS.get(uses);
  const seen = new Set(sees ?? builtIn?.sees ?? SEEN_BY_DEFAULT);
  return {
    judge: by ?? 'default',
    question: (question ?? builtIn?.question ?? criterion.question).trim(),
    guidance: [builtIn?.guidance, guidance]
      .filter((part) => part !== undefined)
      .join('\n')
      .trim(),
    sees: SIGHTS.filter((sight) => seen.has(sight)),
    shared: shared ?? false,
    priority: priority ?? PRIORITY_BY_DEFAULT,
    without: builtIn?.without,
  };
}

/** What has to have been recorded for the question to be put at all. */
export function needsOf(judging: Judging | string): readonly Need[] {
  const uses = typeof judging === 'string' ? undefined : judging.uses;
  return (uses === undefined ? undefined : BUILT_IN_JUDGMENTS.get(uses)?.needs) ?? [];
}
