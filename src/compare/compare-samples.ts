/**
 * Two samples of different conversations, such as those of two versions online, by the measures and words of
 * `compare-experiments.ts`. A conversation is the unit: the turns of one are averaged, as the repeats of a case are.
 */
import type { Compared } from '../model/comparison.ts';
import { speaksOfSuccess } from '../model/suite-words.ts';
import { type CalledSides, unpairedChange, unpairedEffortChange } from './change.ts';
import { adjusted, figureOf, type Good, type Level, type Measured, worded } from './conclusion.ts';
import { unpairedEffortTest, unpairedTest } from './difference-test.ts';
import type { CaseEffort } from './measure.ts';

/** A value, or an effort, for each conversation that says something of it. */
export interface Sample {
  readonly scores: readonly number[];
  readonly successes: readonly number[];
  /** By criterion. */
  readonly passes: ReadonlyMap<string, readonly number[]>;
  readonly steps: readonly CaseEffort[];
  readonly tokens: readonly CaseEffort[];
  readonly cost: readonly CaseEffort[];
}

interface ComparedSamples {
  readonly score: Compared;
  readonly success: Compared;
  /** Their p values are adjusted together. */
  readonly criteria: readonly { readonly criterion: string; readonly compared: Compared }[];
  readonly stepsPerSuccess: Compared;
  readonly tokensPerSuccess: Compared;
  readonly costPerSuccess: Compared;
}

export function compareSamples(
  a: Sample,
  b: Sample,
  {
    criteria,
    alpha,
    smallest,
    about,
    called,
  }: Omit<Level, 'lookedAt'> & { readonly criteria: readonly string[]; readonly called: CalledSides },
): ComparedSamples {
  const level: Level = { alpha, smallest, lookedAt: criteria.length, about };
  const shares = (...samples: readonly [readonly number[], readonly number[]]): Measured => {
    const [ofA, ofB] = [inOrder(samples[0]), inOrder(samples[1])];
    return figureOf(unpairedChange(ofA, ofB, called), () => unpairedTest(ofA, ofB), alpha);
  };
  const efforts = (...samples: readonly [readonly CaseEffort[], readonly CaseEffort[]]): Compared => {
    const [ofA, ofB] = [effortsInOrder(samples[0]), effortsInOrder(samples[1])];
    return concluded(
      figureOf(unpairedEffortChange(ofA, ofB, called), () => unpairedEffortTest(ofA, ofB), alpha),
      speaksOfSuccess(about) ? 'less' : undefined,
    );
  };
  const concluded = (measured: Measured, good: Good) => worded(measured, good, level);
  const ofCriteria = adjusted(criteria.map((name) => shares(a.passes.get(name) ?? [], b.passes.get(name) ?? [])));
  return {
    score: concluded(shares(a.scores, b.scores), 'more'),
    success: concluded(shares(a.successes, b.successes), 'more'),
    criteria: criteria.map((criterion, index) => ({
      criterion,
      // The cast holds: there is one for each criterion.
      compared: concluded(ofCriteria[index] as Measured, 'more'),
    })),
    stepsPerSuccess: efforts(a.steps, b.steps),
    tokensPerSuccess: efforts(a.tokens, b.tokens),
    costPerSuccess: efforts(a.cost, b.cost),
  };
}

/** Draws depend on the order, and the order in which conversations came means nothing. */
function inOrder(values: readonly number[]): readonly number[] {
  return values.toSorted((x, y) => x - y);
}

function effortsInOrder(efforts: readonly CaseEffort[]): readonly CaseEffort[] {
  return efforts.toSorted((x, y) => x.effort - y.effort || x.success - y.success);
}
