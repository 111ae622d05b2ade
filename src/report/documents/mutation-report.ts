/** Writes the result of mutation as JSON and for a person. */
import { counted } from '../../model/counted.ts';
import type { MutatedFault, SuiteMutation } from '../../model/mutation.ts';
import { aside, type Block, type Document, line, list, listed, name, type Row } from './document.ts';
import { say, section, subject, toned } from './document.ts';

const UNNOTICED_SHOWN = 3;
const LEFT_OUT_SHOWN = 3;

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

export function mutationDocument(suites: readonly SuiteMutation[]): Document {
  return { title: 'Do the suites notice?', blocks: suites.map(suiteSection) };
}

/** A table of faults and criteria, the faults that nothing noticed, and the criteria that noticed none. */
function suiteSection(mutation: SuiteMutation): Block {
  const { suite, tried, noticed, criteria, faults, judged, scope, goldens } = mutation;
  if (tried === 0)
    return section(say`${subject(suite)}   nothing to break: no ${scope} of it passes`, leftOutBlocks(mutation));
  const counts = `${noticed} of ${tried} faults noticed (${((100 * noticed) / tried).toFixed(1)} %)`;
  const idle = criteria.filter((one) => one.noticed === 0).map(({ criterion }) => criterion);
  const numbers = criteria.map((_, index) => `[${index + 1}]`);
  return section(say`${subject(suite)}   ${counts}, in ${counted(goldens.length, `passing ${scope}`)}`, [
    list(criteria.map(({ criterion }, index) => say`${numbers[index] ?? ''} ${name(criterion)}`)),
    {
      is: 'table',
      align: `l${'r'.repeat(criteria.length + 1)}`,
      rows: [{ head: ['fault', 'noticed', ...numbers, ''] }, ...faults.map(faultRow)],
    },
    ...unnoticedBlocks(mutation),
    ...(idle.length === 0
      ? []
      : [
          section(say`Noticed nothing   ${listed(idle)}`, [
            aside('That is no problem for criteria that ask about something else than these faults.'),
          ]),
        ]),
    ...(judged.length === 0 ? [] : [line(say`Judges are not asked: ${listed(judged)}`)]),
    ...leftOutBlocks(mutation),
  ]);
}

function faultRow({ fault, description, tried, noticed, criteria }: MutatedFault): Row {
  if (tried === 0) return [name(fault), '–', toned('aside', 'no place for it')];
  const tone = noticed === tried ? 'good' : noticed === 0 ? 'bad' : 'unsure';
  return [name(fault), toned(tone, `${noticed}/${tried}`), ...criteria.map(cellOf), toned('aside', description)];
}

/** `2/3`: noticed in two of the three places where its question arises; nothing where it never does. */
function cellOf({ noticed, notNoticed }: SuiteMutation['criteria'][number]): string {
  const decided = noticed + notNoticed;
  return decided === 0 ? '' : `${noticed}/${decided}`;
}

function unnoticedBlocks({ faults, suite }: SuiteMutation): readonly Block[] {
  const rows = faults.flatMap(({ fault, unnoticed }): readonly Row[] => {
    const different = [...new Map(unnoticed.map((one) => [one.what, one])).values()];
    const left = different.length - UNNOTICED_SHOWN;
    return [
      ...different.slice(0, UNNOTICED_SHOWN).flatMap(({ golden, what, advice, isOutside }): readonly Row[] => [
        [say`${name(fault)}: ${what} (${name(golden.name)})`],
        {
          below: [isOutside ? `${suite} is not for the conversation then: see its \`match\`` : `See it by ${advice}`],
        },
      ]),
      ...(left > 0 ? [[say`${name(fault)}: and ${left} more`]] : []),
    ];
  });
  return rows.length === 0 ? [] : [section('Nothing noticed', [{ is: 'table', rows }])];
}

function leftOutBlocks({ leftOut }: SuiteMutation): readonly Block[] {
  if (leftOut.length === 0) return [];
  const reasons = [...Map.groupBy(leftOut, ({ because }) => because)].sort(([, a], [, b]) => b.length - a.length);
  const shown = reasons.slice(0, LEFT_OUT_SHOWN).map(([because, { length }]) => `${length} as ${because}`);
  return [section(`Left out: ${leftOut.length}`, [list(shown)])];
}
