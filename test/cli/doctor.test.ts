/** `assay doctor` against a running service: with nothing received, with traffic, and with what goes wrong most often. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Observed, diagnose } from '../../src/cli/diagnose.ts';
import { Scrape } from '../../src/cli/scraped-series.ts';
import { assayHere } from '../assay-here.ts';
import { runService, sendTurns } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';

const advised = (metrics: string, observed: Partial<Observed> = {}) =>
  diagnose({ scrape: new Scrape(metrics), notReady: [], otlp: 'http://127.0.0.1:4318', ...observed }).advice.map(
    ({ problem }) => problem,
  );

test('a service that has received nothing names the endpoint to set', async () => {
  const { http } = await runService({ suites: ['default'] });

  const { status, stdout } = await assayHere(['doctor', '--url', http]);

  expect(status).toBe(0);
  expect(stdout).toMatch(/received +0 spans\n/);
  expect(stdout).toContain('! nothing has been received\n    set OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 ');
});

test('traffic, a refused request and its remedy, as text and as JSON', async () => {
  const running = await runService({ suites: ['default'] });
  await sendTurns(running, { first: 1, turns: 3 });
  await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{nope',
  });
  let text = await assayHere(['doctor', '--url', running.http]);
  while (!text.stdout.includes('3 scored')) text = await assayHere(['doctor', '--url', running.http]);

  const json = await assayHere(['doctor', '--url', running.http, '--json']);

  expect(text.stdout).toMatch(/received +\d+ spans, 1 request refused\n/);
  expect(text.stdout).toMatch(/default +\d .*\n/);
  expect(text.stdout).toMatch(/agents +\S+ \(.+\)\n/);
  expect(text.stdout).toContain('! 1 request refused (malformed)\n    the client does not send OTLP');
  expect(JSON.parse(json.stdout)).toMatchObject({
    facts: expect.arrayContaining([{ about: 'turns', text: '3 scored' }]),
    // The test's spans hold no text.
    advice: [
      { problem: '1 request refused (malformed)' },
      { remedy: 'switch content capture on: docs/start/frameworks.md' },
    ],
  });
});

test('no service at that address: one sentence', async () => {
  const { status, stderr } = await assayHere(['doctor', '--url', 'http://127.0.0.1:1']);

  expect(status).toBe(3);
  expect(stderr).toMatch(/^no answer from http:\/\/127\.0\.0\.1:1\/metrics: start `assay serve`, or give --url/);
});

test.each<[string, string, readonly string[]]>([
  ['all is well', 'assay_received_records_total{signal="traces"} 4\nassay_turns_closed_total{fate="stored"} 2', []],
  [
    'turns without an agent',
    'assay_received_records_total{signal="traces"} 4\nassay_turns_closed_total{cause="settled",fate="no-agent-steps"} 2',
    ['2 turns not scored (no-agent-steps)'],
  ],
  [
    'content is not captured',
    `assay_received_records_total{signal="traces"} 4
assay_verdicts_total{suite="default",criterion="answered",verdict="pass"} 9
assay_criteria_undecided_total{suite="default",criterion="answered",critical="true",reason="not_recorded"} 3
assay_verdicts_total{suite="default",criterion="honest",verdict="fail"} 1
assay_criteria_undecided_total{suite="default",criterion="honest",critical="true",reason="not_recorded"} 3`,
    ['default/honest mostly undecided (not_recorded)'],
  ],
  [
    'an agent without a name or version; one that has no series yet is no agent',
    `assay_received_records_total{signal="traces"} 4
assay_evaluations_total{suite="default",agent="unknown",agent_version="unknown",outcome="no_fault_found"} 1
assay_evaluations_total{suite="default",agent="a",agent_version="unknown",outcome="no_fault_found"} 0`,
    ['an agent has no name', 'an agent has no version: releases cannot be compared'],
  ],
  [
    'turns that were not read as they happened',
    'assay_received_records_total{signal="traces"} 4\nassay_turns_doubted_total{doubt="counted-twice"} 3',
    ['3 turns not read as it happened: the same tokens stand on two spans'],
  ],
  [
    'behind, and the configuration is broken',
    'assay_received_records_total{signal="traces"} 4\nassay_log_lag_seconds 61.4\nassay_config_last_reload_successful 0',
    ['the configuration could not be reloaded', 'scoring is 61 s behind'],
  ],
])('%s', (_what, metrics, expected) => {
  expect(advised(metrics)).toEqual(expected);
});

test('a suite that never gives a score is named, however few of its criteria lack something', () => {
  const metrics = (unscored: number, others: number) =>
    `assay_evaluations_total{suite="mine",outcome="unscored",agent="a",agent_version="1"} ${unscored}
assay_evaluations_total{suite="mine",outcome="hard_failure",agent="a",agent_version="1"} ${others}
`;

  expect(advised(metrics(12, 0))).toEqual(['mine has never given a score, in 12 evaluations']);
  expect(advised(metrics(12, 1))).toEqual([]);
  expect(advised(metrics(9, 0))).toEqual([]);
});

test('an exporter that nobody knows is no matter where each of its turns has a tool call', () => {
  const seen = { scope: 'ours', turns: 3, turns_speaking_of_tools: 3, turns_with_tool_errors: 0 };
  const of = (turns_with_tools: number) =>
    advised('assay_received_records_total{signal="traces"} 4', { exporters: [{ ...seen, turns_with_tools }] });
  expect(of(3)).toEqual([]);
  expect(of(2)).toEqual([
    'nobody knows what the exporter ours sends: 2 of its 3 turns show tool calls, 3 speak of tools',
  ]);
});

test('failures of an agent have the command that explains one of the worst', async () => {
  const dataDir = tempDirectory();
  writeFileSync(
    path.join(dataDir, 'short.yaml'),
    'suite: short\nscope: conversation\ncriteria:\n  - { name: short, question: Short?, weight: 1, check: size(steps) > 999 }\n',
  );
  const running = await runService({ suites: ['./short.yaml'], dataDir });
  await sendTurns(running, { first: 1, turns: 3 });
  const doctor = () => assayHere(['doctor', '--url', running.http]);
  let { stdout } = await doctor();
  while (!stdout.includes('3 of 3 evaluations')) ({ stdout } = await doctor());

  expect(stdout).toMatch(
    /The service: nothing to do\.\n! short: 3 of 3 evaluations failed, most of them short \(3\)\n {4}read one of the worst: npx assay explain \S+\n$/,
  );
});

test('a criterion without what it needs has the remedy of that need', async () => {
  const dataDir = tempDirectory();
  writeFileSync(
    path.join(dataDir, 'needy.yaml'),
    `suite: needy
version: "1"
scope: conversation
criteria:
  - { name: stated, question: Is it done?, weight: 0.2, needs: [state], check: state.done }
  - { name: liked, question: Was it liked?, weight: 0.2, needs: [feedback], check: feedback.negative == 0 }
  - { name: told, question: Was it told?, weight: 0.2, needs: [final_answer], check: size(final_answer) > 0 }
  - { name: both, question: Was it right?, weight: 0.2, needs: [state, final_answer], check: state.done }
  - { name: ran, question: Did it run?, weight: 0.2, check: size(steps) > 0 }
`,
  );
  const running = await runService({ suites: ['./needy.yaml'], dataDir });
  await sendTurns(running, { first: 1, turns: 3 });
  const doctor = () => assayHere(['doctor', '--url', running.http, '--json']);
  let { stdout } = await doctor();
  while (!stdout.includes('undecided')) ({ stdout } = await doctor());

  const capture = 'switch content capture on: docs/start/frameworks.md';
  const state = 'record the state at the end, by recordState() or assay.conversation.state: docs/start/instrument.md';
  const of = (name: string) => `needy/${name} mostly undecided (not_recorded)`;
  const { advice } = z.object({ advice: z.array(z.unknown()) }).parse(JSON.parse(stdout));
  expect(advice).toContainEqual({ problem: of('stated'), remedy: state });
  expect(advice).toContainEqual({ problem: of('told'), remedy: capture });
  expect(advice).toContainEqual({ problem: of('both'), remedy: `${state}; ${capture}` });
  expect(advice).toContainEqual({ problem: of('liked'), remedy: expect.stringContaining('docs/score/feedback.md') });
});

const FAILING = `assay_received_records_total{signal="traces"} 4
assay_evaluations_total{suite="default",agent="a",agent_version="1",outcome="no_fault_found"} 40
assay_evaluations_total{suite="default",agent="a",agent_version="1",outcome="partial_failure"} 34
assay_evaluations_total{suite="default",agent="a",agent_version="1",outcome="graceful_failure"} 30
assay_evaluations_total{suite="default",agent="a",agent_version="1",outcome="hard_failure"} 7
assay_evaluations_withdrawn_total{suite="default",agent="a",agent_version="1",outcome="hard_failure"} 1
assay_evaluations_total{suite="fine",agent="a",agent_version="1",outcome="successful_completion"} 9
assay_verdicts_total{suite="default",criterion="answered",verdict="fail"} 6
assay_verdicts_total{suite="default",criterion="honest",verdict="fail"} 24
assay_verdicts_total{suite="default",criterion="honest",verdict="pass"} 50
`;

test('what is wrong with the agent is counted by suite, with the criteria that fail most and the next command', () => {
  const of = (observed: Partial<Observed>) =>
    diagnose({ scrape: new Scrape(FAILING), notReady: [], otlp: '', ...observed });
  const problem = 'default: 70 of 110 evaluations failed, most of them honest (24), answered (6)';

  expect(of({ worst: new Map([['default', "it's 1"]]) })).toMatchObject({
    advice: [],
    agents: [{ problem, remedy: String.raw`read one of the worst: npx assay explain 'it'\''s 1'` }],
  });
  expect(of({}).agents).toEqual([
    { problem, remedy: 'list the worst: /api/v1/conversations?suite=default&order=worst' },
  ]);
});

test('a service that is not ready says why first', () => {
  expect(advised('', { notReady: ['starting'] })).toEqual(['not ready: starting', 'nothing has been received']);
});

test('labels with quotes, backslashes and line ends are read back', () => {
  const [series] = new Scrape('# HELP a b\na{agent="a \\"b\\" \\\\ \\n c",x="1"} 2.5e3\n').of('a');

  expect(series?.labels.get('agent')).toBe('a "b" \\ \n c');
  expect(series?.value).toBe(2500);
});

const AT_NANOS = 1_790_000_000_000_000_000n;

/** Two turns of an agent with a tracer of its own; the first calls a tool. */
function ownTurns(scope: string) {
  const span = (number: number, name: string, attributes: Readonly<Record<string, string>>) => ({
    traceId: (name === 'later' ? '8' : '7').repeat(32),
    spanId: String(number).repeat(16),
    ...(name === 'tool' && { parentSpanId: '1'.repeat(16) }),
    name,
    kind: 1,
    startTimeUnixNano: String(AT_NANOS + BigInt(number)),
    endTimeUnixNano: String(AT_NANOS + 1_000_000n),
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  });
  const spans = [
    span(1, 'agent', { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': 'c1' }),
    span(2, 'tool', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look_up' }),
    span(3, 'later', { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': 'c1' }),
  ];
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: scope }, spans }] }] };
}

test('an exporter that nobody knows is proposed, accepted by one command, and known from then on', async () => {
  const scope = "team's tracer";
  const dataDir = tempDirectory();
  const file = path.join(dataDir, 'assay.yaml');
  writeFileSync(file, '# ours\nlog_level: info # as it was\nexporters:\n');
  const running = await runService({ suites: ['default'], dataDir });
  await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ownTurns(scope)),
  });
  const doctor = (...more: readonly string[]) =>
    assayHere(['doctor', '--url', running.http, '--config', file, ...more]);
  let { stdout } = await doctor();
  // Turns are counted when they are scored, and what they show is read when their conversation is there to be read.
  while (!stdout.includes('2 scored') || !stdout.includes('nobody knows')) ({ stdout } = await doctor());

  expect(stdout).toContain(
    "! nobody knows what the exporter team's tracer sends: 1 of its 2 turns show tool calls, 1 speak of tools\n" +
      String.raw`    npx assay doctor --accept 'team'\''s tracer', which notes that it sends tool calls; no error of one was seen`,
  );
  expect(await doctor('--accept', 'other')).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('no entry is proposed for the exporter other'),
  });
  expect(await doctor('--accept', scope)).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe(
    `# ours\nlog_level: info # as it was\nexporters:\n  known:\n    - scope: team's tracer\n      lacks:\n        - tool_errors\n`,
  );
  expect((await doctor()).stdout).not.toContain('nobody knows');
  expect(await doctor('--accept', scope)).toMatchObject({ status: 3 });
});
