/** An experiment that ends as soon as a release gate is decided: which question it asks, and how far it is. */
import { z } from 'zod';
import { type GateLook, isLastLook } from './gate.ts';
import { absent } from './written-record.ts';

/** A line a case: the fingerprint, a space, the id. */
const orderedCase = z.codec(
  z.string().regex(/^\S+ ./s),
  z.custom<{ readonly case: string; readonly fingerprint: string }>(),
  {
    decode: (line) => ({ fingerprint: line.slice(0, line.indexOf(' ')), case: line.slice(line.indexOf(' ') + 1) }),
    encode: ({ fingerprint, case: id }) => `${fingerprint} ${id}`,
  },
);

export const untilDecidedShape = z
  .object({
    /** Id of the experiment that the gate compares with; undefined if the rules need none. */
    baseline: absent(z.string()),
    /** File of rules as it was at the beginning; undefined if the rules decide that hold without a file. */
    rules: absent(z.object({ file: z.string(), text: z.string() })),
    /** The last one has all cases. */
    looks: z
      .array(z.object({ cases: z.int().min(1), share: z.number().positive().max(1) }))
      .min(1)
      .readonly(),
    /** Answers of the looks that were held, from the first on. */
    answers: z.array(z.enum(['pass', 'regression', 'not_enough_evidence'])).readonly(),
    /** All cases of the dataset, in the order in which they are run. */
    order: z.array(orderedCase).readonly(),
  })
  .refine(({ looks, answers }) => answers.length <= looks.length, 'more answers than looks');
export type UntilDecided = Readonly<z.output<typeof untilDecidedShape>>;

interface OfExperiment {
  readonly untilDecided?: UntilDecided;
}

/** The look of an index from 0; undefined if there is none. */
export function lookAt({ looks, order, answers }: UntilDecided, index: number): GateLook | undefined {
  const look = looks[index];
  if (look === undefined) return undefined;
  const answer = answers[index];
  const isEnd = answer !== undefined && (answer !== 'not_enough_evidence' || index === looks.length - 1);
  return { ...look, number: index + 1, of: looks.length, ofCases: order.length, isEnd };
}

/** The last look that was held; undefined before the first. */
export function heldLook(plan: UntilDecided): GateLook | undefined {
  return lookAt(plan, plan.answers.length - 1);
}

/** The look that ended the experiment before all cases were run, and its answer; undefined if none did. */
export function earlyEndOf({ untilDecided }: OfExperiment) {
  const [look, answer] = [untilDecided && heldLook(untilDecided), untilDecided?.answers.at(-1)];
  if (look === undefined || answer === undefined || isLastLook(look) || !look.isEnd) return undefined;
  return { look, answer };
}

/** A clause; undefined if it did not end early. */
export function earlyEndText(experiment: OfExperiment): string | undefined {
  const early = earlyEndOf(experiment);
  if (early === undefined) return undefined;
  const { look, answer } = early;
  const baseline = experiment.untilDecided?.baseline;
  const against = baseline === undefined ? '' : ` against ${baseline}`;
  const decided = answer === 'pass' ? 'a pass' : 'a regression';
  return `ended early, after ${look.cases} of ${look.ofCases} cases, because the gate${against} was decided: ${decided}`;
}
