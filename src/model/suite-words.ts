/**
 * Words for the figures of a suite, the same on every surface. Only where the task was checked do they speak of success:
 * a suite about form, or about rules, counts faults, and says nothing of what was done.
 */
import type { ComparisonWord } from './comparison.ts';
import type { About } from './evaluation.ts';

interface SuiteWords {
  /** The mean score. */
  readonly score: string;
  /** The word spelled out, for a reader who sees it for the first time. */
  readonly spelledOut: string;
  /** The share of good outcomes, behind a figure: `82.5 % successful`. */
  readonly good: string;
  /** Word for the column of a table. */
  readonly goodRate: string;
  /** Behind `per`: what effort is counted for. */
  readonly one: string;
  /** The limit of what such figures say, as a sentence; undefined where there is none. */
  readonly limit: string | undefined;
}

const WORDS = {
  task: {
    score: 'TCR',
    spelledOut: 'TCR: task completion rate, the mean score from 0 to 1',
    good: 'successful',
    goodRate: 'success rate',
    one: 'success',
    limit: undefined,
  },
  rules: {
    score: 'rule score',
    spelledOut: 'rule score: the mean score from 0 to 1 of a suite about rules',
    good: 'without a broken rule',
    goodRate: 'without a broken rule',
    one: 'one without a broken rule',
    limit: 'rules only: says nothing about whether the task was done',
  },
  form: {
    score: 'form score',
    spelledOut: 'form score: the mean score from 0 to 1 of a suite about form',
    good: 'without a fault',
    goodRate: 'without a fault',
    one: 'one without a fault',
    limit: 'form only: says nothing about whether the task was done',
  },
} as const satisfies Record<About, SuiteWords>;

/** Figures of which that is not known are taken as they were before it was kept: for being about the task. */
export function wordsOf(about: About | null | undefined): SuiteWords {
  return WORDS[about ?? 'task'];
}

/** Whether success and its loss may be spoken of. */
export function speaksOfSuccess(about: About | null | undefined): boolean {
  return wordsOf(about).limit === undefined;
}

const SAID = {
  better: 'better',
  worse: 'worse',
  fewer_faults: 'fewer faults',
  more_faults: 'more faults',
  no_difference_shown: 'no difference shown',
  not_enough_evidence: 'not enough evidence',
} as const satisfies Record<ComparisonWord, string>;

/** Words for a change to the good and to the bad. */
export function changeWords(about: About | null | undefined): {
  readonly good: 'better' | 'fewer_faults';
  readonly bad: 'worse' | 'more_faults';
} {
  return speaksOfSuccess(about) ? { good: 'better', bad: 'worse' } : { good: 'fewer_faults', bad: 'more_faults' };
}

/** `with more faults`, of cases and conversations that are counted. */
export function flippedWord(direction: 'worse' | 'better', about: About | null | undefined): string {
  const { good, bad } = changeWords(about);
  return SAID[direction === 'worse' ? bad : good];
}

/** `Worse`, at the beginning of a sentence. */
export function saidOf(word: ComparisonWord): string {
  const said = SAID[word];
  return `${said.slice(0, 1).toUpperCase()}${said.slice(1)}`;
}

interface Concluded {
  readonly word: ComparisonWord | undefined;
  readonly casesNeeded: number | undefined;
  readonly cases: number;
  readonly missing?: string | undefined;
}

/** Conclusion in the words of `assay gate`; `unit` is the plural of what is compared. */
export function wordText({ word, casesNeeded, cases, missing }: Concluded, unit = 'cases'): string {
  if (word === undefined) return '';
  if (word !== 'not_enough_evidence') return SAID[word];
  if (missing !== undefined) return `${SAID[word]}: ${missing}`;
  if (casesNeeded === undefined) return `${SAID[word]}: too near the limit to tell`;
  return casesNeeded > cases
    ? `${SAID[word]}: about ${casesNeeded} ${unit} would tell`
    : `${SAID[word]}, and no loss that matters`;
}
