/** A check that suites use by name: `uses: no_identical_loop`, with parameters that are checked when the suite is loaded. */
import type { z } from 'zod';
import type { Need } from '../needs.ts';
import type { Subject } from '../subject.ts';
import type { Answer } from '../suite.ts';

export interface BuiltInCheck {
  /** One line for the documentation and for `assay validate`. */
  readonly summary: string;
  readonly params: z.ZodObject;
  /** What the check cannot do without; a criterion that lists needs of its own adds to these. */
  readonly needs: readonly Need[];
  /** The parameters have been parsed with `params`. */
  readonly make: (params: unknown) => (subject: Subject) => Answer;
}

export function builtInCheck<P extends z.ZodObject>(definition: {
  readonly summary: string;
  readonly params: P;
  readonly needs: readonly Need[];
  readonly make: (params: z.output<P>) => (subject: Subject) => Answer;
}): BuiltInCheck {
  return { ...definition, make: (params) => definition.make(definition.params.parse(params)) };
}
