/** Verdicts, outcomes and causes are handled where the compiler sees whether a kind is missing. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CLOSE_CAUSES } from '../src/model/causes.ts';
import { OUTCOMES, VERDICTS } from '../src/model/evaluation.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const COMPARED = new RegExp(
  `(?:verdict|outcome|[^e]cause)\\s*[!=]==\\s*'(?:${[...VERDICTS, ...OUTCOMES, ...CLOSE_CAUSES].join('|')})'`,
  'i',
);
/** What a judge said beside people's labels, and what is remarked on a criterion, is a pass or a fail and nothing else. */
const OF_TWO_KINDS = [
  'src/calibrate/confusion.ts',
  'src/calibrate/pair-up.ts',
  'src/cli/print-review.ts',
  'src/store/postgres/labels.ts',
  'src/store/sqlite/label-rows.ts',
];

test('no kind is picked out by a comparison, which a new kind would pass by: write a table or a switch of all kinds, or ask decision.ts or severity.ts of the model', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !OF_TWO_KINDS.includes(file));

  expect(files.filter((file) => COMPARED.test(readFileSync(path.join(ROOT, file), 'utf8')))).toEqual([]);
});

test.each([
  "if (verdict === 'fail') failed.push(name);",
  "evaluation.outcome !== 'unscored'",
  ".filter(([, { verdict }]) => verdict === 'pass' || verdict === 'error')",
  "sealed: closed.cause === 'size',",
])('it finds %s', (code) => {
  expect(code).toMatch(COMPARED);
});
