/** Experiments in the API: what it says of two of them is, to the digit, what the command line says. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { comparison } from '../../../src/api/comparison.ts';
import { comparedCase, experimentDetail, experimentList, gateAnswer } from '../../../src/api/experiments.ts';
import { assayHere } from '../../assay-here.ts';
import { experimentOf, FAILURE, passing, type RunLine, SUCCESS } from '../../statistics/compare/experiments.ts';
import { keepExperiment } from '../../statistics/compare/kept-experiment.ts';
import { forFile } from '../../for-file.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { runService, type RunningService } from '../running-service.ts';

const GOOD = Array.from({ length: 40 }, () => 1 as const);
const BAD = GOOD.map((_, index) => (index % 4 === 0 ? 0 : 1));
const SPENT = { inputTokens: 100, outputTokens: 10, costUsd: 0.01 };

const spending = (lines: readonly RunLine[], more: number): RunLine[] =>
  lines.map((line, index) => ({ ...line, effort: { ...SPENT, steps: 4 + ((index * more) % 3) } }));

async function started(): Promise<{ running: RunningService; dataDir: string }> {
  const dataDir = tempDirectory();
  return { running: await runService({ suites: ['default'], dataDir }), dataDir };
}

async function ask(running: RunningService, place: string) {
  const response = await fetch(`${running.http}/api/v1/experiments${place}`);
  const body: unknown = await response.json();
  return { status: response.status, body, error: z.object({ error: z.string() }).safeParse(body).data?.error ?? '' };
}

test('a comparison is the document of assay compare, and a gate that of assay gate, to the last digit', async () => {
  const { running, dataDir } = await started();
  keepExperiment(dataDir, experimentOf('good', spending(passing(GOOD), 1)), 'Booked at nine.');
  keepExperiment(dataDir, experimentOf('bad', spending(passing(BAD), 2)), 'Booked at ten.');
  const at = { cwd: dataDir };
  const places = ['--experiments', 'experiments'];

  const compared = await ask(running, '/compare?a=good&b=bad&smallest=0.1');
  const gated = await ask(running, '/gate?candidate=bad&baseline=good');

  const printed = await assayHere(['compare', 'good', 'bad', '--smallest', '0.1', '--json', ...places], at);
  expect(compared).toMatchObject({ status: 200, body: JSON.parse(printed.stdout) as object });
  expect(compared.body).toEqual(JSON.parse(printed.stdout));
  const whole = comparison.parse(compared.body);
  expect(whole.suites[0]?.score).toMatchObject({ word: 'worse', change: -0.1875 });
  expect(whole.suites[0]?.cost_per_success).toMatchObject({ relative: true });
  const decided = gateAnswer.parse(gated.body);
  const gate = await assayHere(['gate', 'bad', '--baseline', 'good', '--json', ...places], at);
  expect(decided).toMatchObject({ rules: 'default', may_release: false });
  expect(decided.result).toEqual(JSON.parse(gate.stdout));
  expect(decided.result.decision).toBe('regression');
});

describe('of a folder with several experiments', () => {
  async function filled(): Promise<Awaited<ReturnType<typeof started>>> {
    const { running, dataDir } = await started();
    const often = (passes: readonly (0 | 1)[]): RunLine[] =>
      passes.map((pass, index) => ({
        case: 'often',
        repeat: index + 1,
        evaluations: [pass === 1 ? SUCCESS : FAILURE],
      }));
    for (const [index, [name, passes, answer]] of (
      [
        ['steady', [1, 1, 1], 'Booked at nine.'],
        ['shaky', [1, 1, 0], 'Booked at <b>ten</b>\u202e.'],
        ['other', [1, 0, 0], 'Booked at ten.'],
      ] as const
    ).entries()) {
      const changed = { startedAt: `2026-11-2${index}T10:00:00.000Z`, endedAt: undefined };
      keepExperiment(dataDir, experimentOf(name, often(passes), changed), answer);
    }
    return { running, dataDir };
  }

  const asked = forFile(filled);

  test('they are listed from the latest on, a page at a time', async () => {
    const { running } = asked();
    const first = experimentList.parse((await ask(running, '?limit=2')).body);
    const second = experimentList.parse((await ask(running, `?limit=2&cursor=${first.next ?? ''}`)).body);

    expect(first.experiments.map(({ name, state, runs }) => [name, state, runs])).toEqual([
      ['other', 'interrupted', 3],
      ['shaky', 'interrupted', 3],
    ]);
    expect(second).toMatchObject({ next: null, has_folder: true, unreadable: [] });
    expect(second.experiments.map(({ name }) => name)).toEqual(['steady']);
    expect(experimentList.parse((await ask(running, '?dataset=none')).body).experiments).toEqual([]);
    expect((await ask(running, '?cursor=%00')).status).toBe(400);
  });

  test('one has its figures with intervals, over cases', async () => {
    const { running } = asked();
    const one = experimentDetail.parse((await ask(running, '/shaky')).body);

    expect(one.ends).toEqual({ completed: 3, agent_failed: 0, timed_out: 0, no_spans: 0 });
    expect(one.figures[0]).toMatchObject({
      suite: 'scheduling',
      cases: 1,
      tcr: { value: 0.75, n: 1 },
      outcomes: { successful_completion: 2, partial_failure: 1 },
    });
  });

  test('a case shows two repeats that differ, what was said in both, and the verdicts with their weights', async () => {
    const { running } = asked();
    const { status, body } = await ask(running, '/compare/case?a=steady&b=shaky&case=often');
    const { a, b } = comparedCase.parse(body);

    expect(status).toBe(200);
    expect([a?.repeat, b?.repeat, b?.repeats]).toEqual([1, 3, 3]);
    expect(a?.turn_list[0]).toMatchObject({ asked: 'Book Ana at nine', answered: 'Booked at nine.' });
    expect(b?.turn_list[0]?.answered).toBe('Booked at <b>ten</b>\u202e.');
    expect(a?.turn_list[0]?.steps.map(({ name }) => name)).toContain('book_meeting');
    expect(b?.evaluations[0]?.verdicts).toMatchObject([
      { criterion: 'booked', verdict: 'fail', weight: 0.75, question: 'Was it booked?' },
      { criterion: 'polite', verdict: 'pass', weight: 0.25 },
    ]);
    const nobody = await ask(running, '/compare/case?a=steady&b=shaky&case=nobody');
    expect(nobody).toMatchObject({ status: 404, error: 'no run of a case "nobody" is known in either' });
  });

  test('an id from a request is compared with those that are there, and leads nowhere else', async () => {
    const { running, dataDir } = await filled();
    for (const id of [
      '../experiments/2026-11-20-steady',
      '2026-11-20-steady/../2026-11-20-steady',
      '.',
      '/etc',
      '..\\..\\assay.db',
      '2026-11-20-steady\0',
      '__proto__',
      'x'.repeat(301),
      // A part of one.
      '2026-11-20-stead',
    ]) {
      const encoded = encodeURIComponent(id);
      for (const place of [
        `/${encoded}`,
        `/compare?a=${encoded}&b=shaky`,
        `/compare?a=shaky&b=${encoded}`,
        `/compare/case?a=${encoded}&b=shaky&case=often`,
        `/gate?candidate=${encoded}&baseline=shaky`,
      ]) {
        const { status, body } = await ask(running, place);
        // The path of a client ends at a dot.
        const isList = id === '.' && place === '/.';
        expect([place, isList ? 404 : status]).toEqual([place, id.length > 300 && place.includes('?') ? 400 : 404]);
        expect(JSON.stringify(body)).not.toContain(dataDir);
      }
    }
  });

  test('a damaged one is named, and keeps nobody from the others', async () => {
    const { running, dataDir } = await filled();
    const folder = path.join(dataDir, 'experiments', '2026-11-20-shaky');
    const spoiled = path.join(dataDir, 'experiments', '2026-11-20-other', 'experiment.json');
    const runs = readFileSync(path.join(folder, 'runs.jsonl'), 'utf8').split('\n');
    writeFileSync(path.join(folder, 'runs.jsonl'), [runs[0], '{"case": broken', ...runs.slice(1)].join('\n'));
    writeFileSync(spoiled, '{}');
    mkdirSync(path.join(dataDir, 'experiments', 'not-one'));
    symlinkSync('/etc/passwd', path.join(dataDir, 'experiments', 'a-link'));

    const list = experimentList.parse((await ask(running, '')).body);
    const compared = await ask(running, '/compare?a=steady&b=shaky');

    expect(list.experiments.map(({ name }) => name)).toEqual(['shaky', 'steady']);
    expect(list.unreadable).toEqual([expect.stringMatching(/^read 2026-11-20-other\/experiment.json: format: /)]);
    expect(compared).toMatchObject({
      status: 409,
      error: '2026-11-20-shaky/runs.jsonl:2 is no JSON: the file is damaged',
    });
    expect((await ask(running, '/compare?a=steady&b=steady')).status).toBe(200);
  });

  test('spans that are gone or damaged leave the verdicts, and say why there is no transcript', async () => {
    const { running, dataDir } = await filled();
    rmSync(path.join(dataDir, 'experiments', '2026-11-20-steady', 'spans.otlp'));
    const spans = path.join(dataDir, 'experiments', '2026-11-20-shaky', 'spans.otlp');
    writeFileSync(spans, Buffer.alloc(readFileSync(spans).length, 255));

    const { a, b } = comparedCase.parse((await ask(running, '/compare/case?a=steady&b=shaky&case=often')).body);

    expect(a?.no_transcript).toMatch(/^read 2026-11-20-steady\/spans.otlp: ENOENT/);
    expect(a?.no_transcript).not.toContain(dataDir);
    expect(b?.no_transcript).toContain('the file is damaged');
    expect([a?.turn_list, b?.evaluations.length]).toEqual([[], 1]);
  });

  test('runs that were forgotten are in no answer any more', async () => {
    const { running } = await filled();
    expect((await ask(running, '/compare/case?a=steady&b=shaky&case=often')).status).toBe(200);

    const forgotten = await fetch(`${running.http}/api/v1/conversations/run-often-3`, { method: 'DELETE' });

    expect(await forgotten.json()).toMatchObject({ experiment_runs: 3 });
    const { b } = comparedCase.parse((await ask(running, '/compare/case?a=steady&b=shaky&case=often')).body);
    expect(b).toMatchObject({ repeat: 1, turn_list: [{ answered: 'Booked at <b>ten</b>\u202e.' }] });
    expect(experimentDetail.parse((await ask(running, '/shaky')).body).runs).toBe(2);
  });
});

test('the gate reads gate.yaml of the folder where the service was started, and names its mistakes', async () => {
  const { running, dataDir } = await started();
  keepExperiment(dataDir, experimentOf('good', passing(GOOD)), 'Booked at nine.');
  keepExperiment(dataDir, experimentOf('bad', passing(BAD)), 'Booked at ten.');
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(dataDir);
  writeFileSync('gate.yaml', 'rules: { cases_worse: 10 }\n');

  const kept = gateAnswer.parse((await ask(running, '/gate?candidate=bad&baseline=good')).body);
  writeFileSync('gate.yaml', 'rules: { cases_worse: many }\n');
  const mistaken = await ask(running, '/gate?candidate=bad&baseline=good');

  expect(kept).toMatchObject({ rules: 'file', may_release: true, result: { decision: 'pass' } });
  expect(kept.result.rules).toMatchObject([{ rule: 'cases_worse', value: 10, allowed: 10 }]);
  expect(mistaken).toMatchObject({ status: 409, error: 'the file of rules has mistakes' });
  expect(JSON.stringify(mistaken.body)).toContain('gate.yaml:1');
});

test('without a folder it says how to get one', async () => {
  const { running, dataDir } = await started();

  const list = experimentList.parse((await ask(running, '')).body);
  const one = await ask(running, '/latest');

  expect(list).toEqual({ experiments: [], next: null, has_folder: false, unreadable: [] });
  expect(one.status).toBe(404);
  expect(one.error).toContain('assay run makes them, and the setting `experiments` names the folder');
  expect(one.error).not.toContain(dataDir);
});

test('a suite that did not score both, and a share that is none, are mistakes of the query', async () => {
  const { running, dataDir } = await started();
  keepExperiment(dataDir, experimentOf('good', passing([1])), 'Booked.');

  expect(await ask(running, '/compare?a=good&b=good&suite=nobody')).toMatchObject({
    status: 400,
    body: { problems: ['suite: "nobody" did not score both'] },
  });
  expect((await ask(running, '/compare?a=good&b=good&confidence=95')).status).toBe(400);
  expect((await ask(running, '/compare?a=good')).status).toBe(400);
});

test('experiments without runs have no gate, and a reason', async () => {
  const { running, dataDir } = await started();
  keepExperiment(dataDir, experimentOf('good', passing([1])), 'Booked.');
  keepExperiment(dataDir, experimentOf('empty', []), 'Booked.');

  const gated = await ask(running, '/gate?candidate=empty&baseline=good');

  expect(gated).toMatchObject({ status: 409, body: { problems: ['2026-11-20-empty has no runs'] } });
});
