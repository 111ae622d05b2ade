/** Counts what the suites found in each broken conversation, by fault and criterion. */
import type { SuiteScope } from '../model/evaluation.ts';
import type {
  MutantResult,
  MutatedCriterion,
  MutatedFault,
  MutationGolden,
  Notice,
  SuiteMutation,
} from '../model/mutation.ts';
import type { Fault } from './fault.ts';

interface ToTally {
  readonly suite: { readonly name: string; readonly version: string; readonly scope: SuiteScope };
  readonly criteria: readonly string[];
  readonly judged: readonly string[];
  readonly faults: readonly Pick<Fault, 'name' | 'description'>[];
  readonly goldens: readonly MutationGolden[];
  readonly leftOut: SuiteMutation['leftOut'];
  readonly results: readonly MutantResult[];
}

export function tally({ suite, criteria, judged, faults, goldens, leftOut, results }: ToTally): SuiteMutation {
  const told = faults.map((fault) =>
    talliedFault(
      fault,
      criteria,
      results.filter((result) => result.fault === fault.name),
    ),
  );
  return {
    suite: suite.name,
    version: suite.version,
    scope: suite.scope,
    goldens,
    leftOut,
    criteria: criteria.map((criterion) => talliedCriterion(criterion, results)),
    judged,
    faults: told,
    tried: results.length,
    noticed: results.filter(isNoticed).length,
  };
}

function talliedFault(
  { name, description }: Pick<Fault, 'name' | 'description'>,
  criteria: readonly string[],
  results: readonly MutantResult[],
): MutatedFault {
  const noticed = results.filter(isNoticed);
  return {
    fault: name,
    description,
    tried: results.length,
    noticed: noticed.length,
    byOutcomeAlone: noticed.filter((result) => !isNoticedByCriterion(result)).length,
    criteria: criteria.map((criterion) => talliedCriterion(criterion, results)),
    unnoticed: results
      .filter((result) => !isNoticed(result))
      .map(({ golden, what, advice, notices }) => ({ golden, what, advice, isOutside: notices === undefined })),
  };
}

function talliedCriterion(criterion: string, results: readonly MutantResult[]): MutatedCriterion {
  const times = (notice: Notice) => results.filter(({ notices }) => notices?.get(criterion) === notice).length;
  return {
    criterion,
    noticed: times('noticed'),
    notNoticed: times('not_noticed'),
    notApplicable: results.length - times('noticed') - times('not_noticed'),
  };
}

function isNoticed(result: MutantResult): boolean {
  return result.isOutcomeWorse || isNoticedByCriterion(result);
}

function isNoticedByCriterion({ notices }: MutantResult): boolean {
  return notices?.values().some((notice) => notice === 'noticed') === true;
}
