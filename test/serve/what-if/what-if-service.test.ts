/** Questions about other weights to a running service: its figures are those of `assay backtest`, to the last digit. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { whatIf as shape } from '../../../src/api/what-if.ts';
import { assayHere } from '../../assay-here.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../running-service.ts';

const SUITE = `# How many calls it takes.
suite: calls
version: "1"
scope: conversation # turns come later
min_decided: 0.2
crash: by_criteria
criteria:
  - { name: few, question: Few calls?, weight: 0.5, check: size(tool_calls) < 3 }
  - { name: clean, question: No errors?, weight: 0.3, check: "!steps.exists(s, s.error != null)" }

  - name: short # is it read at all?
    question: Short?
    weight: 0.2 # a guess
    check: size(final_answer) < 60
    critical: graceful_failure
outcomes:
  - { outcome: successful_completion, when: completed && score >= 0.75 }
  - { outcome: hard_failure, when: failed }
  - { outcome: partial_failure }
`;
const CONVERSATIONS = 40;

async function started(suite = SUITE): Promise<{ readonly running: RunningService; readonly dataDir: string }> {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'calls.yaml'), suite);
  writeFileSync(path.join(dataDir, 'assay.yaml'), 'data_dir: .\nsuites: [./calls.yaml]\n');
  return { running: await runService({ suites: ['./calls.yaml'], dataDir }), dataDir };
}

async function record(running: RunningService): Promise<void> {
  for (const { turns, agentVersion } of traffic({
    seed: 2,
    conversations: CONVERSATIONS,
    turnsMax: 1,
    endMarks: 'all',
  })) {
    const body = exportRequest(turns.flat(), agentVersion);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
  }
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(CONVERSATIONS);
}

async function ask(running: RunningService, body: object) {
  const response = await fetch(`${running.http}/api/v1/what-if`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, value: (await response.json()) as Record<string, unknown> };
}

/** As much of a report of `assay backtest --json` as is compared. */
interface Backtested {
  readonly version: string;
  readonly counted: { readonly compared: number; readonly weighed_again: number };
  readonly before: BacktestedSide;
  readonly after: BacktestedSide;
  readonly criteria: readonly (Weighed & { readonly criterion: string })[];
  readonly changed: number;
  readonly conversations: readonly {
    readonly conversation_id: string;
    readonly before: object;
    readonly after: object;
    readonly moved_by: readonly { readonly criterion: string; readonly points: number }[];
  }[];
}

interface Weighed {
  readonly weight_before: number | null;
  readonly weight_after: number | null;
  readonly points: number | null;
}

interface BacktestedSide {
  readonly scored: number;
  readonly tcr: number;
  readonly outcomes: object;
}

/** The suite's file after the diff has been applied to it by git, in another folder. */
function applied(diff: string): string {
  const folder = tempDirectory();
  const file = path.join(folder, 'calls.yaml');
  writeFileSync(file, SUITE);
  execFileSync('git', ['apply', '-'], { cwd: folder, input: diff });
  return file;
}

async function backtested(file: string, dataDir: string, ...flags: readonly string[]): Promise<Backtested> {
  const { stdout, stderr } = await assayHere(['backtest', file, '--json', ...flags], { cwd: dataDir });
  expect(stderr).toBe('');
  const [report] = JSON.parse(stdout) as readonly Backtested[];
  if (report === undefined) throw new Error('there is no report');
  return report;
}

test('says to the last digit what assay backtest says of the suite that its diff makes', async () => {
  const { running, dataDir } = await started();
  await record(running);

  for (const [question, flags] of [
    [{ weights: { few: 0.123456, short: 0.9 } }, []],
    [{ weights: { clean: 0.7 }, off: ['few'], since: '2020-01-01' }, ['--since', '2020-01-01']],
    [{ off: ['clean', 'few'], limit: 17 }, ['--limit', '17']],
    [
      { weights: { few: 0.1 }, agent: 'simulated-agent', agent_version: 'v1' },
      ['--agent', 'simulated-agent', '--agent-version', 'v1'],
    ],
  ] as const) {
    const { status, value } = await ask(running, { suite: 'calls', ...question });
    expect(status).toBe(200);
    const answer = shape.parse(value);
    const report = await backtested(applied(answer.yaml), dataDir, ...flags);

    expect(report.version).toBe('2');
    expect(report.counted.weighed_again).toBe(report.counted.compared);
    expect([answer.compared, answer.looked_at]).toEqual([report.counted.compared, report.counted.compared]);
    for (const side of ['before', 'after'] as const) {
      expect(answer[side].tcr?.value).toBe(report[side].tcr ?? undefined);
      expect(answer[side].tcr?.n ?? 0).toBe(report[side].scored);
      expect(answer[side].outcomes).toEqual(report[side].outcomes);
    }
    expect(answer.criteria).toEqual(
      report.criteria.map(({ criterion, weight_before, weight_after, points }) => ({
        criterion,
        ...(weight_before === null ? {} : { weight_before }),
        ...(weight_after === null ? {} : { weight_after }),
        ...(points === null ? {} : { points }),
      })),
    );
    expect(answer.changed).toBe(report.changed);
    expect(answer.compared).toBeGreaterThan(0);
    expect(
      answer.moved.map(({ conversation_id, before, after, moved_by }) => ({
        conversation_id,
        before,
        after,
        moved_by,
      })),
    ).toEqual(
      report.conversations.map(({ conversation_id, before, after, moved_by }) => ({
        conversation_id,
        before,
        after,
        moved_by: moved_by.map(({ criterion, points }) => ({ criterion, points })),
      })),
    );
    expect(answer.not_answered).toBeUndefined();
  }
  const { value } = await ask(running, { suite: 'calls', weights: { few: 0.123456, short: 0.9 } });
  expect(shape.parse(value)).toMatchObject({ compared: CONVERSATIONS, is_diff: true });
  expect(shape.parse(value).changed).toBeGreaterThan(0);
  expect(shape.parse(value).before.tcr).not.toEqual(shape.parse(value).after.tcr);
}, 120_000);

test('answers a question without changes as things are, with an empty diff', async () => {
  const { running } = await started();

  const { status, value } = await ask(running, { suite: 'calls' });

  expect(status).toBe(200);
  expect(shape.parse(value)).toMatchObject({ compared: 0, changed: 0, moved: [], yaml: '', is_diff: true });
  expect(shape.parse(value).before.tcr).toBeUndefined();
}, 60_000);

test('refuses mistakes in words, before any thread is started', async () => {
  const { running } = await started();
  const problems = async (body: object) => {
    const { status, value } = await ask(running, body);
    return [status, value.problems];
  };

  expect(await problems({ suite: 'cals' })).toEqual([400, ['there is no live suite "cals"; did you mean "calls"?']]);
  expect(await problems({ suite: 'calls', weights: { fwe: 0.2 }, off: ['short'] })).toEqual([
    400,
    [
      'there is no criterion "fwe"; did you mean "few"?',
      expect.stringContaining('"short" is critical: if it fails, the outcome is at best graceful_failure'),
    ],
  ]);
  // JSON makes null of NaN.
  expect(await problems({ weights: { few: Number.NaN }, limit: 0, sinse: '1h' })).toEqual([
    400,
    [
      'suite: it is missing; expected a text',
      'weights.few: a number above 0, at most 1',
      'limit: at least 1',
      "body: unknown field 'sinse'",
    ],
  ]);
  expect((await fetch(`${running.http}/api/v1/what-if`)).status).toBe(405);
}, 60_000);

test('after a reload it weighs by the new suite; a file that changed without one is refused', async () => {
  const { running, dataDir } = await started();
  const file = path.join(dataDir, 'calls.yaml');
  const weightOf = async () => {
    const { status, value } = await ask(running, { suite: 'calls' });
    const criteria = status === 200 ? shape.parse(value).criteria : [];
    return [status, criteria.find(({ criterion }) => criterion === 'few')?.weight_before];
  };
  expect(await weightOf()).toEqual([200, 0.5]);

  writeFileSync(file, SUITE.replace('weight: 0.5', 'weight: 0.4').replace('weight: 0.3', 'weight: 0.4'));
  // The thread has the suite as it was loaded.
  expect(await weightOf()).toEqual([200, 0.5]);
  expect(await running.service.reload()).toMatchObject({ reloaded: true });
  expect(await weightOf()).toEqual([200, 0.4]);

  writeFileSync(file, SUITE.replace('suite: calls', 'suite: others'));
  expect(await running.service.reload()).toMatchObject({ reloaded: true });
  expect((await ask(running, { suite: 'calls' })).status).toBe(400);
  // Changed between the reload and the first question.
  writeFileSync(file, SUITE.replace('suite: calls', 'suite: others').replace('weight: 0.5', 'weight: 0.1'));
  const { status, value } = await ask(running, { suite: 'others' });
  expect([status, value.error]).toEqual([409, expect.stringContaining('changed since it was loaded: reload it')]);
  writeFileSync(file, SUITE.replace('suite: calls', 'suite: others'));
  expect((await ask(running, { suite: 'others' })).status).toBe(200);
}, 60_000);
