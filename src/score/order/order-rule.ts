/** An order criterion as both ways of writing make it: a predicate over selected steps, or several put together. */
import type { Limit } from './limit.ts';
import type { Selector } from './step-selector.ts';

export const WHEN_ABSENT = ['not_applicable', 'pass', 'fail'] as const;
export type WhenAbsent = (typeof WHEN_ABSENT)[number];

export interface OrderRuleOptions {
  /** The steps that count as next, first, last, or so many steps away. */
  readonly among?: Selector | undefined;
  /** Verdict if the step of the rule never occurred. */
  readonly whenAbsent?: WhenAbsent | undefined;
}

export type OrderPredicate =
  | ({ readonly is: 'before' | 'immediately_before' | 'never_after' | 'responds_to' } & Pair & OrderRuleOptions)
  | ({ readonly is: 'within'; readonly limit: Limit } & Pair & OrderRuleOptions)
  | ({ readonly is: 'between'; readonly x: Selector } & Pair & OrderRuleOptions)
  | ({ readonly is: 'first' | 'last'; readonly a: Selector } & OrderRuleOptions)
  | { readonly is: 'exactly' | 'at_least' | 'at_most'; readonly times: number; readonly a: Selector }
  | { readonly is: 'never'; readonly a: Selector };

interface Pair {
  readonly a: Selector;
  readonly b: Selector;
}

export type OrderRule =
  | OrderPredicate
  | { readonly is: 'all' | 'any'; readonly rules: readonly OrderRule[] }
  | { readonly is: 'not'; readonly rule: OrderRule };
