/**
 * Result of mutation: known faults were put into conversations that a suite passes, and some of its criteria noticed.
 */
import type { SuiteScope } from './evaluation.ts';

export interface SuiteMutation {
  readonly suite: string;
  readonly version: string;
  readonly scope: SuiteScope;
  /** Conversations, or turns, that were broken. */
  readonly goldens: readonly MutationGolden[];
  /** Conversations that could not be broken, and why. */
  readonly leftOut: readonly (MutationGolden & { readonly because: string })[];
  /** Criteria in the suite's order. */
  readonly criteria: readonly MutatedCriterion[];
  /** Criteria for judges: nobody was asked. */
  readonly judged: readonly string[];
  readonly faults: readonly MutatedFault[];
  /** How often a fault was put in, and how often anything noticed. */
  readonly tried: number;
  readonly noticed: number;
}

export interface MutationGolden {
  readonly name: string;
  /** The file, trace or experiment that it comes from. */
  readonly from: string;
}

/** Decisions of a criterion on a fault: not applicable if its question arises neither before nor after. */
interface NoticeCount {
  readonly noticed: number;
  readonly notNoticed: number;
  readonly notApplicable: number;
}

export interface MutatedCriterion extends NoticeCount {
  readonly criterion: string;
}

export interface MutatedFault {
  readonly fault: string;
  readonly description: string;
  /** 0 where none of the conversations has a place for it. */
  readonly tried: number;
  /** Faults that a criterion or the outcome rules noticed. */
  readonly noticed: number;
  /** Faults that the outcome rules noticed, and no criterion. */
  readonly byOutcomeAlone: number;
  /** Criteria in the suite's order. */
  readonly criteria: readonly MutatedCriterion[];
  readonly unnoticed: readonly UnnoticedFault[];
}

interface UnnoticedFault {
  readonly golden: MutationGolden;
  /** Description of the fault, in a sentence. Holds text of spans. */
  readonly what: string;
  /** Which check would have noticed. */
  readonly advice: string;
  /** The suite is not for the broken conversation any more, so that it was asked nothing. */
  readonly isOutside: boolean;
}

export type Notice = 'noticed' | 'not_noticed' | 'not_applicable';

/** A fault at a place of a conversation. */
export interface MutantResult {
  readonly golden: MutationGolden;
  readonly fault: string;
  readonly what: string;
  readonly advice: string;
  /** Undefined where the suite is not for the broken conversation any more. */
  readonly notices: ReadonlyMap<string, Notice> | undefined;
  readonly isOutcomeWorse: boolean;
}
