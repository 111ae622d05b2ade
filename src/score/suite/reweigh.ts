/**
 * A suite with other weights, and otherwise the same. Weights are as a suite writes them, from 0 to 1 with at most six
 * decimals. Their sum need not be 1: then the suite would have to say `normalize: true`, and each weight counts by its
 * share of the sum. A criterion that is switched off has the weight 0, so it is asked and counted as before, and
 * outcome rules may still name it.
 */
import { didYouMean } from '../../model/did-you-mean.ts';
import type { ChangedWeights } from '../../model/what-if.ts';
import { formatMillionths, toMillionths, type Weight } from '../subject/weigh.ts';

interface WeightedSuite {
  readonly criteria: readonly Weight[];
  readonly totalWeight: number;
}

const SHOWN_MAX = 100;

/** Mistakes in the changes, in words; none where `reweighed` may be called. */
export function reweighingMistakes(suite: WeightedSuite, changes: ChangedWeights): readonly string[] {
  const { weights, off } = changes;
  const names = suite.criteria.map(({ name }) => name);
  const unknown = [...Object.keys(weights), ...off].filter((name) => !names.includes(name));
  const mistakes = [
    ...[...new Set(unknown)].map((name) => unknownName('criterion', name, names)),
    ...Object.entries(weights).flatMap(([name, weight]) => weightMistake(name, weight)),
    ...[...new Set(off)]
      .filter((name) => Object.hasOwn(weights, name))
      .map((name) => `${shown(name)} is in weights and in off`),
    ...suite.criteria.flatMap(({ name, capsAt }) => {
      if (capsAt === undefined || !off.includes(name)) return [];
      return `${shown(name)} is critical: if it fails, the outcome is at best ${capsAt}, whatever its weight. Take \`critical\` off in the suite's file and use assay backtest`;
    }),
  ];
  if (mistakes.length === 0 && reweighed(suite, changes).totalWeight === 0)
    mistakes.push('no criterion has a weight any more: leave at least one on');
  return mistakes;
}

export function unknownName(what: string, given: string, names: readonly string[]): string {
  const nearest = didYouMean(given, names);
  const hint = nearest === undefined ? `there are ${names.join(', ')}` : `did you mean ${shown(nearest)}?`;
  return `there is no ${what} ${shown(given)}; ${hint}`;
}

export function reweighed<Criterion extends Weight, Suite extends { readonly criteria: readonly Criterion[] }>(
  suite: Suite & { readonly criteria: readonly Criterion[] },
  { weights, off }: ChangedWeights,
): Suite & { readonly totalWeight: number } {
  const criteria = suite.criteria.map((criterion) => {
    if (off.includes(criterion.name)) return { ...criterion, weight: 0 };
    const given = Object.hasOwn(weights, criterion.name) ? weights[criterion.name] : undefined;
    return given === undefined ? criterion : { ...criterion, weight: toMillionths(given) ?? 0 };
  });
  return { ...suite, criteria, totalWeight: criteria.reduce((sum, { weight }) => sum + weight, 0) };
}

function weightMistake(name: string, weight: number): readonly string[] {
  if (weight === 0) return [`${shown(name)}: to take a criterion out of the score, name it in off`];
  if (toMillionths(weight) !== undefined) return [];
  const least = formatMillionths(1);
  return [`${shown(name)}: ${weight} is no weight: from ${least} to 1, with at most six decimals`];
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, SHOWN_MAX).toWellFormed());
}
