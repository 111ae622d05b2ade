/**
 * How far a mean of values between 0 and 1 is from that of a baseline, as a share of the baseline: 0.90 to 0.855 is −5 %.
 *
 * A change r of pairs is excluded where the mean of b − (1 + r) a is shown not to be 0, with the case that was not seen at the end that is worse for the bound
 * (`unseen-case.ts`). So the bounds need no distribution of a ratio, and at r = 0 they exclude exactly what the bounds of the difference exclude.
 */
import type { EstimatedChange, NotEstimable } from '../../model/estimated.ts';
import { drawMeans } from './draw-means.ts';
import { type Drawn, quantile } from './draws.ts';
import { once, perTail } from './level.ts';
import { meanOf } from './measure.ts';
import { chanceAbove } from './unseen-case.ts';

export function pairedShareChange(pairs: readonly (readonly [number, number])[]): EstimatedChange | NotEstimable {
  const a = meanOf(pairs.map(([ofA]) => ofA));
  const b = meanOf(pairs.map(([, ofB]) => ofB));
  if (a === undefined || b === undefined) return { because: 'no case has a value for it in both' };
  if (a === 0) return NOTHING;
  const value = b / a - 1;
  const excess = (risen: number) => pairs.map(([ofA, ofB]) => ofB - (1 + risen) * ofA);
  return {
    ...figuresOf(a, b),
    cases: pairs.length,
    samples: 1,
    isPaired: true,
    moved: pairs.filter(([ofA, ofB]) => ofA !== ofB).length,
    lower: perTail((tail) => edge(-1, value, (risen) => 1 - chanceAbove(excess(risen), -(1 + risen), 0) <= tail)),
    upper: (tail) => {
      const isExcluded = (risen: number) => chanceAbove(excess(risen), 1, 0) <= tail;
      let most = Math.max(1, 2 * value);
      while (!isExcluded(most)) {
        if (most > RISE_MAX) return Number.POSITIVE_INFINITY;
        most *= 2;
      }
      return edge(most, value, isExcluded);
    },
  };
}

/** Change as a share, of two different sets of cases. */
export function unpairedShareChange(ofA: readonly number[], ofB: readonly number[]): EstimatedChange | NotEstimable {
  const [a, b] = [meanOf(ofA), meanOf(ofB)];
  if (a === undefined || b === undefined)
    return { because: `no run of ${a === undefined ? 'A' : 'B'} says anything of it` };
  if (a === 0) return NOTHING;
  const value = b / a - 1;
  const drawn = once((): Drawn => {
    const [meansOfA, meansOfB] = [drawMeans(ofA, 1), drawMeans(ofB, 2)];
    return {
      lower: meansOfB.lower.map((mean, draw) => mean / (meansOfA.upper[draw] as number) - 1).sort(),
      upper: meansOfB.upper.map((mean, draw) => mean / (meansOfA.lower[draw] as number) - 1).sort(),
    };
  });
  return {
    ...figuresOf(a, b),
    cases: ofA.length + ofB.length,
    samples: 2,
    isPaired: false,
    moved: undefined,
    lower: (tail) => Math.min(value, quantile(drawn().lower, tail)),
    upper: (tail) => Math.max(value, quantile(drawn().upper, 1 - tail)),
  };
}

const NOTHING = { because: 'it was 0 in the baseline, and no change is a share of nothing' } as const;
const RISE_MAX = 1e6;

/** The case that was not seen is 0 in b and 1 in a at the lower end, and the other way round at the upper one. */
function figuresOf(
  a: number,
  b: number,
): Pick<EstimatedChange, 'value' | 'a' | 'b' | 'reach' | 'range' | 'isRelative'> {
  const [reach, range] = [
    { lower: b / a / a, upper: 1 / a },
    { lower: -1, upper: 1 / a - 1 },
  ];
  return { value: b / a - 1, a, b, reach, range, isRelative: true };
}

/** Edge of the excluded changes, on the way from a far one to the figure itself. */
function edge(far: number, figure: number, isExcluded: (risen: number) => boolean): number {
  let [excluded, possible] = [far, figure];
  for (let step = 0; step < 60 && Math.abs(possible - excluded) > 1e-9; step += 1) {
    const middle = (excluded + possible) / 2;
    if (isExcluded(middle)) excluded = middle;
    else possible = middle;
  }
  return excluded;
}
