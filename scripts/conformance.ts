/**
 * Installs agent frameworks, plays one scripted agent through each, and compares what Assay reads of their spans with
 * the script:
 *
 *     npm run conformance                              every row, with the versions of `conformance/pins.json`
 *     npm run conformance -- --newest --pin            … with the newest releases; keeps their versions and the page
 *     npm run conformance -- --only agno-genai,dspy-genai --keep
 *
 *     npm run conformance -- --reread --pin            reads the exports of earlier runs again, and writes the page
 *
 * Each row's exports (`<behaviour>.bin`) and `result.json` are left below `--out`. A row that fails has its reason in
 * the table and fails nothing else. On the page, rows that were never played below `--out` keep their lines. `--min 0.97` makes the command fail where less of the sent fields is read right.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { conformancePage } from './conformance/page.ts';
import { playRow, rereadRow } from './conformance/play-row.ts';
import { figuresOf, isPlayed, type RowResult } from './conformance/result.ts';
import type { Row } from './conformance/row.ts';
import { ROWS } from './conformance/rows.ts';

const { values } = parseArgs({
  options: {
    newest: { type: 'boolean', default: false },
    pin: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    reread: { type: 'boolean', default: false },
    only: { type: 'string' },
    out: { type: 'string', default: path.join(tmpdir(), 'conformance-exports') },
    timeout: { type: 'string', default: '600' },
    min: { type: 'string' },
  },
});
const PINS = path.join(import.meta.dirname, 'conformance/pins.json');
const PAGE = path.resolve(import.meta.dirname, '../docs/reference/conformance.md');

// The cast is the file's format: versions by package, by row.
const pins = JSON.parse(readFileSync(PINS, 'utf8')) as Readonly<Record<string, Readonly<Record<string, string>>>>;
const results: RowResult[] = [];
for (const row of chosenRows()) results.push(...(values.reread ? await reread(row) : [await playedAndKept(row)]));
const measured = results.map(figuresOf);
const [right, sent] = [total(measured.map((row) => row.right)), total(measured.map((row) => row.sent))];
process.stdout.write(
  `${right} of ${sent} sent fields are right, in ${results.filter(isPlayed).length} rows of ${results.length}\n`,
);
if (values.pin) keepPins();
const min = Number(values.min ?? 0);
if (right < min * sent || results.some((result) => min > 0 && !isPlayed(result))) process.exitCode = 1;

function chosenRows(): readonly Row[] {
  const only = values.only?.split(',');
  const unknown = only?.filter((id) => !ROWS.some((row) => row.id === id)) ?? [];
  if (unknown.length > 0)
    throw new Error(`no row is called ${unknown.join(', ')}; there are ${ROWS.map(({ id }) => id).join(', ')}`);
  return ROWS.filter(({ id }) => only?.includes(id) ?? true);
}

async function playedAndKept(row: Row): Promise<RowResult> {
  const began = performance.now();
  const result = await playRow(row, {
    pins: values.newest ? {} : (pins[row.id] ?? {}),
    out: values.out,
    timeoutMs: Number(values.timeout) * 1000,
    keep: values.keep,
    today: new Date().toISOString().slice(0, 10),
  });
  keepResult(result);
  process.stdout.write(`${lineOf(result)}, ${Math.round((performance.now() - began) / 1000)} s\n`);
  return result;
}

async function reread(row: Row): Promise<readonly RowResult[]> {
  const before = keptResult(row);
  if (before === undefined) return [];
  const result = await rereadRow(row, before, values.out);
  keepResult(result);
  process.stdout.write(`${lineOf(result)}\n`);
  return [result];
}

function keepResult(result: RowResult): void {
  const folder = path.join(values.out, result.row);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'result.json'), `${JSON.stringify(result, undefined, 1)}\n`);
}

function lineOf(result: RowResult): string {
  const figures = figuresOf(result);
  const played = `${result.row}: ${figures.right} of ${figures.sent}`;
  const times = new Map<string, number>();
  for (const { field } of figures.wrong) times.set(field.name, (times.get(field.name) ?? 0) + 1);
  const wrong = [...times].map(([name, count]) => `${name} ×${count}`);
  return [
    played,
    ...(wrong.length > 0 ? [`wrong ${wrong.join(', ')}`] : []),
    ...(figures.notSent.length > 0 ? [`not sent ${figures.notSent.join(', ')}`] : []),
    ...(result.failure === undefined ? [] : [`FAILED ${result.failure.split('\n')[0]}`]),
  ].join('; ');
}

function keepPins(): void {
  const found = results.map(({ row, versions }) => [row, versions] as const);
  const kept = { ...pins, ...Object.fromEntries(found.filter(([, versions]) => Object.keys(versions).length > 0)) };
  const inOrder = Object.fromEntries(ROWS.flatMap(({ id }) => (kept[id] === undefined ? [] : [[id, kept[id]]])));
  writeFileSync(PINS, `${JSON.stringify(inOrder, undefined, 2)}\n`);
  writeFileSync(
    PAGE,
    conformancePage(
      ROWS.map((row) => ({ row, result: keptResult(row) })),
      readFileSync(PAGE, 'utf8'),
    ),
  );
}

/** Result of the row's last run below `--out`; undefined where it never ran there. */
function keptResult(row: Row): RowResult | undefined {
  try {
    const text = readFileSync(path.join(values.out, row.id, 'result.json'), 'utf8');
    // The cast is the format that `playedAndKept` writes.
    return JSON.parse(text) as RowResult;
  } catch {
    return undefined;
  }
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
