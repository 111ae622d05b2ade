/**
 * Kind of a failure, beside the outcome: a loop, a refusal and an honest failure are not one `graceful_failure`. It is what the criterion fails as
 * that decided the outcome: the one that capped it, the one that barred a success, or else the heaviest that failed. Its suite says the kind
 * (`fails_as`); where it does not, the criterion's name stands for it. A success, a hand-over and what was not scored have none.
 */
import { decisionOf } from '../../model/decision.ts';
import { OUTCOMES, type VerdictKind } from '../../model/evaluation.ts';
import { isFailure } from '../../model/severity.ts';
import type { Broke } from './ending.ts';

export interface FailsAs {
  readonly kind: string;
  /** A criterion: where it did not pass, this is not the kind. To call a failure honest takes a criterion that saw it said. */
  readonly ifPassed?: string | undefined;
}

interface Failing {
  readonly name: string;
  readonly weight: number;
  readonly failsAs: readonly FailsAs[];
}

/** Form of a kind, which becomes a word on every surface, and a cell in exports. */
export const KIND = /^\p{L}[\p{L}\p{N} _-]{0,39}$/u;
export const KIND_EXPECTED = 'at most 40 letters, digits, spaces and hyphens, a letter first';

export const FAILURE_EXPECTED = 'what went wrong, in a few words, such as "loop" or "refused without a reason"';

const NO_FAILURES: ReadonlySet<string> = new Set([
  ...['success', 'successful', 'succeeded', 'pass', 'passed', 'ok'],
  ...OUTCOMES.filter((outcome) => !isFailure(outcome)).map(inWords),
]);

/** A word for what went well, or an outcome that is no failure: `graceful_failure (success)` would contradict itself. */
export function namesNoFailure(kind: string): boolean {
  return NO_FAILURES.has(inWords(kind));
}

function inWords(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[_ -]+/g, ' ')
    .trim();
}

const BROKEN: Readonly<Record<Broke, string>> = { no_answer: 'no answer', error: 'error' };

export function kindOfBroken(broke: Broke): string {
  return BROKEN[broke];
}

export function kindOf({ name, failsAs }: Failing, verdicts: ReadonlyMap<string, VerdictKind>): string {
  const holds = ({ ifPassed }: FailsAs) => ifPassed === undefined || decisionIn(verdicts, ifPassed) === 'pass';
  return failsAs.find(holds)?.kind ?? name;
}

/** The heaviest that failed: the one with the greatest weight, the first of several. One without weight moves no score. */
export function heaviestFailed<One extends Failing>(
  criteria: readonly One[],
  verdicts: ReadonlyMap<string, VerdictKind>,
): One | undefined {
  return criteria
    .filter(({ name, weight }) => weight > 0 && decisionIn(verdicts, name) === 'fail')
    .reduce<One | undefined>(
      (heaviest, one) => (heaviest === undefined || one.weight > heaviest.weight ? one : heaviest),
      undefined,
    );
}

function decisionIn(verdicts: ReadonlyMap<string, VerdictKind>, name: string): 'pass' | 'fail' | undefined {
  return decisionOf(verdicts.get(name) ?? 'skipped');
}
