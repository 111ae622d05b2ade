/**
 * The status of the recorded runs:
 * `node test/normalize/recorded/status.ts [part of a run's name] [--verbose] [--excused]`. Prints differences that are
 * not in the table of exceptions; `--excused` prints those that are.
 */
import { EXCEPTIONS } from './exceptions.ts';
import { differencesOf, recordedRuns } from './compare.ts';

const parts = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const verbose = process.argv.includes('--verbose');
const excused = process.argv.includes('--excused');
let whole = 0;
let runs = 0;
for (const run of recordedRuns()) {
  if (parts.length > 0 && !parts.some((part) => run.includes(part))) continue;
  runs += 1;
  const differences = await differencesOf(run);
  const isExcused = (field: string) => EXCEPTIONS.some((row) => row.runs.test(run) && row.fields.test(field));
  const open = differences.filter(({ field }) => isExcused(field) === excused);
  if (differences.every(({ field }) => isExcused(field))) whole += 1;
  if (open.length === 0) continue;
  console.log(`${run}: ${open.length}`);
  if (!verbose) {
    const fields = new Set(open.map(({ field }) => field.replaceAll(/\[\d+\]/g, '[]')));
    console.log(`    ${[...fields].join(' ')}`);
    continue;
  }
  for (const { field, expected, actual } of open) {
    console.log(`    ${field}\n      expected ${shortened(expected)}\n      actual   ${shortened(actual)}`);
  }
}
console.log(`${whole} of ${runs} runs are understood as they happened`);

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
