/** `assay gate` over folders of experiments, as a process: its exit code is the answer. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ExperimentResult } from '../../src/model/experiment.ts';
import { createExperiment } from '../../src/store/experiment/experiment-folder.ts';
import { assayHere } from '../assay-here.ts';
import { experimentOf, FAILURE, passing, type RunLine, SUCCESS } from '../statistics/compare/experiments.ts';
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

async function gate(cwd: string, ...args: readonly string[]) {
  return await assayHere(['gate', ...args, '--experiments', 'experiments'], { cwd });
}

test('a good version passes, a bad one is a regression with its criterion named, and too few cases are too few', async () => {
  const folder = tempDirectory();
  keep(folder, tried('good', ALL));
  keep(folder, tried('bad', HALF));
  keep(folder, tried('again', ALL));
  keep(folder, tried('few', ALL.slice(0, 5)));

  const again = await gate(folder, 'again', '--baseline', 'good', '--details');
  const files = ['--markdown', 'summary.md', '--junit', 'gate.xml'];
  const bad = await gate(folder, 'bad', '--baseline', 'good', '--details', ...files);
  const few = await gate(folder, 'few', '--baseline', 'good', '--details');

  expect(again).toMatchObject({ status: 0, stderr: '' });
  expect(bad).toMatchObject({ status: 1, stderr: '' });
  expect(bad.stdout).toMatch(/regression\s+criterion\.booked/);
  expect(bad.stdout).not.toMatch(/regression\s+criterion\.polite/);
  expect(readFileSync(path.join(folder, 'summary.md'), 'utf8')).toContain('| **regression** | `criterion.booked` |');
  expect(readFileSync(path.join(folder, 'gate.xml'), 'utf8')).toContain('<failure type="regression"');
  expect(few.status).toBe(2);
  expect(few.stdout).toMatch(
    /^Not enough evidence, which stops the release: no case of 5 broke; open rule missing_cases\.\n/,
  );
  expect(few.stdout).toContain('cases would tell');
  expect(bad.stdout).toContain('1 criterion unchanged: polite');
  expect(again.stdout).toMatch(/pass +2 criteria unchanged: booked, polite/);
});

test('a golden trace that no run of the candidate was compared with is a note', async () => {
  const folder = tempDirectory();
  const good = tried('good', ALL);
  const suites = good.experiment.suites.map((suite) => ({ ...suite, golden: ['gt_001'] }));
  keep(folder, good);
  keep(folder, tried('again', ALL, { suites }));

  const { status, stdout } = await gate(folder, 'again', '--baseline', 'good', '--details');

  expect(status).toBe(0);
  expect(stdout).toContain('note  golden trace gt_001 of scheduling was compared with 0 of 60 runs');
  expect((await gate(folder, 'good', '--baseline', 'again', '--details')).stdout).not.toContain('golden trace');
});

test('the first line is one sentence, the same in every document, and the table comes on request', async () => {
  const folder = tempDirectory();
  keep(folder, tried('good', ALL));
  keep(folder, tried('bad', HALF));
  const files = ['--markdown', 'summary.md', '--junit', 'gate.xml'];

  const bad = await gate(folder, 'bad', '--baseline', 'good', ...files);
  const json: unknown = JSON.parse((await gate(folder, 'bad', '--baseline', 'good', '--json')).stdout);
  const [sentence = '', more = '', ...rest] = bad.stdout.split('\n');
  const details = (await gate(folder, 'bad', '--baseline', 'good', '--details')).stdout.split('\n');

  expect(sentence).toMatch(
    /^Regression: 30 of 60 cases broke; criterion booked; rules cases_worse, .+ and 1 more; see `npx assay compare \S+ \S+ --transcripts case-1`\.$/,
  );
  expect(more).toBe('  Each rule: npx assay gate 2026-11-20-bad --baseline 2026-11-20-good --details');
  expect(rest).toEqual(['']);
  expect(json).toMatchObject({ decision: 'regression', sentence });
  expect(readFileSync(path.join(folder, 'summary.md'), 'utf8')).toContain('Regression\\: 30 of 60 cases broke;');
  expect(readFileSync(path.join(folder, 'gate.xml'), 'utf8')).toContain(
    'name="decision"><failure type="regression" message="Regression: 30 of 60 cases broke;',
  );
  expect(details[0]).toBe(sentence);
  expect(details.length).toBeGreaterThan(10);
});

test('without enough evidence the exit code is 0, and 2 where the file says that it stops', async () => {
  const folder = tempDirectory();
  keep(folder, tried('good', ALL.slice(0, 6)));
  keep(folder, tried('lost', [0, 0, 0, 0, 1, 1]));
  keep(folder, tried('all', [0, 0, 0, 0, 0, 0]));
  const against = (candidate: string) => gate(folder, candidate, '--baseline', 'good');
  const code = async (rules: string) => {
    writeFileSync(path.join(folder, 'gate.yaml'), rules);
    return (await against('lost')).status;
  };

  expect(await against('lost')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /^Not enough evidence, which does not stop the release: 4 of 6 cases broke, which chance can explain;/,
    ),
  });
  expect((await against('all')).status).toBe(1);
  expect(await code('rules: { tcr: { max_drop: 5 points } }')).toBe(0);
  expect(await code('on_not_enough_evidence: pass\nrules: { tcr: { max_drop: 5 points } }')).toBe(0);
  expect(await code('on_not_enough_evidence: fail\nrules: { tcr: { max_drop: 5 points } }')).toBe(2);
});

test('what cannot be told passes where the file says so, and what is broken does not', async () => {
  const folder = tempDirectory();
  keep(folder, tried('good', ALL));
  keep(folder, tried('bad', HALF));
  keep(folder, tried('few', ALL.slice(0, 5)));
  const write = (allowed: string) =>
    writeFileSync(
      path.join(folder, 'gate.yaml'),
      `on_not_enough_evidence: pass\nrules: { success_rate: { max_drop: 5 points }, tcr: { floor: 0.9 }${allowed} }\n`,
    );

  write('');
  expect((await gate(folder, 'few', '--baseline', 'good', '--details')).stdout).toMatch(
    /not enough evidence +missing_cases +no case/,
  );
  expect((await gate(folder, 'few', '--baseline', 'good')).status).toBe(2);
  write(', missing_cases: 1000');
  expect((await gate(folder, 'few', '--baseline', 'good')).status).toBe(0);
  write('');
  expect((await gate(folder, 'bad', '--baseline', 'good')).status).toBe(1);
  const json: unknown = JSON.parse((await gate(folder, 'bad', '--baseline', 'good', '--json')).stdout);
  expect(json).toMatchObject({ decision: 'regression', rules: [{ rule: 'tcr' }, { rule: 'success_rate' }] });
});

test('rules that count cases decide from the first case, name it, and are not let pass without evidence', async () => {
  const folder = tempDirectory();
  keep(folder, tried('good', [1, 1, 1]));
  keep(folder, tried('again', [1, 1, 1]));
  keep(folder, tried('worse', [1, 0, 1]));
  const crash: RunLine = { case: 'case-1', end: 'agent_failed', evaluations: [] };
  const [first, , last] = passing([1, 1, 1]) as [RunLine, RunLine, RunLine];
  keep(folder, experimentOf('crash', [first, crash, last]));
  keep(folder, experimentOf('silent', [first, { ...crash, end: 'no_spans' }, last]));
  writeFileSync(
    path.join(folder, 'gate.yaml'),
    'on_not_enough_evidence: pass\nrules: { newly_hard_failing: 0, critical_failures: 0, tcr: { max_drop: 5 points } }\n',
  );
  writeFileSync(path.join(folder, 'worse.yaml'), 'rules: { cases_worse: 0 }\n');
  const against = (candidate: string, ...args: readonly string[]) =>
    gate(folder, candidate, '--baseline', 'good', ...args);

  const again = await against('again', '--details');
  const crashed = await against('crash', '--details', '--markdown', 'summary.md');
  const worse = await against('worse', '--details', '--rules', 'worse.yaml');
  const silent = await against('silent', '--details');

  expect(again).toMatchObject({ status: 0, stderr: '' });
  expect(again.stdout).toMatch(/pass +newly_hard_failing +no case +0 of 3 cases/);
  expect(again.stdout).toMatch(/not applicable +critical_failures/);
  expect(again.stdout).toMatch(/^Not enough evidence, which does not stop the release: /);
  expect(crashed.status).toBe(1);
  expect(crashed.stdout).toMatch(/regression +newly_hard_failing +no case +1 of 3 cases\n.+\n +Cases: case-1\n/);
  expect(crashed.stdout).toContain(
    'Read the first: npx assay compare 2026-11-20-good 2026-11-20-crash --transcripts case-1',
  );
  expect(readFileSync(path.join(folder, 'summary.md'), 'utf8')).toContain('1 case that passed in the baseline');
  expect(worse.status).toBe(1);
  expect(worse.stdout).toMatch(/regression +cases_worse/);
  expect(worse.stdout).not.toContain('Limits and tests are decided');
  // The limit is let pass, and what may have become of the case is not.
  expect(silent.status).toBe(2);
  expect(silent.stdout).toContain('Not enough is known of 1 case.');
});

test('--init writes rules that the experiment keeps, says what to do next, and overwrites nothing', async () => {
  const folder = tempDirectory();
  const good = tried('good', HALF);
  const suites = good.experiment.suites.map((suite) => ({
    ...suite,
    criteria: suite.criteria.map((criterion) => ({ ...criterion, isCritical: criterion.name === 'booked' })),
  }));
  keep(folder, { ...good, experiment: { ...good.experiment, suites } });
  keep(folder, experimentOf('bad', passing(HALF.map(() => 0)), { suites }));

  const init = await gate(folder, 'good', '--init');
  const written = readFileSync(path.join(folder, 'gate.yaml'), 'utf8');
  const second = await gate(folder, 'good', '--init');

  expect(init).toMatchObject({ status: 0, stderr: '' });
  expect(init.stdout).toContain('gate.yaml: rules for scheduling, from the experiment 2026-11-20-good');
  expect(init.stdout).toContain('assay gate latest --baseline 2026-11-20-good');
  expect(written).toMatch(/^ {4}cases_worse: by chance$/m);
  // Rules without a level are comments.
  expect(written).toMatch(/^ {4}# newly_hard_failing: 0 /m);
  expect(written).toMatch(/^ {4}# newly_critical: 0 /m);
  expect(written).toMatch(/^ {4}# critical_failures: 0 /m);
  expect(second.status).toBe(3);
  expect(second.stderr).toContain('gate.yaml exists and is unchanged: remove it');
  expect(readFileSync(path.join(folder, 'gate.yaml'), 'utf8')).toBe(written);
  expect((await gate(folder, 'good', '--baseline', 'good')).status).toBe(0);
  expect((await gate(folder, 'bad', '--baseline', 'good')).status).toBe(1);
  expect(await gate(folder, 'good', '--init', '--baseline', 'good')).toMatchObject({ status: 3 });
});

test('--init says that an experiment has not ended: its rules stand, and it is no baseline yet', async () => {
  const folder = tempDirectory();
  const whole = tried('good', HALF);
  keep(folder, { ...whole, experiment: { ...whole.experiment, endedAt: undefined } });

  const init = await gate(folder, '--init');

  expect(init.status).toBe(0);
  expect(init.stderr).toMatch(/^note: 2026-11-20-good has not ended: \d+ of \d+ runs are known\. `assay run --resume`/);
});

test('--init lets an experiment with crashes and few cases pass against itself, as it is on the first day', async () => {
  const folder = tempDirectory();
  const [first, , last] = passing([1, 1, 0]) as [RunLine, RunLine, RunLine];
  const now = experimentOf('now', [first, { case: 'case-1', end: 'agent_failed', evaluations: [] }, last]);
  const suites = now.experiment.suites.map((suite) => ({
    ...suite,
    name: 'on: hold',
    criteria: suite.criteria.map((criterion) => ({ ...criterion, isCritical: true })),
  }));
  const runs = now.runs.map((run) => ({
    ...run,
    evaluations: run.evaluations.map((evaluation) => ({ ...evaluation, suite: 'on: hold' })),
  }));
  keep(folder, { experiment: { ...now.experiment, suites }, runs });

  expect(await gate(folder, '--init')).toMatchObject({ status: 0, stderr: '' });
  const written = readFileSync(path.join(folder, 'gate.yaml'), 'utf8');
  expect(written).toMatch(/^ {2}"on: hold":$/m);
  expect(await gate(folder, 'now', '--baseline', 'now')).toMatchObject({ status: 0, stderr: '' });
});

test('--init takes the suites of assay.yaml before there is an experiment', async () => {
  const folder = tempDirectory();
  writeFileSync(path.join(folder, 'assay.yaml'), 'suites: [default, scheduling]\n');

  const { status, stdout, stderr } = await gate(folder, '--init', '--rules', 'rules.yaml');

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('rules.yaml: rules for default, scheduling, from the configured suites');
  expect(stdout).toContain('assay gate v2 --baseline v1');
  expect(readFileSync(path.join(folder, 'rules.yaml'), 'utf8')).toMatch(/^ {2}scheduling:$/m);
  expect(await gate(folder, 'nothing', '--init')).toMatchObject({ status: 3 });
});

test('the cases that only one experiment ran are named as left out, and all broken ones are in JSON', async () => {
  const folder = tempDirectory();
  const lines = Array.from({ length: 9 }, (_, index) => ({ case: `case-${index}`, evaluations: [SUCCESS] }));
  keep(folder, experimentOf('good', [...lines, { case: 'gone', evaluations: [SUCCESS] }]));
  keep(
    folder,
    experimentOf(
      'bad',
      lines.map((line) => ({ ...line, evaluations: [FAILURE] })),
    ),
  );
  writeFileSync(path.join(folder, 'gate.yaml'), 'rules: { cases_worse: 2 }\n');

  const shown = await gate(folder, 'bad', '--baseline', 'good', '--details');
  const json: unknown = JSON.parse((await gate(folder, 'bad', '--baseline', 'good', '--json')).stdout);

  expect(shown.stdout).toContain('Left out: 1 only in the baseline.');
  expect(shown.stdout).toContain('Cases: case-0, case-1, case-2, case-3, case-4\n');
  expect(json).toMatchObject({
    rules: [
      { rule: 'cases_worse', value: 9, examples: lines.map((line) => line.case) },
      { rule: 'missing_cases', value: 1, examples: ['gone'] },
    ],
  });
});

test('a worse version does not pass with the cases changed in which it is worse', async () => {
  const folder = tempDirectory();
  keep(folder, tried('good', ALL));
  const edited = passing(HALF as (0 | 1)[]).map((line, index) =>
    HALF[index] === 1 ? line : { ...line, fingerprint: 'e'.repeat(64) },
  );
  keep(folder, experimentOf('edited', edited));
  writeFileSync(
    path.join(folder, 'gate.yaml'),
    'on_not_enough_evidence: pass\nrules: { newly_hard_failing: 0, cases_worse: 0 }\n',
  );

  const { status, stdout } = await gate(folder, 'edited', '--baseline', 'good', '--details');

  expect(status).toBe(2);
  expect(stdout).toContain('Changed since the baseline: 30 (case-1, case-11, case-13, case-15, case-17, …).');
});

test.each([
  ['an experiment that is not there', ['nothing', '--baseline', 'good'], 'no experiment has the id or name "nothing"'],
  ['a baseline that is not there', ['good', '--baseline', 'nothing'], 'no experiment has the id or name'],
  ['nothing to hold it against', ['good'], 'give --baseline, or fixed numbers'],
  ['rules that are not there', ['good', '--baseline', 'good', '--rules', 'no.yaml'], 'there is no file no.yaml'],
  ['rules with a mistake', ['good', '--baseline', 'good', '--rules', 'bad.yaml'], "did you mean 'tcr'?"],
  ['another version of the suite', ['other', '--baseline', 'good'], 'different versions of the suite scheduling'],
  ['a flag that is none', ['good', '--basline', 'good'], "unknown option '--basline'"],
])('%s is an error, and no verdict', async (_, args, expected) => {
  const folder = tempDirectory();
  const good = tried('good', ALL);
  keep(folder, good);
  keep(folder, tried('other', ALL, { suites: good.experiment.suites.map((suite) => ({ ...suite, version: '2' })) }));
  writeFileSync(path.join(folder, 'bad.yaml'), 'rules: { tcrr: { floor: 0.5 } }\n');

  const { status, stderr } = await gate(folder, ...args);

  expect(stderr).toContain(expected);
  expect(status).toBe(3);
});

test('a plan says what the gate can tell of an agent like this one', { timeout: 120_000 }, async () => {
  const folder = tempDirectory();
  keep(folder, tried('seen', ALL));
  writeFileSync(path.join(folder, 'gate.yaml'), 'rules: { tcr: { max_drop: 5 points } }\n');

  const few = await gate(folder, 'seen', '--plan', '--cases', '30', '--json');
  const told = await gate(folder, 'seen', '--plan', '--cases', '60', '--repeats', '1');
  const wrong = await gate(folder, 'seen', '--plan', '--cases', '0');

  expect(few).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(few.stdout)).toMatchObject({
    cases: 30,
    repeats: 1,
    gate: { no_worse: { pass: 0, regression: 0 } },
    rules: [{ suite: 'scheduling', rule: 'tcr max_drop' }],
    cases_needed: [1, 3, 5].map((repeats) => ({ repeats, limits: 60 })),
  });
  expect(told.stdout).toMatch(/60 cases, 1 run of each.*\n.*no case was run twice/);
  expect(told.stdout).toMatch(/tcr max_drop +100 %/);
  expect(wrong).toMatchObject({ status: 3 });
  expect(wrong.stderr).toContain('--cases 0');
});
