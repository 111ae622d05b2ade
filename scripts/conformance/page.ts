/** `docs/conformance.md`: what the robot found, as a table, and everything in it that needs an explanation. */
import { counted } from '../../src/model/counted.ts';
import { visibleText } from '../../src/model/visible-text.ts';
import { explanationOf } from './explanations.ts';
import { figuresOf, hasDeviated, isPlayed, type RowResult, type WrongField } from './result.ts';
import { packageName, type Row } from './row.ts';

export interface PlayedRow {
  readonly row: Row;
  readonly result: RowResult;
}

export function conformancePage(rows: readonly PlayedRow[]): string {
  const played = rows.filter(({ result }) => isPlayed(result));
  const failed = rows.filter(({ result }) => !isPlayed(result));
  const figures = played.map(({ result }) => figuresOf(result));
  const [right, sent] = [sum(figures.map((row) => row.right)), sum(figures.map((row) => row.sent))];
  const wholly = figures.filter((row) => row.right === row.sent).length;
  const frameworks = new Set(played.map(({ row }) => row.framework)).size;
  return `# Conformance

Lists how much Assay reads of what each framework and instrumentation exports. A robot plays one scripted agent through
them, against a scripted model, and compares Assay's reading with the script.

**${right} of ${sent} fields that were sent are right (${percent(right, sent)}). They are of ${counted(played.length, 'row')} and
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
${played.map(tableRow).join('\n')}

## What is read wrong

${wrongList(played)}

## What could not be played

${notPlayed(played, failed)}
`;
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

function wrongList(played: readonly PlayedRow[]): string {
  const lines = played.flatMap(({ row, result }) => {
    const { wrong } = figuresOf(result);
    if (wrong.length === 0) return [];
    return [`**${row.framework}, ${row.exporter}**`, '', ...byField(wrong).map((all) => wrongLine(row, all)), ''];
  });
  const alone = played.filter(({ row }) => row.handOff === 'none').length;
  if (alone > 0) lines.push(`* ${counted(alone, 'row')} without \`hand_off\`: the script has no second agent.`);
  return lines.length === 0 ? 'Nothing.' : lines.join('\n').trimEnd();
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

function wrongLine(row: Row, all: readonly [WrongField, ...WrongField[]]): string {
  const [{ field }] = all;
  const times = all.length === 1 ? '' : ` (${all.length} times)`;
  const why = explanationOf(row.id, field.name);
  if (why !== undefined) return wrapped(`* ${field.name}${times}: ${why}`);
  return wrapped(`* ${field.name}${times}: expected ${shown(field.expected)}, read ${shown(field.read)}`);
}

function notPlayed(played: readonly PlayedRow[], failed: readonly PlayedRow[]): string {
  const lines = failed.map(({ row, result }) =>
    wrapped(`* ${row.framework}, ${row.exporter} (${LANGUAGES[row.language]}): \`${reasonOf(result)}\``),
  );
  for (const { row, result } of played)
    for (const { name, complaints } of result.behaviours.filter(hasDeviated))
      lines.push(wrapped(`* ${nameOf(row)}, ${name}: \`${plain(complaints.join('; '), REASON_MAX)}\``));
  const reasons = new Map<string, string[]>();
  for (const { row } of played)
    for (const reason of leftOut(row)) reasons.set(reason, [...(reasons.get(reason) ?? []), nameOf(row)]);
  for (const [reason, names] of reasons) lines.push(wrapped(`* ${reason}: ${[...new Set(names)].join(', ')}.`));
  const alone = played.filter(({ row }) => row.handOff === 'none').length;
  if (alone > 0) lines.push(`* ${counted(alone, 'row')} without \`hand_off\`: the script has no second agent.`);
  return lines.length === 0 ? 'Nothing.' : lines.join('\n');
}

function nameOf({ framework, exporter }: Row): string {
  return exporter.startsWith('own') ? framework : `${framework} with ${exporter}`;
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
