/** `docs/reference/conformance.md`: what the robot found, as a table, and everything in it that needs an explanation. */
import { counted } from '../../src/model/counted.ts';
import { visibleText } from '../../src/model/visible-text.ts';
import { withReadingTime } from '../reading-time.ts';
import { linesOf, type PageLines } from './earlier-page.ts';
import { explanationOf } from './explanations.ts';
import { figuresOf, hasDeviated, isPlayed, type RowResult, type WrongField } from './result.ts';
import { nameOf, packageName, type Row } from './row.ts';

export interface PageRow {
  readonly row: Row;
  /** Undefined for a row that was not played here: its lines of the earlier page are kept. */
  readonly result: RowResult | undefined;
}

interface PlayedRow extends PageRow {
  readonly result: RowResult;
}

interface ShownRow extends PageLines {
  readonly row: Row;
}

export function conformancePage(rows: readonly PageRow[], earlier = ''): string {
  const shown = rows.map(({ row, result }): ShownRow => {
    return { row, ...(result === undefined ? linesOf(row, earlier) : linesOfResult({ row, result })) };
  });
  const inTable = shown.filter(({ table }) => table !== undefined);
  const figures = inTable.map(figuresIn);
  const [right, sent] = [sum(figures.map((row) => row.right)), sum(figures.map((row) => row.sent))];
  const wholly = figures.filter((row) => row.right === row.sent).length;
  const frameworks = new Set(inTable.map(({ row }) => row.framework)).size;
  return withReadingTime(`# Conformance

*For agent developers who choose a framework. 1 minute.*

Lists how much Assay reads of what each framework and instrumentation exports. A robot plays one scripted agent through
them, against a scripted model, and compares Assay's reading with the script.

**${right} of ${sent} fields that were sent are right (${percent(right, sent)}). They are of ${counted(inTable.length, 'row')} and
${counted(frameworks, 'framework')}; ${counted(wholly, 'row')} have every sent field right.**

The agent shows six behaviours:

| behaviour | what happens |
|---|---|
| \`success\` | two turns, each with one tool call |
| \`recovered\` | a tool fails, and the agent calls it again |
| \`unrecovered\` | a tool fails, and the agent says so |
| \`unanswered\` | the model fails after a tool call |
| \`parallel\` | two tool calls in one answer of the model |
| \`hand_off\` | a second agent takes over, or is asked by a tool |

Fields of a turn are its question, its answer or failure, tools, arguments, results, tool errors, number of model calls,
and tokens. Fields of a conversation are its id, its number of turns, its agent, and the second agent.

A field is *sent* if its value is anywhere in the spans and log records. Fields that were not sent count neither as
right nor as wrong, and criteria that need them are not applicable. Exporters ran with content switched on.

<!-- not run: installs every framework, which takes hours -->
\`\`\`sh
npm run conformance -- --newest --pin        # the newest releases; writes this page
npm run conformance -- --only agno-genai     # one row, with the versions of this page
\`\`\`

| framework | version | exporter | version | language | date | right of sent | not sent |
|---|---|---|---|---|---|---|---|
${inTable.map(({ table }) => table).join('\n')}

## What is read wrong

${wrongList(inTable)}

## What could not be played

${notPlayed(shown, inTable)}
`);
}

const LANGUAGES = { python: 'Python', javascript: 'JavaScript', java: 'Java' } as const;

function tableRow({ row, result }: PlayedRow): string {
  const { right, sent, notSent } = figuresOf(result);
  const [framework = '', exporter = ''] = row.packages.map(packageName);
  const isOwn = row.exporter.startsWith('own');
  const cells = [
    row.framework,
    result.versions[framework] ?? '',
    row.exporter,
    isOwn ? '' : (result.versions[exporter] ?? ''),
    LANGUAGES[row.language],
    result.date,
    right === sent ? `${right} of ${sent}` : `**${right} of ${sent}**`,
    notSent.join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

function linesOfResult(played: PlayedRow): PageLines {
  const { row, result } = played;
  if (!isPlayed(result)) {
    const failed = `* ${row.framework}, ${row.exporter} (${LANGUAGES[row.language]}): \`${reasonOf(result)}\``;
    return { table: undefined, wrong: '', notPlayed: [wrapped(failed)] };
  }
  const wrong = wrongLines(row, figuresOf(result).wrong);
  const deviated = result.behaviours.filter(hasDeviated).map(({ name, complaints }) => {
    return wrapped(`* ${nameOf(row)}, ${name}: \`${plain(complaints.join('; '), REASON_MAX)}\``);
  });
  return { table: tableRow(played), wrong: wrong.join('\n'), notPlayed: deviated };
}

const FIGURES = /\| \**(\d+) of (\d+)\** \|[^|]*\|$/;

function figuresIn({ table, row }: ShownRow): { readonly right: number; readonly sent: number } {
  const [, right, sent] = FIGURES.exec(table ?? '') ?? [];
  if (right === undefined) throw new Error(`${row.id}: its line on the page has no figures: ${table}`);
  return { right: Number(right), sent: Number(sent) };
}

function wrongList(rows: readonly ShownRow[]): string {
  const found = rows.filter(({ wrong }) => wrong !== '');
  const lists = found.map(({ row, wrong }) => `**${row.framework}, ${row.exporter}**\n\n${wrong}`);
  return lists.length === 0 ? 'Nothing.' : lists.join('\n\n');
}

function byField(wrong: readonly WrongField[]): readonly (readonly [WrongField, ...WrongField[]])[] {
  const groups = new Map<string, [WrongField, ...WrongField[]]>();
  for (const item of wrong) {
    const group = groups.get(item.field.name);
    if (group === undefined) groups.set(item.field.name, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** Fields that are wrong for the same reason share a line. */
function wrongLines(row: Row, wrong: readonly WrongField[]): readonly string[] {
  const begun = new Map<string, string[]>();
  for (const all of byField(wrong)) {
    const [{ field }] = all;
    const why = explanationOf(row.id, field.name) ?? `expected ${shown(field.expected)}, read ${shown(field.read)}`;
    const times = all.length === 1 ? '' : ` (${all.length} times)`;
    begun.set(why, [...(begun.get(why) ?? []), `${field.name}${times}`]);
  }
  return [...begun].map(([why, fields]) => {
    // A long list is a sentence by itself.
    const reason = fields.length > 3 ? `. ${why.charAt(0).toUpperCase()}${why.slice(1)}.` : `: ${why}`;
    return wrapped(`* ${fields.join(', ')}${reason}`);
  });
}

function notPlayed(rows: readonly ShownRow[], inTable: readonly ShownRow[]): string {
  const lines = rows.flatMap((row) => row.notPlayed);
  const reasons = new Map<string, string[]>();
  for (const { row } of inTable)
    for (const reason of leftOut(row)) reasons.set(reason, [...(reasons.get(reason) ?? []), nameOf(row)]);
  for (const [reason, names] of reasons) lines.push(wrapped(`* ${reason}: ${[...new Set(names)].join(', ')}.`));
  const alone = inTable.filter(({ row }) => row.handOff === 'none').length;
  if (alone > 0) lines.push(`* ${counted(alone, 'row')} without \`hand_off\`: the script has no second agent.`);
  return lines.length === 0 ? 'Nothing.' : lines.join('\n');
}

function leftOut(row: Row): readonly string[] {
  return Object.values(row.without ?? {});
}

const REASON_MAX = 140;
function reasonOf({ failure, behaviours }: RowResult): string {
  const said = failure ?? behaviours.flatMap(({ complaints }) => complaints).join('; ');
  return plain(said.trim().split('\n')[0] ?? '', REASON_MAX);
}

const SHOWN_MAX = 80;
function shown(value: unknown): string {
  return `\`${plain(JSON.stringify(value) ?? 'nothing', SHOWN_MAX)}\``;
}

/** Text of exports and package managers, which may hold anything. */
function plain(text: string, max: number): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text;
  return visibleText(cut).replaceAll(/[`|<>\n]/g, "'");
}

const WIDTH = 120;
function wrapped(item: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of item.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = `  ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

function percent(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${((100 * part) / whole).toFixed(1)} %`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
