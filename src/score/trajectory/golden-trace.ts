/**
 * A golden trace: a run that a person approved. A golden trace: the request, the expected tool calls with their
 * arguments, and the required answer. Read from YAML by `read-golden.ts`; compared with a run by `compare-run.ts`.
 */
import type { Matcher } from '../../model/glob.ts';
import { freeOrder, type PartialOrder, partialOrder } from '../alignment/partial-order.ts';
import type { ArgumentsMatcher } from './match-arguments.ts';

/**
 * |             | order  | missing steps | calls beyond the trace |
 * |-------------|--------|---------------|------------------------|
 * | `exact`     | counts | fail          | fail                   |
 * | `in_order`  | counts | fail          | may be                 |
 * | `any_order` | free   | fail          | fail                   |
 * | `superset`  | free   | fail          | may be                 |
 * | `subset`    | free   | may be        | fail                   |
 */
export const MATCH_MODES = ['exact', 'in_order', 'any_order', 'subset', 'superset'] as const;
export type MatchMode = (typeof MATCH_MODES)[number];

export const OBSERVATIONS = ['success', 'list', 'text', 'error'] as const;
export type Observation = (typeof OBSERVATIONS)[number];

export interface ExpectedStep {
  /** Number of the step in the trace, from 1, as written. */
  readonly number: number;
  /** A name, or a glob. */
  readonly tool: string;
  readonly isGlob: boolean;
  readonly isTool: Matcher;
  /** Undefined where the arguments do not matter. */
  readonly args: ArgumentsMatcher | undefined;
  readonly observation: Observation | undefined;
  readonly required: boolean;
  /** Weight in halves: 2 is a weight of 1. Undefined if it depends on whether the step writes. */
  readonly halves: number | undefined;
  /** Undefined where the tool's name says. */
  readonly writes: boolean | undefined;
  /** The places (from 0) of all steps that come before this one, near and far. */
  readonly after: ReadonlySet<number>;
}

export interface GoldenTrace {
  readonly id: string;
  readonly description: string;
  /** Request of the user. Words with a `*` stand for any such word where inputs are compared. */
  readonly input: string;
  /** Name of the scenario in conversations; the id unless the trace gives another. */
  readonly scenario: string;
  readonly mode: MatchMode;
  readonly steps: readonly ExpectedStep[];
  /** Order of the steps, as far as the mode checks it. */
  readonly order: PartialOrder;
  readonly output: ExpectedOutput;
  /** Tool calls. */
  readonly maxSteps: number | undefined;
  /** Input and output together. */
  readonly maxTokens: number | undefined;
  readonly tags: readonly string[];
  /** A draft is not used for any conversation until a person has approved it. */
  readonly draft: boolean;
  readonly file: string;
  readonly line: number | undefined;
}

export const OUTPUT_PLACES = ['last_answer', 'any_answer'] as const;

interface ExpectedOutput {
  /** Answers in which it is searched; each text may be in another answer. */
  readonly in: (typeof OUTPUT_PLACES)[number];
  /** Texts that the answer must contain, in whatever case. */
  readonly contains: readonly string[];
  /** Patterns in RE2 syntax that must occur in the answer. */
  readonly matches: readonly string[];
}

export const STEPS_MAX = 200;

export function ordered(mode: MatchMode): boolean {
  return mode === 'exact' || mode === 'in_order';
}

export function expectedOrder(steps: readonly ExpectedStep[], mode: MatchMode): PartialOrder {
  if (!ordered(mode)) return freeOrder(steps.length);
  return partialOrder(steps.length, (earlier, later) => steps[later]?.after.has(earlier) === true);
}

export function forbidsExtras(mode: MatchMode): boolean {
  return mode === 'exact' || mode === 'any_order' || mode === 'subset';
}
