/** A check that suites use by name: `uses: no_identical_loop`, with parameters that are checked when the suite is loaded. */
import { z } from 'zod';
import type { About } from '../../model/evaluation.ts';
import { checkAbout } from '../subject/about.ts';
import type { Need } from '../subject/needs.ts';
import type { Subject } from '../subject/subject.ts';
import type { Answer } from '../subject/answer.ts';
import type { SuiteParts } from '../trajectory/assess-run.ts';

export interface BuiltInCheck {
  /** Line for the documentation and for `assay validate`. */
  readonly summary: string;
  readonly params: z.ZodObject;
  /** Data that the check needs; a criterion that lists needs of its own adds to these. */
  readonly needs: readonly Need[];
  /** The block that the suite must have for it. */
  readonly requires?: 'golden' | 'tool_policy';
  /**
   * Set if it reads the truth of a task (`expected/expected-actions.ts`), so that a truth in another form is a mistake.
   */
  readonly readsTaskTruth?: true;
  /** Subject of the check; `form` unless given. */
  readonly about?: About;
  /** Whether a criterion with this check is critical where it does not say. */
  readonly isCritical?: boolean;
  /** The parameters have been parsed with `params`; the parts are those of the suite that the check is for. */
  readonly make: (params: unknown, parts?: SuiteParts) => (subject: Subject) => Answer;
}

const NO_PARAMS = z.strictObject({});

/** Without `params` it takes none. */
export function builtInCheck<P extends z.ZodObject = typeof NO_PARAMS>(
  definition: Omit<BuiltInCheck, 'params' | 'make'> & {
    readonly params?: P;
    readonly make: (params: z.output<P>, parts: SuiteParts) => (subject: Subject) => Answer;
  },
): BuiltInCheck {
  // The cast holds because P is the type of no parameters where they are left out.
  const { about = 'form', params = NO_PARAMS as unknown as P, make } = definition;
  return { ...definition, params, make: (given, parts = {}) => checkAbout(about, make(params.parse(given), parts)) };
}
