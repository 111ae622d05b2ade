/** `assay gate` over folders of experiments, as a process: its exit code is the answer. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ExperimentResult } from '../../src/model/experiment.ts';
import { createExperiment } from '../../src/store/experiment/experiment-folder.ts';
import { assay } from '../assay-command.ts';
import { experimentOf, passing } from '../compare/experiments.ts';
import { tempDirectory } from '../temp-directory.ts';

function keep(folder: string, { experiment, runs }: ExperimentResult): void {
  const kept = createExperiment(path.join(folder, 'experiments'), experiment);
  for (const run of runs) kept.append(run, { traces: [], logs: [] });
  kept.close();
}

function tried(name: string, passes: readonly (0 | 1)[], changed = {}): ExperimentResult {
  return experimentOf(name, passing(passes), changed);
}

const ALL = Array.from({ length: 60 }, () => 1 as const);
const HALF = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 1 : 0));

function gate(cwd: string, ...args: readonly string[]) {
  return assay(['gate', ...args, '--experiments', 'experiments'], { cwd });
}

test('a good version passes, a bad one is a regression with its criterion named, and too few cases are too few', () => {
  const folder = tempDirectory();
  keep(folder, tried('good', ALL));
  keep(folder, tried('bad', HALF));
  keep(folder, tried('again', ALL));
  keep(folder, tried('few', ALL.slice(0, 5)));

  const again = gate(folder, 'again', '--baseline', 'good');
  const bad = gate(folder, 'bad', '--baseline', 'good', '--markdown', 'summary.md', '--junit', 'gate.xml');
  const few = gate(folder, 'few', '--baseline', 'good');

  expect(again).toMatchObject({ status: 0, stderr: '' });
  expect(bad).toMatchObject({ status: 1, stderr: '' });
  expect(bad.stdout).toMatch(/regression\s+criterion\.booked/);
  expect(bad.stdout).not.toMatch(/regression\s+criterion\.polite/);
  expect(readFileSync(path.join(folder, 'summary.md'), 'utf8')).toContain('| `criterion.booked` |');
  expect(readFileSync(path.join(folder, 'gate.xml'), 'utf8')).toContain('<failure type="regression"');
  expect(few.status).toBe(2);
  expect(few.stdout).toContain('cases would tell');
  expect(bad.stdout).toContain('1 criterion unchanged: polite');
  expect(again.stdout).toMatch(/pass +2 criteria unchanged: booked, polite/);
});

test('what can not be told passes where the file says so, and what is broken does not', () => {
  const folder = tempDirectory();
  keep(folder, tried('good', ALL));
  keep(folder, tried('bad', HALF));
  keep(folder, tried('few', ALL.slice(0, 5)));
  writeFileSync(
    path.join(folder, 'gate.yaml'),
    'on_not_enough_evidence: pass\nrules: { success_rate: { max_drop: 5 points }, tcr: { floor: 0.9 } }\n',
  );

  expect(gate(folder, 'few', '--baseline', 'good').status).toBe(0);
  expect(gate(folder, 'bad', '--baseline', 'good').status).toBe(1);
  const json: unknown = JSON.parse(gate(folder, 'bad', '--baseline', 'good', '--json').stdout);
  expect(json).toMatchObject({ decision: 'regression', rules: [{ rule: 'tcr' }, { rule: 'success_rate' }] });
});

test.each([
  ['an experiment that is not there', ['nothing', '--baseline', 'good'], 'no experiment has the id or name "nothing"'],
  ['a baseline that is not there', ['good', '--baseline', 'nothing'], 'no experiment has the id or name'],
  ['nothing to hold it against', ['good'], 'give --baseline, or fixed numbers'],
  ['rules that are not there', ['good', '--baseline', 'good', '--rules', 'no.yaml'], 'read no.yaml'],
  ['rules with a mistake', ['good', '--baseline', 'good', '--rules', 'bad.yaml'], "did you mean 'tcr'?"],
  ['another version of the suite', ['other', '--baseline', 'good'], 'different versions of the suite scheduling'],
  ['a flag that is none', ['good', '--basline', 'good'], "unknown option '--basline'"],
])('%s is an error, and no verdict', (_, args, expected) => {
  const folder = tempDirectory();
  const good = tried('good', ALL);
  keep(folder, good);
  keep(folder, tried('other', ALL, { suites: good.experiment.suites.map((suite) => ({ ...suite, version: '2' })) }));
  writeFileSync(path.join(folder, 'bad.yaml'), 'rules: { tcrr: { floor: 0.5 } }\n');

  const { status, stderr } = gate(folder, ...args);

  expect(stderr).toContain(expected);
  expect(status).toBe(3);
});
