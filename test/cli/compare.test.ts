/** `assay compare` over folders of experiments, as a process, and what it prints of texts that it does not trust. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareExperiments } from '../../src/statistics/compare/compare-experiments.ts';
import { printDocument } from '../../src/cli/print-document.ts';
import { comparisonJson } from '../../src/report/documents/comparison-json.ts';
import { comparisonDocument } from '../../src/report/documents/comparison-document.ts';
import { documentMarkdown } from '../../src/report/documents/document-markdown.ts';
import { assayHere } from '../assay-here.ts';
import { printed } from './printed.ts';
import { keepExperiment as keep } from '../statistics/compare/kept-experiment.ts';
import { experimentOf, FAILURE, passing, type RunLine, SUCCESS } from '../statistics/compare/experiments.ts';

// Shared by all tests, which only read it.
const folder = mkdtempSync(path.join(tmpdir(), 'assay-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function compare(...args: readonly string[]) {
  return await assayHere(['compare', ...args, '--experiments', 'experiments'], { cwd: folder });
}

const repeated = (name: string, passes: readonly (0 | 1)[]): RunLine[] =>
  passes.map((pass, index) => ({ case: name, repeat: index + 1, evaluations: [pass === 1 ? SUCCESS : FAILURE] }));

beforeAll(() => {
  const all = Array.from({ length: 40 }, () => 1 as const);
  keep(folder, experimentOf('good', passing(all)), 'Booked at nine.');
  keep(folder, experimentOf('bad', passing(all.map((_, index) => (index % 4 === 0 ? 0 : 1)))), 'Booked at ten.');
  keep(folder, experimentOf('steady', repeated('often', [1, 1, 1])), 'Booked at nine.');
  keep(folder, experimentOf('shaky', repeated('often', [1, 1, 0])), 'Booked at ten.');
});

test('says what got worse, by which criterion, and which cases show it', async () => {
  const { status, stdout, stderr } = await compare('good', 'bad', '--flipped', '2', '--markdown', 'summary.md');

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/TCR +1\.000 +0\.813 +−0\.188 .*worse/);
  expect(stdout).toMatch(/booked +100\.0 % +75\.0 % +−25\.0 pt .*worse/);
  expect(stdout).toContain('    1 criterion unchanged: polite\n');
  expect(stdout).toContain('What moved the TCR: −0.188 = booked −0.188\n');
  expect(stdout).toContain('Flipped: 10 cases worse, 0 better');
  expect(stdout).toContain('and 8 more (--flipped 10)');
  expect(readFileSync(path.join(folder, 'summary.md'), 'utf8')).toMatch(
    /\| `booked` \| 100\.0 % \| 75\.0 % .*\*\*worse\*\* \|/,
  );
});

test('gives all of it as JSON, and nothing else', async () => {
  const { stdout } = await compare('good', 'bad', '--json');

  expect(JSON.parse(stdout)).toMatchObject({
    a: { name: 'good' },
    b: { name: 'bad' },
    suites: [
      {
        suite: 'scheduling',
        score: { word: 'worse', a: 1, b: 0.8125, change: -0.1875, paired: true, cases: 40 },
        criteria: [
          { criterion: 'booked', word: 'worse', test: 'mcnemar' },
          { criterion: 'polite', word: 'not_enough_evidence' },
        ],
        cost_per_success: { word: null },
      },
    ],
  });
});

test('shows both conversations of a case, with their verdicts', async () => {
  const { status, stdout } = await compare('good', 'bad', '--transcripts', 'case-4');

  expect(status).toBe(0);
  const [before, after] = stdout.split('\n  B  ');
  expect(before).toContain('user    Book Ana at nine');
  expect(before).toMatch(/tool {4}book_meeting\(\{"with":"Ana"\}\) → \{"id":"mtg_1"\}/);
  expect(before).toContain('answer  Booked at nine.');
  expect(before).toMatch(/pass +booked/);
  expect(after).toContain('answer  Booked at ten.');
  expect(after).toMatch(/fail +booked/);
});

test('of repeats, shows two that differ', async () => {
  const { stdout } = await compare('steady', 'shaky', '--transcripts', 'often');

  expect(stdout).toContain('A  steady  often, repeat 1 of 3');
  expect(stdout).toContain('B  shaky  often, repeat 3 of 3');
});

test.each([
  ['an experiment that is not there', ['good', 'nothing'], 3, 'no experiment has the id or name "nothing"'],
  ['a suite that did not score both', ['good', 'bad', '--suite', 'schedulin'], 2, 'did you mean scheduling?'],
  ['a case that was not run', ['good', 'bad', '--transcripts', 'case-99'], 3, 'did you mean case-9?'],
  ['a confidence that is none', ['good', 'bad', '--confidence', '95'], 2, 'between 0 and 1'],
  ['a count that is none', ['good', 'bad', '--flipped', 'x'], 2, 'a whole number'],
])('refuses %s', async (_, args, status, message) => {
  const refused = await compare(...args);

  expect(refused.status).toBe(status);
  expect(refused.stderr).toContain(message);
});

describe('what names say is not obeyed', () => {
  const name = '\u001b[31m| <img src=x> @all [x](y) \u202e`code`\n# head __proto__';
  const line = (pass: boolean): RunLine => ({
    case: name,
    end: pass ? 'completed' : 'agent_failed',
    evaluations: [{ ...(pass ? SUCCESS : FAILURE), verdicts: { [name]: pass ? 'pass' : 'fail' } }],
  });
  const comparison = compareExperiments(
    experimentOf(name, [line(true), { ...line(true), repeat: 2 }]),
    experimentOf(name, [line(false), { ...line(true), repeat: 2 }, { ...line(false), repeat: 3 }]),
  );

  test('in a terminal', () => {
    const text = printed((terminal) => printDocument(terminal, comparisonDocument(comparison, { flippedMax: 10 })));

    expect(text).toContain('<img src=x>');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(text.split('\n').filter((one) => one.startsWith('# head'))).toEqual([]);
  });

  test('in Markdown', () => {
    const markdown = documentMarkdown(comparisonDocument(comparison, { flippedMax: 10 }));
    const rows = markdown.split('\n').filter((text) => text.startsWith('| `'));

    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(markdown).not.toMatch(/[\u001b\u202e]|\n# head/);
    expect(markdown.replace(/`[^`\n]*`/g, '')).not.toMatch(/<img|\[x\]\(y\)|@all/);
    expect(new Set(rows.map((text) => text.split('|').length))).toEqual(new Set([9]));
  });

  test('in JSON', () => {
    const told = JSON.parse(JSON.stringify(comparisonJson(comparison))) as { a: { name: string } };

    expect(told.a.name).toBe(name);
  });
});
