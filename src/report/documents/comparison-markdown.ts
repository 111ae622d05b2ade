/** A comparison as Markdown, for a pull request. */
import { flippedWord, wordsOf, wordText } from '../../model/suite-words.ts';
import { counted } from '../../model/counted.ts';
import type { Comparison, ComparisonWord, Reliability, SuiteComparison } from '../../model/comparison.ts';
import type { Experiment } from '../../model/experiment.ts';
import {
  type ComparisonRow,
  casesText,
  formatChange,
  formatInterval,
  formatLevel,
  formatP,
  formatShare,
  knownText,
  rowGroups,
  splitText,
} from './comparison-rows.ts';
import { markdownCode, markdownText } from './markdown-text.ts';

const FLAKY_MAX = 10;

export function comparisonMarkdown(comparison: Comparison, flippedMax: number): string {
  const { a, b, confidence, warnings, suites } = comparison;
  const percent = Number((confidence * 100).toFixed(1));
  const lines = [`## ${markdownCode(b.name, 80)} beside ${markdownCode(a.name, 80)}`, ''];
  lines.push(`* A: ${sideText(a)}`, `* B: ${sideText(b)}`, '');
  for (const warning of warnings) lines.push(`> ${markdownText(warning, 1000)}`, '');
  if (suites.length === 0) lines.push('No suite scored both.', '');
  for (const suite of suites) {
    lines.push(`### ${markdownText(suite.suite)}`, '', `${markdownText(casesText(suite), 1000)}.`, '');
    for (const known of knownText(suite)) lines.push(`${markdownText(known)}.`, '');
    for (const warning of suite.warnings) lines.push(`> ${markdownText(warning, 1000)}`, '');
    for (const { title, rows } of rowGroups(suite)) {
      if (rows.length === 0) continue;
      lines.push(`| ${title} | A | B | change | ${percent} % interval | p | |`, '|---|---|---|---|---|---|---|');
      lines.push(...rows.map(rowText), '');
    }
    if (suite.split !== undefined)
      lines.push(
        `What moved the ${wordsOf(suite.about).score}: ${splitText(suite.split, (criterion) => markdownCode(criterion, 80))}.`,
        '',
      );
    lines.push(...flippedText(suite, flippedMax), ...reliabilityText(suite));
  }
  lines.push(
    'The intervals are for all cases that the dataset stands for: they leave room for one that was not seen, and so may have 0 in them where p, for these cases, is small. ' +
      'p of criteria is adjusted for their number (Holm).',
  );
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`;
}

function sideText({ id, name, agent, git, dataset, repeats }: Experiment): string {
  const version = agent.version === undefined ? '' : `, version ${markdownCode(agent.version, 80)}`;
  const commit = git === undefined ? '' : `, commit ${markdownCode(git.commit.slice(0, 12))}`;
  const cases = `${counted(dataset.cases, 'case')}${repeats > 1 ? `, ${repeats} times` : ''}`;
  return `${markdownCode(name, 80)} (${markdownCode(id)}${version}${commit}, ${cases})`;
}

function rowText({ name, unit, compared }: ComparisonRow): string {
  if (compared.is === 'not_compared')
    return `| ${markdownCode(name, 80)} | | | | | | ${markdownText(compared.because)} |`;
  const cells = [
    markdownCode(name, 80),
    formatLevel(compared.a, unit),
    formatLevel(compared.b, unit),
    formatChange(compared.change, unit, compared.isRelative),
    formatInterval(compared, unit),
    markdownText(formatP(compared.adjustedP)),
    isLoss(compared.word) ? `**${wordText(compared)}**` : wordText(compared),
  ];
  return `| ${cells.join(' | ')} |`;
}

function isLoss(word: ComparisonWord | undefined): boolean {
  return word === 'worse' || word === 'more_faults';
}

function flippedText({ flipped, about }: Pick<SuiteComparison, 'flipped' | 'about'>, most: number): string[] {
  if (flipped.length === 0) return ['No case flipped.', ''];
  const worse = flipped.filter(({ direction }) => direction === 'worse').length;
  const counts = `${counted(worse, 'case')} ${flippedWord('worse', about)}, ${flipped.length - worse} ${flippedWord('better', about)}`;
  if (most === 0) return [`${counts}.`, ''];
  return [
    `${counts}:`,
    '',
    ...flipped.slice(0, most).map((one) => {
      const criteria = one.criteria.map(
        ({ criterion, a, b }) => `${markdownCode(criterion, 80)} ${a < b ? 'won' : 'lost'}`,
      );
      const scores = [one.score.a, one.score.b].map((score) =>
        score === undefined ? 'none' : formatLevel(score, 'score'),
      );
      const ends = [...new Set(one.ends.b)].map((end) => markdownCode(end));
      return `* ${markdownCode(one.case, 80)} ${flippedWord(one.direction, about)}, score ${scores.join(' → ')}${[...criteria, ...ends].map((text) => `; ${text}`).join('')}`;
    }),
    ...(flipped.length > most ? [`* and ${flipped.length - most} more`] : []),
    '',
  ];
}

function reliabilityText({ reliability }: SuiteComparison): string[] {
  const lines: string[] = [];
  for (const [name, one] of Object.entries(reliability) as ['a' | 'b', Reliability][]) {
    if (one.passes.length === 0) continue;
    lines.push(`| ${name.toUpperCase()}, ${one.repeats} runs a case | pass@k | pass^k |`, '|---|---|---|');
    for (const { k, passAt, passHat } of one.passes)
      lines.push(`| k = ${k} | ${formatShare(passAt)} | ${formatShare(passHat)} |`);
    lines.push('');
    if (one.flakyCases.length > 0) {
      const named = one.flakyCases.slice(0, FLAKY_MAX);
      const cases = named.map((flaky) => `${markdownCode(flaky.case, 80)} (${flaky.passes} of ${flaky.runs})`);
      const more = one.flakyCases.length - named.length;
      lines.push(`Repeats do not agree: ${cases.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`, '');
    }
  }
  return lines;
}
