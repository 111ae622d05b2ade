/** Two versions side by side: rows, bars, conclusions, cases that flipped, and the answer about other weights. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ComparedFigures, ComparedJson } from '../../src/api/comparison.ts';
import type { WhatIf } from '../../src/api/what-if.ts';
import { WhatIfResult } from '../../src/page/suites/what-if-result.tsx';
import { ChangeBar, reachOf } from '../../src/page/versions/change-bar.tsx';
import { MeasureTable } from '../../src/page/versions/measure-table.tsx';
import { changeText, intervalText, levelText, rowsOf } from '../../src/page/versions/measures.ts';
import { NoExperiments, OneExperiment } from '../../src/page/versions/no-experiments.tsx';
import { countOf, markupOf, wordsOf } from './shown.tsx';

beforeEach(() => vi.stubGlobal('navigator', {}));
afterEach(() => vi.unstubAllGlobals());

function compared(changes: Partial<ComparedFigures> = {}): ComparedFigures {
  return {
    ...{ word: 'worse', a: 0.8, b: 0.7, change: -0.1, lower: -0.2, upper: -0.05, relative: false, paired: true },
    ...{ cases: 40, p: 0.01, adjusted_p: 0.02, test: 'mcnemar', cases_needed: null, cases_moved: 6, more_cases: 0 },
    ...changes,
  };
}

const MEASURED = {
  about: 'task',
  score: compared(),
  success: compared({ word: 'no_difference_shown' }),
  steps_per_success: compared({ word: null, relative: true }),
  tokens_per_success: compared({ word: null, relative: true }),
  cost_per_success: { word: null, because: 'no price is known' },
} as const;

const criterion = (name: string, changes: Partial<ComparedFigures> = {}): ComparedJson & { criterion: string } => ({
  ...compared(changes),
  criterion: name,
});

test('criteria stand in the order of what needs attention; those that are alike or unchanged take a line each', () => {
  const rows = rowsOf({
    ...MEASURED,
    criteria: [
      criterion('alike', { word: 'no_difference_shown' }),
      criterion('unknown', { word: 'not_enough_evidence' }),
      criterion('better', { word: 'better' }),
      criterion('unchanged', { cases_moved: 0 }),
      criterion('worse'),
    ],
  });

  expect(rows.shown.map(({ name }) => name).slice(2, 5)).toEqual(['worse', 'better', 'unknown']);
  expect([rows.alike, rows.unchanged]).toEqual([['alike'], ['unchanged']]);
  expect(rows.shown).toHaveLength(8);
});

test.each([
  ['all failed before and after', { a: 0, b: 0 }, true],
  ['all passed before and after', { a: 1, b: 1 - 1e-12 }, true],
  ['half passed before and after: other cases may have', { a: 0.5, b: 0.5 }, false],
])('of different cases a figure is unchanged only without any spread: %s', (_, levels, isUnchanged) => {
  const one = criterion('x', { ...levels, change: 0, cases_moved: null });

  expect(rowsOf({ ...MEASURED, criteria: [one] }).unchanged).toEqual(isUnchanged ? ['x'] : []);
});

test('runs that failed have a row where any did', () => {
  const named = (a: number) =>
    rowsOf({ ...MEASURED, criteria: [], failed_runs: compared({ a, b: 0 }) }).shown.map(({ name }) => name);

  expect(named(0.1)).toContain('Runs that failed');
  expect(named(0)).not.toContain('Runs that failed');
});

test.each([
  [{ change: -0.042 }, 'share', '−4.2 points'],
  [{ change: 0 }, 'share', '0.0 points'],
  [{ change: -0.125, relative: true }, 'number', '−12.5 %'],
  [{ change: 0.0304 }, 'score', '+0.030'],
  [{ change: -0.0001 }, 'score', '0.000'],
] as const)('a difference is written with its sign and its unit: %j of a %s', (changes, unit, text) => {
  expect(changeText(compared(changes), unit)).toBe(text);
});

test.each([
  [{ lower: null, upper: 0.1, relative: true }, 'any less to +10.0 %'],
  [{ lower: -0.1, upper: null, relative: true }, '−10.0 % to any more'],
  [{ lower: -1, upper: null, relative: true }, 'not known'],
  [{ lower: -0.2, upper: -0.05 }, '−20.0 to −5.0'],
])('an interval without a bound says so: %j', (changes, text) => {
  expect(intervalText(compared(changes), 'share')).toBe(text);
});

test.each([
  [0.12345, 'score', '0.123'],
  [0.5, 'share', '50.0 %'],
  [1234.5, 'number', '1235'],
  [3.146, 'number', '3.15'],
  [0.004, 'usd', '$0.004'],
] as const)('a level of %d as a %s is %s', (value, unit, text) => {
  expect(levelText(value, unit)).toBe(text);
});

test('all bars of a table have one scale, which the smallest difference that matters fits in', () => {
  expect(reachOf([compared({ lower: -0.3, upper: 0.1 })], 0.02)).toBeCloseTo(0.315);
  expect(reachOf([], 0.02)).toBeCloseTo(0.042);
  // Beyond this an interval says no more, and the bars beside it would be dots.
  expect(reachOf([compared({ upper: 50 })], 0.02)).toBe(2);
});

test('a bar without a bound goes to the edge, and never beyond it', () => {
  const bar = markupOf(<ChangeBar compared={compared({ lower: null, upper: 9, change: 9 })} reach={1} smallest={0} />);
  const numbers = [...bar.matchAll(/[MHVx=" ](\d+(?:\.\d+)?)/g)].map(([, number]) => Number(number));

  expect(bar).toContain('d="M0 10H160');
  expect(Math.max(...numbers)).toBeLessThanOrEqual(160);
  expect(bar).not.toContain('NaN');
});

const table = (rows: Parameters<typeof MeasureTable>[0]['rows'], unchanged: readonly string[] = []) => (
  <MeasureTable rows={rows} unchanged={unchanged} alike={['a', 'b']} smallest={0.02} unit="cases" label="Figures" />
);

test('a measure that is not compared says why, across the columns', () => {
  const { shown } = rowsOf({ ...MEASURED, criteria: [] });

  expect(wordsOf(table(shown))).toContain('Cost per success not compared: no price is known');
  expect(markupOf(table(shown))).toContain('colspan="6"');
});

test('criteria that are fine are counted, one or several', () => {
  const words = wordsOf(table([], ['only']));

  expect(words).toMatch(/1 criterion did not change only.*2 criteria show no difference that matters a, b$/);
  expect(wordsOf(table([]))).not.toContain('did not change');
});

test('a name of a criterion is text', () => {
  const { shown } = rowsOf({ ...MEASURED, criteria: [criterion('<img src=x>')] });

  expect(countOf(table(shown), /<img/)).toBe(0);
});

test('with no experiment, or one, the next step is a command', () => {
  const one = {
    ...{ id: 'e 1', name: 'before', started_at: '2026-11-27T10:00:00Z', ended_at: null, state: 'ended', runs: 3 },
    dataset: { name: 'd', version: '1', fingerprint: 'f', cases: 3 },
  };

  expect(wordsOf(<NoExperiments hasFolder />)).toMatch(/npx assay dataset from-store.*npx assay run/);
  expect(wordsOf(<NoExperiments hasFolder={false} />)).toContain('This instance has no folder of experiments.');
  // The cast holds for the parts that are shown.
  expect(
    wordsOf(<OneExperiment experiment={one as unknown as Parameters<typeof OneExperiment>[0]['experiment']} />),
  ).toMatch(/before has 3 runs of 3 cases of the dataset d\..*npx assay show 'e 1'/);
});

const side = { outcomes: { successful_completion: 3, hard_failure: 1 } as WhatIf['before']['outcomes'] };

function answer(changes: Partial<WhatIf> = {}): WhatIf {
  return {
    ...{ suite: 'calls', version: '1', scope: 'conversation', looked_at: 4, compared: 4, before: side, after: side },
    ...{ criteria: [], changed: 0, moved: [], yaml: '', is_diff: true, ...changes },
  };
}

const result = (changes: Partial<WhatIf>) => <WhatIfResult answer={answer(changes)} about="task" />;

test('other weights with nothing to weigh have no figures', () => {
  expect(wordsOf(result({ compared: 0 }))).toBe('No conversation of this time was scored by this suite.');
  expect(wordsOf(result({ compared: 0, scope: 'turn' }))).toContain('No turn of this time');
});

test('figures are shown as they are and as they would be; one that is not known gives no difference', () => {
  const known = { value: 0.5, low: 0.4, high: 0.6, n: 4 };
  const words = wordsOf(
    result({
      changed: 2,
      before: { tcr: known, outcomes: { ...side.outcomes, hard_failure: 0 } },
      after: { tcr: { ...known, value: 0.45 }, success: known, outcomes: { ...side.outcomes, hard_failure: 2 } },
    }),
  );

  expect(words).toMatch(/^2 of 4 conversations would have a different score or outcome\./);
  expect(words).toMatch(/the mean score 0\.500 .* 0\.450 .* −5\.0 points/);
  expect(words).toMatch(/not known 50\.0 % \(40\.0–60\.0\).*hard failure 0 2 \+2/);
});

test('evaluations that cannot be weighed are counted with the reason, and so are changes beyond those shown', () => {
  const moved = {
    ...{ conversation_id: '<b>c</b>', agent: 'a', agent_version: 'v', moved_by: [] },
    before: { score: 0.2, outcome: 'hard_failure' },
    after: { score: null, outcome: 'unscored' },
  } as const;
  const shown = result({ changed: 1_001, moved: [moved], not_answered: { other_version: 1_200 } });

  expect(wordsOf(shown)).toContain('1,200 are in no figure: they are by a version of the suite with other criteria');
  expect(wordsOf(shown)).toMatch(/<b>c<\/b>hard failure 0\.20→ would be unscored no score.*1,000 more change\.$/);
  expect(countOf(shown, /<b>c/)).toBe(0);
});

test('a change of the file is a diff to copy, or the sentence that says why there is none', () => {
  expect(wordsOf(result({ yaml: '-weight: 1\n+weight: 2' }))).toContain('-weight: 1 +weight: 2Copy the diff');
  expect(wordsOf(result({ yaml: 'It is written in code.', is_diff: false }))).toMatch(/It is written in code\.$/);
});
