/**
 * Suites in TypeScript:
 *
 *     export default defineSuite({
 *       name: 'refunds',
 *       scope: 'conversation',
 *       extract: { refund: (c) => c.tools('refund').at(-1) },
 *       criteria: [
 *         {
 *           name: 'refunded_once',
 *           question: 'Did it refund exactly once?',
 *           weight: 1,
 *           check: (c) => c.tools('refund').length === 1,
 *         },
 *       ],
 *     });
 *
 * Every check knows the values of extracts, with their types. Mistakes (weights, names) are found when the suite is
 * loaded, together with those of all other suites.
 */
import type { Extracts } from './subject/subject.ts';
import type { Suite } from './suite/suite.ts';

export { type Answer, notApplicable, type ReasonedAnswer } from './subject/answer.ts';
export type { Criterion, Match, OutcomeRule, Suite } from './suite/suite.ts';
export type { Judging } from './judge/judged-criterion.ts';
export type { Sight } from './judge/visible-material.ts';
export type { OutcomeView, Subject } from './subject/subject.ts';
export {
  followsGoldenPath,
  noUnsafeAction,
  outputContains,
  trajectoryScore,
  withinStepBudget,
} from './checks/golden-checks.ts';
export { type ExpressionOptions, type Expressions, expressions, uses } from './suite/checks-in-code.ts';
export { hasFailed } from './subject/failed-call.ts';
export { type GoldenInCode, goldenTraces, type ToolPolicyInCode, toolPolicy } from './suite/suite-parts-in-code.ts';
export { type Scored, scored } from './suite/scored.ts';
export { order, type OrderCheck, type StepPattern } from './order/order.ts';

/** Shared between copies of this module: the suite may be loaded by a published build, or by the source. */
const DEFINED: unique symbol = Symbol.for('assay.suite');

export type DefinedSuite = Suite & { readonly [DEFINED]: true };

export function defineSuite<E extends Extracts = Record<never, never>>(suite: Suite<E>): DefinedSuite {
  // The cast forgets the extracts' types: the engine hands each check the extracts of its own suite.
  return { ...suite, [DEFINED]: true } as unknown as DefinedSuite;
}

export function isDefinedSuite(value: unknown): value is DefinedSuite {
  return typeof value === 'object' && value !== null && DEFINED in value;
}
