/**
 * Our statistics beside those of others: `figures.json` is what scipy, statsmodels and choix say of the same data (`scripts/compare-figures.py`), and some figures
 * are those of books.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { rank } from '../../../src/statistics/compare/bradley-terry.ts';
import { pairedEffortChange, unpairedChange } from '../../../src/statistics/compare/change.ts';
import { unpairedTest } from '../../../src/statistics/compare/difference-test.ts';
import { fisher, holm, mcnemar } from '../../../src/statistics/compare/exact-tests.ts';
import { passAt, passHat } from '../../../src/statistics/compare/measure.ts';
import { normalPoint } from '../../../src/statistics/compare/normal.ts';
import { signFlips } from '../../../src/statistics/compare/permutation.ts';
import { lowerBound, upperBound } from '../../../src/statistics/compare/unseen-case.ts';

interface Sides {
  readonly p: number;
  readonly below: number;
  readonly above: number;
}
interface Bounds {
  readonly lower: number;
  readonly upper: number;
}
interface Figures {
  readonly normal: readonly { readonly share: number; readonly point: number }[];
  readonly clopper_pearson: readonly ({
    readonly passes: number;
    readonly of: number;
    readonly tail: number;
  } & Bounds)[];
  readonly mcnemar: readonly ({ readonly lost: number; readonly won: number } & Sides)[];
  readonly fisher: readonly ({
    readonly a: number;
    readonly of_a: number;
    readonly b: number;
    readonly of_b: number;
  } & Sides)[];
  readonly sign_flips: readonly ({ readonly differences: readonly number[] } & Sides)[];
  readonly permutation: readonly {
    readonly a: readonly number[];
    readonly b: readonly number[];
    readonly p: number;
    readonly below: number;
  }[];
  readonly holm: readonly { readonly p: readonly number[]; readonly adjusted: readonly number[] }[];
  readonly unseen_case: readonly {
    readonly values: readonly number[];
    readonly least: number;
    readonly bounds: readonly ({ readonly tail: number } & Bounds)[];
  }[];
  readonly bootstrap: readonly ({ readonly name: string; readonly values: readonly number[] } & Bounds)[];
  readonly ratio_bootstrap: readonly ({
    readonly effort_a: readonly number[];
    readonly effort_b: readonly number[];
    readonly success_a: readonly number[];
    readonly success_b: readonly number[];
    readonly value: number;
  } & Bounds)[];
  readonly bradley_terry: readonly {
    readonly wins: readonly (readonly [number, number, number])[];
    readonly strengths: readonly number[];
    readonly errors: readonly number[];
  }[];
  readonly pass_k: readonly {
    readonly runs: number;
    readonly passes: number;
    readonly k: number;
    readonly pass_at: number;
    readonly pass_hat: number;
  }[];
}

// The cast holds: the script writes it so.
const figures = JSON.parse(readFileSync(path.join(import.meta.dirname, 'figures.json'), 'utf8')) as Figures;

function ones(count: number, of: number): number[] {
  return Array.from({ length: of }, (_, index) => (index < count ? 1 : 0));
}

function sidesAre(found: Sides, expected: Sides): void {
  expect(found.p).toBeCloseTo(expected.p, 10);
  expect(found.below).toBeCloseTo(expected.below, 10);
  expect(found.above).toBeCloseTo(expected.above, 10);
}

test.each(figures.normal)('point $share of the normal distribution', ({ share, point }) => {
  expect(normalPoint(share)).toBeCloseTo(point, 8);
});

test.each(figures.clopper_pearson)(
  'Clopper and Pearson: $passes of $of at $tail',
  ({ passes, of, tail, lower, upper }) => {
    expect(lowerBound(ones(passes, of), 0, tail)).toBeCloseTo(lower, 8);
    expect(upperBound(ones(passes, of), 1, tail)).toBeCloseTo(upper, 8);
  },
);

describe('McNemar', () => {
  test.each(figures.mcnemar)('$lost lost and $won won', ({ lost, won, ...sides }) => {
    const differences = [...ones(won, won), ...ones(lost, lost).map(() => -1), 0, 0];

    sidesAre(mcnemar({ lost, won }), sides);
    sidesAre(signFlips(differences), sides);
  });

  test.each(figures.mcnemar.filter(({ lost, won }) => lost + won > 0 && lost + won < 100))(
    'bounds exclude none exactly where the test rejects: $lost lost and $won won',
    ({ lost, won, below, above }) => {
      const differences = [...ones(won, won), ...ones(lost, lost).map(() => -1), ...ones(0, 30)];

      if (below < 0.5) {
        expect(upperBound(differences, 1, below * 1.001)).toBeLessThan(1e-6);
        expect(upperBound(differences, 1, below * 0.999)).toBeGreaterThan(-1e-6);
      }
      if (above < 0.5) {
        expect(lowerBound(differences, -1, above * 1.001)).toBeGreaterThan(-1e-6);
        expect(lowerBound(differences, -1, above * 0.999)).toBeLessThan(1e-6);
      }
      expect(Math.min(below, above)).toBeLessThan(0.5);
    },
  );

  test('the page of statsmodels: 59 and 121', () => {
    // https://www.statsmodels.org/stable/generated/statsmodels.stats.contingency_tables.mcnemar.html
    expect(mcnemar({ lost: 59, won: 121 }).p).toBeCloseTo(4.434e-6, 9);
  });
});

describe('Fisher', () => {
  test.each(figures.fisher)('$a of $of_a beside $b of $of_b', ({ a, of_a, b, of_b, ...sides }) => {
    sidesAre(fisher({ passes: a, of: of_a }, { passes: b, of: of_b }), sides);
    sidesAre(unpairedTest(ones(a, of_a), ones(b, of_b)), sides);
  });

  test('the lady tasting tea (Fisher, 1935): three of four', () => {
    const tea = fisher({ passes: 3, of: 4 }, { passes: 1, of: 4 });

    expect(tea.below).toBeCloseTo(17 / 70, 12);
    expect(tea.p).toBeCloseTo(34 / 70, 12);
  });

  test('bounds of samples of different cases exclude none where the test rejects, but for the chance of drawing', () => {
    const lost = unpairedChange(ones(20, 20), ones(15, 20));
    const { below } = fisher({ passes: 20, of: 20 }, { passes: 15, of: 20 });

    if ('because' in lost) throw new Error(lost.because);
    expect(lost.upper(below * 1.2)).toBeLessThan(0);
    expect(lost.upper(below * 0.8)).toBeGreaterThan(0);
  });
});

describe('exchanges', () => {
  test.each(figures.sign_flips)('all signs: $differences.length differences', ({ differences, ...sides }) => {
    const found = signFlips(differences);

    expect(found.isExact).toBe(true);
    sidesAre(found, sides);
  });

  test("Darwin's maize (Fisher, 1935): 1726 of 32768", () => {
    const inEighths = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];

    expect(signFlips(inEighths).p).toBeCloseTo(1726 / 32_768, 12);
  });

  test.each(figures.permutation)('dealt again: $a.length and $b.length', ({ a, b, p, below }) => {
    const found = unpairedTest(a, b);
    const margin = (chance: number) => 4 * Math.sqrt((chance * (1 - chance)) / 20_000) + 1e-4;

    expect(found.isExact).toBe(false);
    expect(Math.abs(found.p - p)).toBeLessThan(margin(p));
    expect(Math.abs(found.below - below)).toBeLessThan(margin(below));
  });

  test('where sums are too many, signs are drawn', () => {
    const differences = Array.from({ length: 30 }, (_, index) => Math.sin(index + 1) + 0.1);
    const found = signFlips(differences);

    expect(found.isExact).toBe(false);
    expect(found.below + found.above).toBeCloseTo(1, 2);
  });
});

test.each(figures.holm)('Holm: $p', ({ p, adjusted }) => {
  const found = holm(p);

  for (const [index, value] of adjusted.entries()) expect(found[index]).toBeCloseTo(value, 12);
});

describe('bounds of a mean', () => {
  test.each(figures.unseen_case)('as numpy draws them: $values.length values', ({ values, least, bounds }) => {
    for (const { tail, lower, upper } of bounds) {
      // Quantiles of two million draws.
      expect(Math.abs(lowerBound(values, least, tail) - lower)).toBeLessThan(2e-3);
      expect(Math.abs(upperBound(values, 1, tail) - upper)).toBeLessThan(2e-3);
    }
  });

  test.each(figures.bootstrap)(
    'close to the bootstrap (BCa) where cases are many: $name',
    ({ name, values, ...bca }) => {
      const least = name === 'differences' ? -1 : 0;
      const ours = { lower: lowerBound(values, least, 0.025), upper: upperBound(values, 1, 0.025) };
      const width = bca.upper - bca.lower;

      // A little wider, for the case that was not seen.
      expect(bca.lower - ours.lower).toBeGreaterThan(-0.03 * width);
      expect(bca.lower - ours.lower).toBeLessThan(0.12 * width);
      expect(ours.upper - bca.upper).toBeGreaterThan(-0.03 * width);
      expect(ours.upper - bca.upper).toBeLessThan(0.12 * width);
    },
  );

  test.each(figures.ratio_bootstrap)('and of what a success takes: $effort_a.length pairs', (figure) => {
    const pairs = figure.effort_a.map(
      (effort, index) =>
        [
          { effort, success: figure.success_a[index] ?? 0 },
          { effort: figure.effort_b[index] ?? 0, success: figure.success_b[index] ?? 0 },
        ] as const,
    );
    const ours = pairedEffortChange(pairs);
    const width = figure.upper - figure.lower;

    if ('because' in ours) throw new Error(ours.because);
    expect(ours.value).toBeCloseTo(figure.value, 10);
    expect(Math.abs(ours.lower(0.025) - figure.lower)).toBeLessThan(0.15 * width);
    expect(Math.abs(ours.upper(0.025) - figure.upper)).toBeLessThan(0.15 * width);
  });
});

describe('Bradley and Terry', () => {
  test.each(figures.bradley_terry)('as choix fits them', ({ wins, strengths, errors }) => {
    const ranking = rank(wins.map(([i, j, count]) => ({ a: `${i}`, b: `${j}`, wins_a: count, wins_b: 0, ties: 0 })));

    if (ranking.is !== 'ranked') throw new Error(ranking.is);
    for (const { name, strength, standardError } of ranking.ranked) {
      expect(strength).toBeCloseTo(strengths[Number(name)] ?? Number.NaN, 5);
      expect(standardError).toBeCloseTo(errors[Number(name)] ?? Number.NaN, 5);
    }
  });

  test('baseball, the American League of 1987 (Agresti, Categorical Data Analysis, table 10.10)', () => {
    const teams = ['Milwaukee', 'Detroit', 'Toronto', 'New York', 'Boston', 'Cleveland', 'Baltimore'];
    const won = [[7, 9, 7, 7, 9, 11], [7, 5, 11, 9, 9], [7, 7, 8, 12], [6, 7, 10], [7, 12], [6]];
    const ranking = rank(
      won.flatMap((row, i) =>
        row.map((wins, k) => ({
          a: teams[i] ?? '',
          b: teams[i + 1 + k] ?? '',
          wins_a: wins,
          wins_b: 13 - wins,
          ties: 0,
        })),
      ),
    );

    if (ranking.is !== 'ranked') throw new Error(ranking.is);
    const baltimore = ranking.ranked.at(-1)?.strength ?? Number.NaN;
    const published = {
      Milwaukee: 1.581,
      Detroit: 1.436,
      Toronto: 1.294,
      'New York': 1.248,
      Boston: 1.108,
      Cleveland: 0.684,
    };
    expect(ranking.ranked.map(({ name }) => name)).toEqual([...Object.keys(published), 'Baltimore']);
    for (const [index, strength] of Object.values(published).entries())
      expect((ranking.ranked[index]?.strength ?? 0) - baltimore).toBeCloseTo(strength, 3);
  });
});

test.each(figures.pass_k)('$passes of $runs runs, $k of them', ({ runs, passes, k, pass_at, pass_hat }) => {
  expect(passAt({ runs, passes }, k)).toBeCloseTo(pass_at, 12);
  expect(passHat({ runs, passes }, k)).toBeCloseTo(pass_hat, 12);
});
