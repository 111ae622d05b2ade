/** Writes the result of mutation as JSON and as Markdown for a pull request or a wiki. */
import { visibleText } from '../../model/visible-text.ts';
import type { MutatedFault, SuiteMutation } from '../../model/mutation.ts';

const UNNOTICED_SHOWN = 3;

export function mutationJson(suites: readonly SuiteMutation[], { seed }: { readonly seed: number }): unknown {
  const tried = suites.reduce((sum, suite) => sum + suite.tried, 0);
  const noticed = suites.reduce((sum, suite) => sum + suite.noticed, 0);
  return {
    seed,
    summary: { suites: suites.length, tried, noticed, mutation_score: shareOf({ tried, noticed }) },
    suites: suites.map((suite) => ({
      suite: suite.suite,
      version: suite.version,
      scope: suite.scope,
      tried: suite.tried,
      noticed: suite.noticed,
      mutation_score: shareOf(suite),
      conversations: suite.goldens.map(({ name, from }) => ({ name: name.toWellFormed(), from })),
      left_out: suite.leftOut.map(({ name, from, because }) => ({ name: name.toWellFormed(), from, because })),
      judged_criteria_not_asked: suite.judged,
      criteria: suite.criteria.map(countsJson),
      faults: suite.faults.map((fault) => ({
        fault: fault.fault,
        description: fault.description,
        tried: fault.tried,
        noticed: fault.noticed,
        noticed_by_outcome_alone: fault.byOutcomeAlone,
        criteria: fault.criteria.map(countsJson),
        unnoticed: fault.unnoticed.map(({ golden, what, advice, isOutside }) => ({
          conversation: golden.name.toWellFormed(),
          what,
          advice,
          suite_applies: !isOutside,
        })),
      })),
    })),
  };
}

function countsJson(count: SuiteMutation['criteria'][number]) {
  const { criterion, noticed, notNoticed, notApplicable } = count;
  return { criterion, noticed, not_noticed: notNoticed, not_applicable: notApplicable };
}

/** Undefined where nothing was tried. */
function shareOf({ tried, noticed }: { readonly tried: number; readonly noticed: number }): number | undefined {
  return tried === 0 ? undefined : noticed / tried;
}

export function mutationMarkdown(suites: readonly SuiteMutation[]): string {
  return `# Do the suites notice?\n\n${suites.map(suiteMarkdown).join('\n')}`;
}

function suiteMarkdown(suite: SuiteMutation): string {
  if (suite.tried === 0) return `## ${suite.suite}\n\nNothing was tried: no conversation of it passes.\n`;
  const rows = suite.faults.map((fault) => {
    const cells = fault.criteria.map(cellOf);
    return `| ${fault.description} | ${fault.tried} | ${fault.noticed} | ${cells.join(' | ')} |`;
  });
  const head = ['fault', 'tried', 'noticed', ...suite.criteria.map(({ criterion }) => criterion)];
  const lines = [
    `## ${suite.suite}`,
    '',
    `${suite.noticed} of ${suite.tried} faults in ${passing(suite)} were noticed.`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows,
    '',
  ];
  const unnoticed = suite.faults.flatMap((fault) => unnoticedLines(fault));
  if (unnoticed.length > 0) lines.push('Nothing noticed:', '', ...unnoticed, '');
  return lines.join('\n');
}

function unnoticedLines({ fault, unnoticed }: MutatedFault): readonly string[] {
  return [...new Map(unnoticed.map((one) => [one.what, one])).values()]
    .slice(0, UNNOTICED_SHOWN)
    .map(
      ({ what, advice, isOutside }) =>
        `* ${fault}: ${inert(what)}. ${isOutside ? 'The suite is not for the conversation then.' : `Would notice: ${inert(advice)}`}`,
    );
}

/** `1 passing turn`, `3 passing conversations`. */
export function passing({ scope, goldens }: Pick<SuiteMutation, 'scope' | 'goldens'>): string {
  return `${goldens.length} passing ${scope}${goldens.length === 1 ? '' : 's'}`;
}

/** `2/3`: noticed in two of the three places where its question arises; nothing where it never does. */
export function cellOf({ noticed, notNoticed }: SuiteMutation['criteria'][number]): string {
  const decided = noticed + notNoticed;
  return decided === 0 ? '' : `${noticed}/${decided}`;
}

/** Text of spans without anything that Markdown would obey. */
function inert(text: string): string {
  return visibleText(text)
    .replace(/[\n\t]+/g, ' ')
    .replace(/[\\`*_[\]<>|#!&@~]/g, '\\$&');
}
