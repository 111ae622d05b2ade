/** `assay run --until-decided` as a process: ends early, is interrupted and goes on, and `assay gate` agrees with it. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExperimentResult } from '../../src/model/experiment.ts';
import { findExperiment, readExperiment } from '../../src/store/experiment/read-experiment.ts';
import { resumeExperiment } from '../../src/store/experiment/experiment-folder.ts';
import { assayHere } from '../assay-here.ts';
import { assay, type CommandOptions, type Ended } from '../assay-command.ts';
import { tempDirectory } from '../temp-directory.ts';

const CASES = 42;

const SUITE = `suite: refunds
version: '1'
scope: conversation
extract: { refunds: "tools('refund_order')", refund: last(refunds).result }
completed: refund.status == 'done'
criteria:
  - name: right_amount
    question: Was the right amount refunded?
    weight: 1
    check: size(refunds) > 0 && refund.amount == truth.amount
`;

/** Refunds too much in cases below FAULTS, fails in those below CRASHES, and sends SIGNAL to the command at its 20th start. */
const AGENT = `import { appendFileSync, readFileSync } from 'node:fs';
const { FAULTS = '0', CRASHES = '0', SIGNAL, STARTS } = process.env;
export function agent({ case: id, repeat, input }) {
  appendFileSync(STARTS, \`\${id} \${repeat}\\n\`);
  const order = Number(/\\d+/.exec(input)[0]);
  if (SIGNAL !== undefined && readFileSync(STARTS, 'utf8').split('\\n').length === 21) process.kill(process.ppid, SIGNAL);
  if (order < Number(CRASHES)) process.exit(1);
  const amount = order < Number(FAULTS) ? 999 : order;
  const call = { id: '1', function: { name: 'refund_order', arguments: JSON.stringify({ order }) } };
  return { agent: 'refund-bot', messages: [
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: '1', content: JSON.stringify({ status: 'done', amount }) },
    { role: 'assistant', content: 'It is on its way.' },
  ] };
}
`;

class Release {
  readonly cwd: string;

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  begin(): void {
    const cases = Array.from({ length: CASES }, (_, index) => ({
      id: `order-${index}`,
      input: `Refund order ${index}.`,
      truth: { amount: index },
    }));
    this.write('cases.jsonl', cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
    this.write('refunds.yaml', SUITE);
    this.write('agent.mjs', AGENT);
    this.write('limits.yaml', 'rules: { tcr: { max_drop: 20 points } }\n');
    this.write('counts.yaml', 'rules: { newly_hard_failing: 0, tcr: { max_drop: 20 points } }\n');
    this.write('starts', '');
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.cwd, name), text);
  }

  run(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return assayHere(this.#words(flags), this.#place(env));
  }

  /** In a process of its own, which its agent stops. */
  runStopped(flags: readonly string[], signal: NodeJS.Signals): Ended {
    return assay(this.#words(flags), this.#place({ SIGNAL: signal }));
  }

  #place(env: Readonly<Record<string, string>>): CommandOptions {
    return { cwd: this.cwd, env: { STARTS: path.join(this.cwd, 'starts'), ...env } };
  }

  #words(flags: readonly string[]): readonly string[] {
    const given = ['run', 'cases.jsonl', '--agent', 'agent.mjs', '--suite', './refunds.yaml', '--seed', '4'];
    return [...given, '--experiments', 'experiments', '--settle', '5ms', '--concurrency', '8', ...flags];
  }

  gate(...words: readonly string[]): Promise<Ended> {
    return assayHere(['gate', ...words, '--experiments', 'experiments'], { cwd: this.cwd });
  }

  experiment(name: string): ExperimentResult {
    return readExperiment(findExperiment(path.join(this.cwd, 'experiments'), name));
  }

  /** Runs that the agent was asked for since the last call. */
  starts(): readonly string[] {
    const lines = readFileSync(path.join(this.cwd, 'starts'), 'utf8').split('\n').slice(0, -1);
    this.write('starts', '');
    return lines;
  }
}

const UNTIL = ['--until-decided', '--baseline', 'v1', '--rules', 'limits.yaml'];

// Shared by all tests, which go on in copies of it.
const template = mkdtempSync(path.join(tmpdir(), 'assay-test-'));
/** The second version, which passes early without any interruption. */
let whole: Ended;
beforeAll(async () => {
  const release = new Release(template);
  release.begin();
  expect(await release.run(['--name', 'v1'])).toMatchObject({ status: 0 });
  whole = await release.run(['--name', 'v2', ...UNTIL, '--json']);
  expect(whole).toMatchObject({ status: 0 });
  release.starts();
}, 60_000);
afterAll(() => rmSync(template, { recursive: true, force: true }));

function withBaseline(): Release {
  const release = new Release(tempDirectory());
  cpSync(template, release.cwd, { recursive: true });
  return release;
}

test('a release that is no worse passes early, and later assay gate gives the same answer', {
  timeout: 60_000,
}, async () => {
  const release = withBaseline();
  const { status, stdout, stderr } = await release.run(['--name', 'v3', ...UNTIL, '--repeats', '2']);
  const starts = release.starts();
  const gate = await release.gate('v3', '--baseline', 'v1', '--rules', 'limits.yaml', '--json');
  const { experiment, runs } = release.experiment('v3');

  expect(status, stderr).toBe(0);
  expect(stderr).toContain('Until decided: looks after 30 and 42 cases, in an order drawn from the seed.');
  expect(stderr).toContain('Look 1 of 2, 30 of 42 cases: pass (kept: tcr max_drop).');
  expect(stdout).toContain(
    'Look 1 of 2, at 30 of 42 cases: decided. The experiment ended here, and 12 cases were not run.',
  );
  expect(stdout).toContain('Ended early: 30 of 42 cases were run, so 12 cases (24 runs) were saved.');
  expect(starts).toHaveLength(60);
  expect(runs).toHaveLength(60);
  expect(experiment.endedAt).toBeDefined();
  // The file is not in the order in which cases were run.
  const order = experiment.untilDecided?.order.map((one) => one.case) ?? [];
  expect(new Set(runs.map((run) => run.case))).toEqual(new Set(order.slice(0, 30)));
  expect(order.slice(0, 30)).not.toEqual(Array.from({ length: 30 }, (_, index) => `order-${index}`));
  expect(gate.status).toBe(0);
  expect(JSON.parse(gate.stdout)).toMatchObject({
    decision: 'pass',
    warnings: [expect.stringContaining('each case was run once in')],
    look: { number: 1, of: 2, cases: 30, of_cases: 42, share_of_error: 0.5, ended_early: true },
  });
  expect((await assayHere(['show', 'v3', '--experiments', 'experiments'], { cwd: release.cwd })).stdout).toMatch(
    /looks +1 of 2 looks held: ended early, after 30 of 42 cases, because the gate against \S+ was decided: a pass/,
  );
  expect(
    (await assayHere(['compare', 'v1', 'v3', '--experiments', 'experiments'], { cwd: release.cwd })).stdout,
  ).toContain('B ended early, after 30 of 42 cases');
});

test('a loss and a crash are a regression early, and a resumed experiment runs nothing more', {
  timeout: 60_000,
}, async () => {
  const release = withBaseline();
  const lost = await release.run(['--name', 'v3', ...UNTIL, '--json'], { FAULTS: '42' });
  const crashed = await release.run(['--name', 'v4', '--until-decided', '--baseline', 'v1', '--rules', 'counts.yaml'], {
    CRASHES: '12',
  });
  release.starts();
  const again = await release.run(['--resume', 'v3', '--json'], { FAULTS: '42' });

  expect(lost.status, lost.stderr).toBe(1);
  expect(JSON.parse(lost.stdout)).toMatchObject({
    runs: { kept: 30 },
    gate: { decision: 'regression', look: { number: 1, ended_early: true } },
  });
  expect(crashed.status).toBe(1);
  expect(crashed.stderr).toContain(
    'It can end early only as a regression, because newly_hard_failing is known to be kept only when all cases are run.',
  );
  expect(crashed.stderr).toMatch(/Look 1 of 2, 30 of 42 cases: regression \(broken: newly_hard_failing/);
  expect(again.status).toBe(1);
  expect(JSON.parse(again.stdout)).toEqual(JSON.parse(lost.stdout));
  expect(release.starts()).toEqual([]);
});

/** Its runs and looks as they were at some moment. */
function rewind(folder: string, runs: number, isLookHeld: boolean): void {
  const file = path.join(folder, 'runs.jsonl');
  writeFileSync(
    file,
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, runs)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const kept = resumeExperiment(folder);
  const plan = kept.experiment.untilDecided;
  if (plan !== undefined)
    kept.update({ endedAt: undefined, untilDecided: { ...plan, answers: isLookHeld ? plan.answers.slice(0, 1) : [] } });
  kept.close();
}

test.each([
  ['in the middle of a part', 17, false, 13],
  ['before the answer was written', 30, false, 0],
  ['after the answer was written', 30, true, 0],
] as const)('killed %s, it goes on to the same answer', { timeout: 60_000 }, async (_, runs, isLookHeld, left) => {
  const release = withBaseline();
  const before = release.experiment('v2');
  rewind(findExperiment(path.join(release.cwd, 'experiments'), 'v2'), runs, isLookHeld);
  const early = await release.gate('v2', '--baseline', 'v1', '--rules', 'limits.yaml');
  release.starts();
  const resumed = await release.run(['--resume', 'v2', '--json']);

  expect(early.status).toBe(isLookHeld ? 0 : 3);
  expect(resumed.status, resumed.stderr).toBe(whole.status);
  expect(release.starts()).toHaveLength(left);
  const [one, other] = [whole, resumed].map(({ stdout }) => JSON.parse(stdout).gate);
  expect(other).toEqual(one);
  expect(release.experiment('v2').experiment.untilDecided).toEqual(before.experiment.untilDecided);
});

test('a look with an answer is not held again, and the next one decides', { timeout: 60_000 }, async () => {
  const release = withBaseline();
  const whole = await release.run(['--name', 'v3', '--until-decided', '--baseline', 'v1', '--rules', 'counts.yaml']);
  rewind(findExperiment(path.join(release.cwd, 'experiments'), 'v3'), 35, true);
  const between = await release.gate('v3', '--baseline', 'v1', '--rules', 'counts.yaml');
  release.starts();
  const { status, stderr } = await release.run(['--resume', 'v3']);

  expect(whole.status).toBe(0);
  // A count that is kept is known when all cases are run.
  expect(whole.stderr).toContain(
    'Look 1 of 2, 30 of 42 cases: not decided (kept: tcr max_drop; open: newly_hard_failing).',
  );
  expect(whole.stderr).toContain('Look 2 of 2, 42 of 42 cases: pass (kept: newly_hard_failing, tcr max_drop).');
  expect(between.status).toBe(2);
  expect(between.stdout).toContain('Look 1 of 2, at 30 of 42 cases: not decided, and 12 cases are left to run.');
  expect(status).toBe(0);
  expect(stderr).not.toContain('Look 1 of 2');
  expect(stderr).toContain('Look 2 of 2, 42 of 42 cases: pass');
  expect(release.starts()).toHaveLength(7);
});

test.each([
  ['SIGINT', 130],
  ['SIGKILL', null],
] as const)(
  '%s before a look: --resume comes to the answer of an uninterrupted run',
  { timeout: 60_000 },
  async (signal, code) => {
    const release = withBaseline();
    const stopped = release.runStopped(['--name', 'v3', ...UNTIL], signal);
    const left = 30 - release.experiment('v3').runs.length;
    release.starts();
    const resumed = await release.run(['--resume', 'v3', '--json']);

    expect(stopped.status).toBe(code);
    expect(left).toBeGreaterThan(0);
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(release.starts()).toHaveLength(left);
    const [one, other] = [whole, resumed].map(({ stdout }) => JSON.parse(stdout).gate);
    expect(other).toMatchObject({ decision: one.decision, look: one.look, rules: one.rules });
  },
);

test('mistakes are errors of the gate, found before any run', { timeout: 60_000 }, async () => {
  const release = withBaseline();
  const mistakes = [
    ['--until-decided', '--baseline', 'nothing'],
    ['--until-decided', '--baseline', 'v1', '--rules', 'missing.yaml'],
    ['--until-decided'],
    ['--until-decided', '--rules', 'limits.yaml'],
    ['--until-decided', '--baseline', 'v1', '--nonsense'],
    ['--until-decided', '--resume', 'v1'],
  ];
  const ended = await Promise.all(mistakes.map((flags) => release.run(flags)));

  expect(ended.map(({ status }) => status)).toEqual([3, 3, 3, 3, 3, 3]);
  expect(await release.run(['--baseline', 'v1'])).toMatchObject({
    status: 2,
    stderr: '--baseline and --rules are for --until-decided\n',
  });
  expect(release.starts()).toEqual([]);
});
