import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CaseRun } from '../../../src/model/experiment.ts';
import { fromEvaluationJson, toEvaluationJson } from '../../../src/model/evaluation-json.ts';
import type { UntilDecided } from '../../../src/model/until-decided.ts';
import {
  createExperiment,
  type ExperimentFolder,
  resumeExperiment,
} from '../../../src/store/experiment/experiment-folder.ts';
import {
  findExperiment,
  experimentsIn,
  readExperiment,
  readSpansOf,
} from '../../../src/store/experiment/read-experiment.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { contentOf, EVALUATION, EXPERIMENT, runOf, TURN_EVALUATION } from './written-experiment.ts';

const CONTENT_FILES = ['spans.otlp', 'logs.otlp', 'runs.jsonl'] as const;

function written(repeats: number, changed: Partial<CaseRun> = {}): string {
  const folder = createExperiment(tempDirectory(), EXPERIMENT);
  for (let repeat = 1; repeat <= repeats; repeat += 1) folder.append(runOf(repeat, changed), contentOf(repeat));
  folder.close();
  return folder.folder;
}

function bytesOf(folder: string): Record<string, Buffer> {
  return Object.fromEntries(CONTENT_FILES.map((name) => [name, readFileSync(path.join(folder, name))]));
}

function opened(folder: string): ExperimentFolder {
  const experiment = resumeExperiment(folder);
  onTestFinished(() => experiment.close());
  return experiment;
}

test('an evaluation is the same after it was written and read', () => {
  for (const evaluation of [EVALUATION, TURN_EVALUATION, { ...EVALUATION, score: 999_999 }]) {
    const text = JSON.stringify(toEvaluationJson(evaluation));

    expect(fromEvaluationJson(JSON.parse(text))).toEqual(evaluation);
  }
});

test('what is no evaluation is not taken for one', () => {
  const json = toEvaluationJson(EVALUATION);

  for (const wrong of [
    null,
    [],
    { ...json, outcome: 'fine' },
    { ...json, score: 2 },
    { ...json, verdicts: { booked: { verdict: 'yes', reason: '', evidence: [] } } },
    { ...json, verdicts: [] },
  ]) {
    expect(() => fromEvaluationJson(wrong)).toThrow();
  }
});

test('an experiment is read as it was written, while it is written and from another place', () => {
  const folder = createExperiment(tempDirectory(), EXPERIMENT);
  onTestFinished(() => folder.close());
  const runs = [1, 2].map((repeat) => folder.append(runOf(repeat), contentOf(repeat)));
  folder.update({ agent: { ...EXPERIMENT.agent, version: '1.2.3' } });
  const elsewhere = path.join(tempDirectory(), 'baseline');
  cpSync(folder.folder, elsewhere, { recursive: true });

  for (const place of [folder.folder, elsewhere]) {
    const result = readExperiment(place);
    expect(result.experiment).toEqual({ ...EXPERIMENT, agent: { ...EXPERIMENT.agent, version: '1.2.3' } });
    expect(result.runs).toEqual(runs);
    expect(runs.map((run) => readSpansOf(place, run))).toEqual(
      [1, 2].map((repeat) => {
        const { traces, logs } = contentOf(repeat);
        return { traces: traces.map((bytes) => Buffer.from(bytes)), logs: logs.map((bytes) => Buffer.from(bytes)) };
      }),
    );
  }
});

test('the plan of looks is read as it was written, whatever the ids of cases; more answers than looks are none', () => {
  const untilDecided: UntilDecided = {
    baseline: 'v1',
    rules: { file: 'gate.yaml', text: 'rules: { tcr: { floor: 0.5 } } # é\n' },
    order: ['a b', ' c\nd', '…'].map((id) => ({ case: id, fingerprint: 'f'.repeat(64) })),
    looks: [
      { cases: 2, share: 0.5 },
      { cases: 3, share: 0.5 },
    ],
    answers: ['not_enough_evidence', 'pass'],
  };
  const root = tempDirectory();
  createExperiment(root, { ...EXPERIMENT, untilDecided }).close();
  const file = path.join(root, EXPERIMENT.id, 'experiment.json');

  expect(readExperiment(path.join(root, EXPERIMENT.id)).experiment.untilDecided).toEqual(untilDecided);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"pass"', '"pass", "pass"'));
  expect(() => readExperiment(path.join(root, EXPERIMENT.id))).toThrow('more answers than looks');
});

test('a run without spans has none, and a run that is there is not written twice', () => {
  const folder = createExperiment(tempDirectory(), EXPERIMENT);
  onTestFinished(() => folder.close());

  const run = folder.append(runOf(1, { end: 'no_spans' }), { traces: [], logs: [] });

  expect(run).toMatchObject({ spans: undefined, logs: undefined });
  expect(readSpansOf(folder.folder, run)).toEqual({ traces: [], logs: [] });
  expect(() => folder.append(runOf(1), contentOf(1))).toThrow(/repeat 1 of case free-slot-1/);
});

test('wherever a crash cut what it was writing, the run is made again and nothing else is', () => {
  // Short ones, because a folder is opened for each byte.
  const short = { evaluations: [], tags: [] };
  const [before, after] = [written(2, short), written(3, short)];
  const [old, whole] = [bytesOf(before), bytesOf(after)];
  const states: Record<string, Buffer>[] = [];
  // In the order of writing: a file grows byte by byte while those before it are complete and those after it are
  // unchanged.
  for (const [index, name] of CONTENT_FILES.entries()) {
    const from = old[name]?.length ?? 0;
    const to = whole[name]?.length ?? 0;
    // The last byte of a line makes the run known.
    for (let end = from; end < (name === 'runs.jsonl' ? to : to + 1); end += 1) {
      const state: Record<string, Buffer> = {};
      for (const [other, file] of CONTENT_FILES.entries()) {
        const bytes =
          (other < index ? whole[file] : other > index ? old[file] : whole[file]?.subarray(0, end)) ?? Buffer.of();
        state[file] = bytes;
      }
      states.push(state);
    }
  }
  expect(states.length).toBeGreaterThan(400);

  for (const [index, state] of states.entries()) {
    for (const [name, bytes] of Object.entries(state)) writeFileSync(path.join(before, name), bytes);
    expect(readExperiment(before).runs).toHaveLength(2);
    const folder = resumeExperiment(before);
    expect(folder.runs).toHaveLength(2);
    expect(bytesOf(before)).toEqual(old);
    // Syncing takes longer than everything else.
    const goesOn = index % 10 === 0;
    if (goesOn) folder.append(runOf(3, short), contentOf(3));
    folder.close();
    if (goesOn) expect(bytesOf(before)).toEqual(whole);
  }
});

test('a disk that wrote the end of a line before its beginning has not written the line', () => {
  const folder = written(2);
  const { length } = readFileSync(path.join(folder, 'runs.jsonl'));
  appendFileSync(path.join(folder, 'runs.jsonl'), Buffer.concat([Buffer.alloc(500), Buffer.from('"x"}\n')]));

  expect(readExperiment(folder).runs).toHaveLength(2);
  expect(opened(folder).runs).toHaveLength(2);
  expect(readFileSync(path.join(folder, 'runs.jsonl'))).toHaveLength(length);
});

test('a damaged line among others is said, with its place, and nothing is written over it', () => {
  const folder = written(3);
  const file = path.join(folder, 'runs.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [lines[0], lines[1]?.slice(5), lines[2], ''].join('\n'));

  expect(() => readExperiment(folder)).toThrow(/runs\.jsonl:2 is no JSON/);
  expect(() => resumeExperiment(folder)).toThrow(/runs\.jsonl:2/);
  writeFileSync(file, [lines[0], '{}', ''].join('\n'));
  expect(() => readExperiment(folder)).toThrow(/runs\.jsonl:2: case: /);
});

test('experiment.json is the old one or the new one: half of a new one is not looked at', () => {
  const folder = written(1);
  const whole = readFileSync(path.join(folder, 'experiment.json'));
  const half = path.join(folder, 'experiment.json.new');

  for (let end = 0; end <= whole.length; end += 1) {
    writeFileSync(half, whole.subarray(0, end));
    expect(readExperiment(folder).experiment).toEqual(EXPERIMENT);
  }
  const experiment = opened(folder);

  expect(readdirSync(folder)).not.toContain('experiment.json.new');
  experiment.update({ endedAt: '2026-11-22T01:31:00.000Z' });
  expect(readExperiment(folder).experiment.endedAt).toBe('2026-11-22T01:31:00.000Z');
});

test('an experiment whose spans were thrown away can be compared, not gone on with', () => {
  const folder = written(2);
  truncateSync(path.join(folder, 'spans.otlp'), 10);

  const { runs } = readExperiment(folder);

  expect(runs).toHaveLength(2);
  expect(() => readSpansOf(folder, runs[0] ?? { spans: undefined, logs: undefined })).toThrow(/spans\.otlp/);
  expect(() => resumeExperiment(folder)).toThrow(/ends at 10/);
});

test('a second writer is told who the first one is, and may begin when that one is done', () => {
  const folder = createExperiment(tempDirectory(), EXPERIMENT);

  expect(() => resumeExperiment(folder.folder)).toThrow(new RegExp(`process ${process.pid} on .* is writing to`));
  folder.append(runOf(1), contentOf(1));
  folder.close();

  expect(opened(folder.folder).runs).toHaveLength(1);
});

test('no experiment is made where one is', () => {
  const root = tempDirectory();
  createExperiment(root, EXPERIMENT).close();

  expect(() => createExperiment(root, EXPERIMENT)).toThrow(/make the folder/);
  expect(() => createExperiment(root, { ...EXPERIMENT, id: '../x' })).toThrow(/can't have the id/);
  expect(readdirSync(root)).toEqual([EXPERIMENT.id]);
});

test('a disk that is full in the middle of a run leaves the folder as it was before, and the run can be written when there is room', async () => {
  const root = tempDirectory();
  const program = path.join(import.meta.dirname, 'full-disk.ts');

  // A file of the process may have at most half a megabyte; the run has more, before and after.
  const child = spawn('bash', ['-c', 'ulimit -f 512 && exec "$0" "$1" "$2"', process.execPath, program, root]);
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));

  expect({ code, said: Buffer.concat(said).toString() }).toEqual({ code: 0, said: 'EFBIG, 2 runs, the same bytes\n' });
});

test('an experiment is found by its id, its name, as the latest, and by its path', () => {
  const root = tempDirectory();
  const made = [
    { id: 'b', name: 'baseline', startedAt: '2026-11-01T00:00:00.000Z' },
    { id: 'a', name: 'baseline', startedAt: '2026-11-02T00:00:00.000Z' },
    { id: 'c', name: 'candidate', startedAt: '2026-11-03T00:00:00.000Z' },
    { id: 'd', name: 'a', startedAt: '2026-10-03T00:00:00.000Z' },
  ].map((changed) => {
    const folder = createExperiment(root, { ...EXPERIMENT, ...changed });
    folder.close();
    return folder.folder;
  });
  mkdirSync(path.join(root, 'begun'));
  mkdirSync(path.join(root, 'broken'));
  writeFileSync(path.join(root, 'broken', 'experiment.json'), '{');
  const problems: string[] = [];

  expect(experimentsIn(root, (problem) => problems.push(problem)).map(({ experiment }) => experiment.id)).toEqual([
    'd',
    'b',
    'a',
    'c',
  ]);
  expect(problems).toEqual([expect.stringContaining(path.join('broken', 'experiment.json'))]);
  const find = (reference: string) => made.indexOf(findExperiment(root, reference));
  expect(['b', 'baseline', 'latest', 'candidate', 'a', made[0] ?? ''].map(find)).toEqual([0, 1, 2, 2, 1, 0]);
  expect(() => findExperiment(root, 'candidat')).toThrow(
    /no experiment has the id or name "candidat"[\s\S]*c {2}candidate/,
  );
  expect(() => findExperiment(root, './nowhere')).toThrow(/not the folder of an experiment/);
  expect(() => findExperiment(path.join(root, 'none'), 'latest')).toThrow(/There are none in/);
});
