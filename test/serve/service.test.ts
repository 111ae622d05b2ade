import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { crashTest } from '../simulation/crashes.ts';
import { exportersTest } from '../simulation/exporters.ts';
import { overload } from '../simulation/overload.ts';
import { exportRequest, type TrafficConversation, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from './running-service.ts';
import { rounds } from '../rounds.ts';

const DEFINE_SUITE = path.resolve(import.meta.dirname, '../../src/score/define-suite.ts');

async function send(running: RunningService, conversation: TrafficConversation): Promise<void> {
  for (const turn of conversation.turns) {
    const response = await fetch(`${running.otlp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: exportRequest(turn, conversation.agentVersion),
    });
    expect(response.status).toBe(200);
  }
}

/** Polls until the claim holds; the test's own time limit ends the wait. */
async function until(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 50));
}

test('spans sent over OTLP come out as metrics and as a conversation that can be asked about', async () => {
  const running = await runService({ suites: ['default'] });
  const conversations = [...traffic({ seed: 1, conversations: 20, endMarks: 'all' })];
  const turns = conversations.reduce((sum, conversation) => sum + conversation.turns.length, 0);
  for (const conversation of conversations) await send(running, conversation);

  await until(async () => sumOf(await metricsOf(running), 'assay_evaluations_total') === turns);

  const [first] = conversations;
  const answer = await fetch(`${running.http}/api/conversations/${first?.id}`);
  // The cast holds for this API.
  const body = (await answer.json()) as { evaluations: readonly { suite: string; turn_id: string }[] };
  expect(body.evaluations).toHaveLength(first?.turns.length ?? 0);
  expect(await (await fetch(`${running.http}/readyz`)).text()).toBe('ready\n');
  const openMetrics = await fetch(`${running.http}/metrics`, {
    headers: { accept: 'application/openmetrics-text; version=1.0.0' },
  });
  const text = await openMetrics.text();
  expect(openMetrics.headers.get('content-type')).toContain('application/openmetrics-text');
  expect(text).toMatch(
    /assay_evaluation_score_bucket\{[^}]*\} \d+ # \{trace_id="[0-9a-f]{32}",conversation_id="conversation-1-\d+"\}/,
  );
  expect(text.endsWith('# EOF\n')).toBe(true);
});

test('counters go on after a restart from where they were', async () => {
  const dataDir = tempDirectory();
  const first = await runService({ suites: ['default'], dataDir });
  const [one, two] = [...traffic({ seed: 2, conversations: 2, turnsMax: 1 })];
  if (one === undefined || two === undefined) throw new Error('two conversations were asked for');
  await send(first, one);
  await until(async () => sumOf(await metricsOf(first), 'assay_evaluations_total') === 1);
  await first.service.stop();

  const second = await runService({ suites: ['default'], dataDir });
  const before = sumOf(await metricsOf(second), 'assay_evaluations_total');
  await send(second, two);
  await until(async () => sumOf(await metricsOf(second), 'assay_evaluations_total') === 2);

  expect(before).toBe(1);
});

test('a check that never returns is stopped and is an error; the other verdicts and the receiver go on', async () => {
  const directory = tempDirectory();
  writeFileSync(
    path.join(directory, 'hang.ts'),
    `import { defineSuite } from ${JSON.stringify(DEFINE_SUITE)};
     export default defineSuite({
       name: 'hang', scope: 'turn',
       criteria: [
         { name: 'fine', question: 'Is it fine?', weight: 0.6, check: () => true },
         { name: 'hangs', question: 'Does it end?', weight: 0.4, check: () => { for (;;); } },
       ],
     });`,
  );
  const running = await runService({ suites: [path.join(directory, 'hang.ts')], checkTimeoutMs: 200 });
  const [conversation, ...others] = [...traffic({ seed: 3, conversations: 5, turnsMax: 1 })];
  if (conversation === undefined) throw new Error('conversations were asked for');
  await send(running, conversation);
  for (const other of others) await send(running, other);

  await until(async () => sumOf(await metricsOf(running), 'assay_evaluations_total') === 5);

  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_verdicts_total', 'criterion="fine"', 'verdict="pass"')).toBe(5);
  expect(sumOf(metrics, 'assay_verdicts_total', 'criterion="hangs"', 'verdict="error"')).toBe(5);
  expect(sumOf(metrics, 'assay_verdicts_total', 'criterion="hangs"', 'verdict="pass"')).toBe(0);
  expect(running.lines.some((line) => line.includes('ran past its limit'))).toBe(true);
}, 60_000);

test.each([
  ['its outcome', 'completed: () => { for (;;); },'],
  ['its match', 'match: { whyNot: () => { for (;;); } },'],
])(
  'a suite that hangs in %s is left out, and the other suites score',
  async (_where, part) => {
    const directory = tempDirectory();
    writeFileSync(
      path.join(directory, 'hang.ts'),
      `import { defineSuite } from ${JSON.stringify(DEFINE_SUITE)};
     export default defineSuite({
       name: 'hang', scope: 'turn', ${part}
       criteria: [{ name: 'fine', question: 'Is it fine?', weight: 1, check: () => true }],
     });`,
    );
    const running = await runService({ suites: [path.join(directory, 'hang.ts'), 'default'], checkTimeoutMs: 200 });
    const conversations = [...traffic({ seed: 4, conversations: 3, turnsMax: 1 })];
    for (const conversation of conversations) await send(running, conversation);

    await until(async () => sumOf(await metricsOf(running), 'assay_evaluations_total{suite="default"') === 3);

    expect(sumOf(await metricsOf(running), 'assay_check_errors_total{suite="hang"')).toBeGreaterThan(0);
  },
  60_000,
);

test('a second Assay on the same folder is refused with what to do', async () => {
  const dataDir = tempDirectory();
  await runService({ suites: ['default'], dataDir });

  await expect(runService({ suites: ['default'], dataDir })).rejects.toThrow(/another Assay is using .*--data-dir/);
});

test('killed under load and started again, the books balance', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

  const report = await crashTest({ kills: rounds(3), seed, clients: 4 });

  expect(report.spans, `seed ${seed}`).toBeGreaterThan(0);
  expect(report, `seed ${seed}`).toMatchObject({
    lost: 0,
    duplicated: 0,
    counter_mismatches: 0,
    observation_mismatches: 0,
    evaluation_mismatches: 0,
    unforgotten_files: 0,
  });
}, 120_000);

test('the official exporters, eight at once, arrive complete and are scored as offline', async () => {
  const conversations = rounds(120, 40);
  const report = await exportersTest({ conversations });

  expect(report.spans_exported).toBeGreaterThan(8 * conversations);
  expect(report).toMatchObject({
    conversations,
    failed_exports: 0,
    spans_stored: report.spans_exported,
    evaluation_mismatches: 0,
  });
}, 60_000);

test('offered more than it takes, it tells clients to wait and scores in the end what it accepted', async () => {
  const report = await overload({ seconds: 3, clients: 12, journalBytes: 8 << 20 });

  expect(report.wrong_refusals).toBe(0);
  expect(report.refused_requests).toBeGreaterThan(0);
  expect(report.turns_scored).toBe(report.turns_accepted);
}, 120_000);
