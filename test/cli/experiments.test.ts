/** `assay experiments`, `assay show` and `assay dataset` as processes. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseRun, Experiment } from '../../src/model/experiment.ts';
import { readRecording } from '../../src/offline/recording.ts';
import { createExperiment, type ExperimentFolder } from '../../src/store/experiment/experiment-folder.ts';
import { assayHere } from '../assay-here.ts';
import { EVALUATION, EXPERIMENT, runOf } from '../store/experiment/written-experiment.ts';

const RUNS = path.resolve(import.meta.dirname, '../../examples/golden-traces/runs.jsonl');
// Shared by all tests, which only read it.
const folder = mkdtempSync(path.join(tmpdir(), 'assay-test-'));
let running: ExperimentFolder;
afterAll(() => {
  running.close();
  rmSync(folder, { recursive: true, force: true });
});

async function assay(...args: readonly string[]) {
  return await assayHere(args, { cwd: folder, env: { ASSAY_EXPERIMENTS: 'experiments' } });
}

const evaluationOf = (outcome: 'successful_completion' | 'hard_failure') => ({
  ...EVALUATION,
  score: outcome === 'hard_failure' ? 0 : 1_000_000,
  outcome,
  explanation: 'As said.',
});

async function keep(experiment: Experiment, runs: readonly Partial<CaseRun>[]): Promise<ExperimentFolder> {
  const traces: Uint8Array[] = [];
  for await (const { bytes } of readRecording(RUNS)) traces.push(bytes);
  const kept = createExperiment(path.join(folder, 'experiments'), experiment);
  for (const [index, run] of runs.entries())
    kept.append(
      { ...runOf(index + 1), conversationId: 'lucky', ...run },
      { traces: run.end === 'no_spans' ? [] : traces, logs: [] },
    );
  return kept;
}

beforeAll(async () => {
  const ended = await keep({ ...EXPERIMENT, id: 'one', agent: { ...EXPERIMENT.agent, version: '1.0.0' } }, [
    { evaluations: [evaluationOf('successful_completion')] },
    { evaluations: [evaluationOf('hard_failure')] },
    { end: 'no_spans', problem: 'it\u001b[31m showed nothing', evaluations: [] },
  ]);
  ended.update({ endedAt: '2026-11-22T01:40:00.000Z' });
  ended.close();
  const later = { ...EXPERIMENT, name: 'candidate', startedAt: '2026-11-22T02:00:00.000Z' };
  (await keep({ ...later, id: 'two' }, [{ evaluations: [evaluationOf('successful_completion')] }])).close();
  running = await keep(
    { ...later, id: 'three', name: 'now', startedAt: '2026-11-22T03:00:00.000Z', git: undefined },
    [],
  );
  mkdirSync(path.join(folder, 'experiments', 'broken'));
  writeFileSync(path.join(folder, 'experiments', 'broken', 'experiment.json'), '{"format":1');
});

test('lists experiments, the latest first, with what they came to and whether they ended', async () => {
  const { status, stdout, stderr } = await assay('experiments');

  expect(status).toBe(0);
  expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
    'id     name       started               version  commit        runs  suite       score  decided                good  failures',
    'three  now        2026-11-22 03:00 UTC                        2 × 3                                                            running: 0 of 6 runs',
    'two    candidate  2026-11-22 02:00 UTC           cccccccccc+  2 × 3  scheduling  1.000     none  100.0 % successful            interrupted: 1 of 6 runs',
    'one    baseline   2026-11-22 01:30 UTC  1.0.0    cccccccccc+  2 × 3  scheduling  0.333     none   33.3 % successful  2 hard    1 run failed',
    '',
  ]);
  expect(stderr).toMatch(/broken.experiment\.json/);
  expect(JSON.parse((await assay('experiments', '--json', '--limit', '2')).stdout)).toMatchObject([
    { id: 'three', state: 'running', runs: 0, summary: {} },
    { id: 'two', name: 'candidate', state: 'interrupted', runs: 1, summary: { scheduling: { tcr: 1 } } },
  ]);
});

test('shows what an experiment came to, which criteria failed where, which runs failed, and what repeats say', async () => {
  const { status, stdout } = await assay('show', 'baseline');

  expect(status).toBe(0);
  expect(stdout).toMatch(
    /agent +agent\.ts, version 1\.0\.0\n.*commit +cccccccccc\+\n.*dataset +scheduling 1: 2 cases × 3, seed 7/,
  );
  expect(stdout).toMatch(
    /scheduling +TCR 0\.333 +33\.3 % successful\n +successful_completion +1 +33\.3 %\n +hard_failure +2 +66\.7 %/,
  );
  expect(stdout).toMatch(/scheduling\/booked +failed +2 of 2 +for example free-slot-1/);
  expect(stdout).toContain('free-slot-1 (3 of 3): it showed nothing\n');
  expect(stdout).toContain('scheduling, 3 runs a case');
  expect(JSON.parse((await assay('show', 'one', '--json')).stdout)).toMatchObject({
    experiment: { id: 'one', ended_at: '2026-11-22T01:40:00.000Z' },
    state: 'ended',
    runs: { kept: 3, completed: 2, no_spans: 1 },
    reliability: [{ suite: 'scheduling', repeats: 3 }],
  });
});

test('shows what the agent did with a case each time, and the verdicts', async () => {
  const { status, stdout } = await assay('show', 'one', 'free-slot-1');

  expect(status).toBe(0);
  expect(stdout.match(/repeat \d of 3/g)).toEqual(['repeat 1 of 3', 'repeat 2 of 3', 'repeat 3 of 3']);
  expect(stdout).toContain(
    '    tool    get_ticket_detail({"ticket_id": "TKT-9014"}) → Printer on fire since Monday.\n',
  );
  expect(stdout).toMatch(/fail +booked +Nobody was invited\./);
  expect(stdout).toContain('it left no spans');
  expect(JSON.parse((await assay('show', 'one', 'free-slot-1', '--json')).stdout)).toMatchObject({
    case: 'free-slot-1',
    runs: [
      { repeat: 1, transcript: [{ user: 'Show me the last 3 support tickets for account ACC-4821' }] },
      { repeat: 2, evaluations: [{ outcome: 'hard_failure' }] },
      { repeat: 3, end: 'no_spans', transcript: null },
    ],
  });
});

test('what is not there is said, with what may have been meant', async () => {
  expect(await assay('show', 'one', 'free-slot-2')).toMatchObject({
    status: 3,
    stderr: 'no run of a case free-slot-2 is known; did you mean free-slot-1?\n',
  });
  expect(await assay('show', 'baselin')).toMatchObject({ status: 3, stderr: expect.stringContaining('one  baseline') });
});

test('an experiment without its spans is shown, without what was said', async () => {
  const spans = path.join(folder, 'experiments', 'two', 'spans.otlp');
  truncateSync(spans, 10);

  const { status, stdout } = await assay('show', 'two', 'free-slot-1');

  expect(status).toBe(0);
  expect(stdout).toMatch(/read .*spans\.otlp: it ends at 10/);
  expect(stdout).toMatch(/fail +booked/);
});

test('a dataset is checked, and mistakes end with 2', async () => {
  const file = path.join(folder, 'mine.jsonl');
  writeFileSync(file, '{"id":"a","input":"x","tags":["smoke"],"truth":1}\n');
  expect((await assay('dataset', 'check', file)).stdout).toMatch(
    /^mine 1: 1 case without mistakes; 1 turn, 1 with truth, 0 with a golden trace, 0 from production\ntags: smoke \(1\)\nfingerprint [0-9a-f]{64}\n$/,
  );
  expect(JSON.parse((await assay('dataset', 'check', file, '--json')).stdout)).toMatchObject({
    cases: 1,
    tags: { smoke: 1 },
  });
  writeFileSync(file, '{"id":"a","inputs":"x"}\n');
  expect(await assay('dataset', 'check', file)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("inputs: unknown field 'inputs'\n    expected: did you mean 'input'?"),
  });
});

test('cases come from the store into a file that is whole or not there', async () => {
  const out = path.join(folder, 'recorded.jsonl');
  expect(await assay('dataset', 'from-store', '--failed', '--out', out)).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('no store at'),
  });
  expect(readdirSync(folder).filter((name) => name.startsWith('recorded'))).toEqual([]);
  writeFileSync(out, 'mine');
  expect(await assay('dataset', 'from-store', '--out', out)).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('--force overwrites it'),
  });
  expect(readFileSync(out, 'utf8')).toBe('mine');
  expect((await assay('dataset', 'from-store', '--outcome', 'hard')).stderr).toContain('one of successful_completion');
});
