/** The conclusion about a measure, in words: the same in a terminal, in a pull request and in the page. */
import type { ComparisonWord } from './comparison.ts';

const WORDS = {
  better: 'better',
  worse: 'worse',
  no_difference_shown: 'no difference shown',
  not_enough_evidence: 'not enough evidence',
} as const satisfies Record<ComparisonWord, string>;

interface Concluded {
  readonly word: ComparisonWord | undefined;
  readonly casesNeeded: number | undefined;
  readonly cases: number;
}

/** As `assay gate` says it; `unit` is what is compared, in the plural. */
export function wordText({ word, casesNeeded, cases }: Concluded, unit = 'cases'): string {
  if (word === undefined) return '';
  if (word !== 'not_enough_evidence') return WORDS[word];
  if (casesNeeded === undefined) return `${WORDS[word]}: too near the limit to tell`;
  return casesNeeded > cases
    ? `${WORDS[word]}: about ${casesNeeded} ${unit} would tell`
    : `${WORDS[word]}, and not worse by what matters`;
}
