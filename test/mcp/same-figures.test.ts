/**
 * The same figures everywhere: ten questions about the same conversations, answered by the API (which the page asks), the
 * command line over the spans, the export, Prometheus and MCP. Some conversations are unscored and some are handed over,
 * because surfaces would differ first in what they leave out.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { trend } from '../../src/api/trend.ts';
import { suiteList } from '../../src/api/suite-list.ts';
import { versionsCompared } from '../../src/api/versions.ts';
import { conversationList } from '../../src/api/conversation-list.ts';
import { assayHere } from '../assay-here.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';
import { toolsOverHttp } from './mcp-client.ts';

const SUITE = `suite: care
version: "1"
scope: conversation
criteria:
  - { name: looked, question: Did it look?, weight: 0.3, check: size(tools('look')) > 0 }
  - { name: right_day, question: Was it the right day?, weight: 0.7, check: last(tools('look')).args.day == 'monday' }
`;
const CONVERSATIONS = 120;
const START_NS = BigInt(Date.now() - 600_000) * 1_000_000n;

/** Names of the questions; each surface answers all of them. */
const QUESTIONS = [
  'conversations',
  'tcr',
  'success',
  'successful_completion',
  'partial_failure',
  'unscored',
  'decided_share',
  'pass rate of looked',
  'tcr of v2',
  'success of v1',
  'steps per success of v1',
  'cost per success of v1',
] as const;
type Answers = Readonly<Record<(typeof QUESTIONS)[number], number>>;

/** One request for each conversation, so that the file for the command has the same. */
function requests(): readonly object[] {
  return Array.from({ length: CONVERSATIONS }, (_, number) => {
    const traceId = (number + 1).toString(16).padStart(32, '0');
    const spanId = (place: number) => `${(number + 1).toString(16)}${place}`.padStart(16, '0');
    const span = (place: number, operation: string, more: Readonly<Record<string, string | number | true>> = {}) => ({
      traceId,
      spanId: spanId(place),
      ...(place === 0 ? {} : { parentSpanId: spanId(0) }),
      name: operation,
      kind: 1,
      startTimeUnixNano: String(START_NS + BigInt(number * 1000 + place) * 1_000_000n),
      endTimeUnixNano: String(START_NS + BigInt(number * 1000 + place + 10) * 1_000_000n),
      status: { code: 0 },
      attributes: Object.entries({
        'gen_ai.operation.name': operation,
        'gen_ai.agent.name': 'helper',
        'gen_ai.conversation.id': `call-${number}`,
        ...more,
      }).map(([key, value]) => ({ key, value: anyValue(value) })),
    });
    const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
    const day = number % 3 === 0 ? 'friday' : 'monday';
    const looks = number % 7 === 3 ? [] : Array.from({ length: 1 + (number % 4) }, (_none, at) => at);
    const spans = [
      ...looks.map((at) =>
        span(2 + at, 'execute_tool', {
          'gen_ai.tool.name': 'look',
          'gen_ai.tool.call.arguments': JSON.stringify({ day }),
          'gen_ai.tool.call.result': 'free',
        }),
      ),
      ...(number % 11 === 5 ? [span(8, 'execute_tool', { 'gen_ai.tool.name': 'transfer_to_human' })] : []),
      span(1, 'chat', {
        'gen_ai.request.model': 'sim',
        ...(number % 5 === 4 ? {} : { 'gen_ai.usage.cost': 0.001 * (1 + (number % 6)) }),
        'gen_ai.usage.input_tokens': 100 + number,
        'gen_ai.usage.output_tokens': 10,
        'gen_ai.input.messages': said('user', 'Please move my call.'),
        'gen_ai.output.messages': said('assistant', 'It is moved.'),
      }),
      span(0, 'invoke_agent', {
        'gen_ai.input.messages': said('user', 'Please move my call.'),
        'gen_ai.output.messages': said('assistant', 'It is moved.'),
        'assay.conversation.end': true,
      }),
    ];
    const attributes = [
      { key: 'service.version', value: { stringValue: number % 2 === 0 ? 'v1' : 'v2' } },
      { key: 'deployment.environment.name', value: { stringValue: 'prod' } },
    ];
    return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
  });
}

function anyValue(value: string | number | true): object {
  if (typeof value === 'string') return { stringValue: value };
  if (value === true) return { boolValue: true };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

async function ofApi(running: RunningService): Promise<Answers> {
  const ask = async <Shape extends z.ZodType>(place: string, shape: Shape): Promise<z.output<Shape>> =>
    shape.parse(await (await fetch(`${running.http}/api/v1/${place}`)).json());
  const whole = (await ask('trend?suite=care&since=1d', trend)).series[0]?.whole;
  const byVersion = (await ask('trend?suite=care&since=1d&by=agent_version', trend)).series;
  const { suites } = await ask('suites', suiteList);
  const compared = await ask('versions/compare?agent=helper&a=v1&b=v2&suite=care', versionsCompared);
  return answersOf({ whole, byVersion, criteria: suites.find(({ name }) => name === 'care')?.criteria, compared });
}

/** Figures as the API and MCP give them. */
function answersOf(of: {
  readonly whole: z.output<typeof trend>['series'][number]['whole'] | undefined;
  readonly byVersion: readonly Pick<z.output<typeof trend>['series'][number], 'key' | 'whole'>[];
  readonly criteria: z.output<typeof suiteList>['suites'][number]['criteria'] | undefined;
  readonly compared: z.output<typeof versionsCompared>;
}): Answers {
  const { whole, byVersion, criteria, compared } = of;
  const version = (key: string) => byVersion.find((one) => one.key === key)?.whole;
  const before = (side: object) => ('a' in side && typeof side.a === 'number' ? side.a : Number.NaN);
  return {
    conversations: whole?.evaluations ?? Number.NaN,
    tcr: whole?.tcr?.value ?? Number.NaN,
    success: whole?.success?.value ?? Number.NaN,
    successful_completion: whole?.outcomes.successful_completion ?? 0,
    partial_failure: whole?.outcomes.partial_failure ?? 0,
    unscored: whole?.outcomes.unscored ?? 0,
    decided_share: whole?.decided_share ?? Number.NaN,
    'pass rate of looked': criteria?.find(({ name }) => name === 'looked')?.pass_rate?.value ?? Number.NaN,
    'tcr of v2': version('v2')?.tcr?.value ?? Number.NaN,
    'success of v1': version('v1')?.success?.value ?? Number.NaN,
    'steps per success of v1': before(compared.steps_per_success),
    'cost per success of v1': before(compared.cost_per_success),
  };
}

async function ofMcp(running: RunningService): Promise<Answers> {
  const tools = await toolsOverHttp(running.http);
  const figures = z
    .object({
      series: z.array(trend.shape.series.unwrap().element.omit({ buckets: true })),
      criteria: suiteList.shape.suites.unwrap().element.shape.criteria,
      criteria_rest_on: z.unknown(),
    })
    .loose();
  const asked = { suite: 'care', since: '1d' };
  const { series, criteria } = await tools.call('figures', asked, figures);
  const { series: byVersion } = await tools.call('figures', { ...asked, by: 'agent_version' }, figures);
  // Its criteria rest on the evaluations of its other figures.
  const n = CONVERSATIONS / 2;
  const part = await tools.call('figures', { ...asked, agent_version: 'v2' }, figures);
  expect([part.series[0]?.whole.evaluations, part.criteria.map((one) => one.asked)]).toEqual([n, [n, n]]);
  expect(part.criteria_rest_on).toEqual({ evaluations: n, other_versions: 0, cut: false });
  for (const none of [{ until: '1h' }, { agent: 'nobody' }, { environment: 'test' }]) {
    const empty = await tools.call('figures', { ...asked, ...none }, figures);
    const shown = empty.criteria.map((one) => [one.asked, one.pass_rate]);
    expect([none, empty.series, shown]).toEqual([
      none,
      [],
      [
        [0, undefined],
        [0, undefined],
      ],
    ]);
  }
  const compared = await tools.call(
    'compare_versions',
    { agent: 'helper', against_version: 'v1', agent_version: 'v2', suite: 'care' },
    versionsCompared,
  );
  return answersOf({ whole: series[0]?.whole, byVersion, criteria, compared });
}

async function ofPrometheus(running: RunningService): Promise<Answers> {
  const metrics = await metricsOf(running);
  const sum = (name: string, ...labels: readonly string[]) => sumOf(metrics, name, 'suite="care"', ...labels);
  const outcome = (name: string, ...more: readonly string[]) =>
    sum('assay_evaluations_total{', `outcome="${name}"`, ...more);
  const [v1, v2] = ['agent_version="v1"', 'agent_version="v2"'];
  const bad = (...more: readonly string[]) =>
    ['graceful_failure', 'partial_failure', 'hard_failure'].reduce((all, name) => all + outcome(name, ...more), 0);
  const success = (...more: readonly string[]) => {
    const good = outcome('successful_completion', ...more);
    return good / (good + bad(...more));
  };
  const passed = sum('assay_verdicts_total{', 'criterion="looked"', 'verdict="pass"');
  const perSuccess = (name: string) =>
    (sum(`${name}_sum{`, v1) - sum(`${name}_sum{`, v1, 'outcome="unscored"')) /
    sum(`${name}_count{`, v1, 'outcome="successful_completion"');
  return {
    conversations: sum('assay_evaluations_total{'),
    tcr: sum('assay_evaluation_score_sum{') / sum('assay_evaluation_score_count{'),
    success: success(),
    successful_completion: outcome('successful_completion'),
    partial_failure: outcome('partial_failure'),
    unscored: outcome('unscored'),
    decided_share: sum('assay_evaluation_decided_share_sum{') / sum('assay_evaluation_decided_share_count{'),
    'pass rate of looked': passed / (passed + sum('assay_verdicts_total{', 'criterion="looked"', 'verdict="fail"')),
    'tcr of v2': sum('assay_evaluation_score_sum{', v2) / sum('assay_evaluation_score_count{', v2),
    'success of v1': success(v1),
    'steps per success of v1': perSuccess('assay_conversation_steps'),
    'cost per success of v1': perSuccess('assay_conversation_cost_usd'),
  };
}

const exportedSchema = z.looseObject({
  agent_version: z.string(),
  outcome: z.string(),
  success: z.boolean().nullable(),
  score: z.number().nullable(),
  decided_share: z.number().nullable(),
  steps: z.number().nullable(),
  cost_usd: z.number().nullable(),
});

/** As a person works them out in a dataframe. */
async function ofExport(running: RunningService): Promise<Answers> {
  const lines = async <Shape extends z.ZodType>(table: string, shape: Shape) => {
    const { stdout, stderr } = await assayHere(['export', '--table', table, '--suite', 'care', '--url', running.http]);
    expect(stderr).toBe('');
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => shape.parse(JSON.parse(line)));
  };
  const rows = await lines('evaluations', exportedSchema);
  const verdicts = await lines('verdicts', z.looseObject({ criterion: z.string(), passed: z.boolean().nullable() }));
  const mean = (values: readonly (number | boolean | null)[]) => {
    const known = values.filter((value) => value !== null).map(Number);
    return known.reduce((all, value) => all + value, 0) / known.length;
  };
  const of = (version: string) => rows.filter((row) => row.agent_version === version);
  const count = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
  const perSuccess = (effort: 'steps' | 'cost_usd') => {
    const known = of('v1').filter((row) => row[effort] !== null && row.outcome !== 'unscored');
    return known.reduce((all, row) => all + (row[effort] ?? 0), 0) / known.filter((row) => row.success === true).length;
  };
  return {
    conversations: rows.length,
    tcr: mean(rows.map(({ score }) => score)),
    success: mean(rows.map(({ success }) => success)),
    successful_completion: count('successful_completion'),
    partial_failure: count('partial_failure'),
    unscored: count('unscored'),
    decided_share: mean(rows.map((row) => row.decided_share)),
    'pass rate of looked': mean(verdicts.filter(({ criterion }) => criterion === 'looked').map(({ passed }) => passed)),
    'tcr of v2': mean(of('v2').map(({ score }) => score)),
    'success of v1': mean(of('v1').map(({ success }) => success)),
    'steps per success of v1': perSuccess('steps'),
    'cost per success of v1': perSuccess('cost_usd'),
  };
}

test('the API, the export, Prometheus and MCP give the same answers', { timeout: 120_000 }, async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'care.yaml'), SUITE);
  const running = await runService({ suites: ['./care.yaml'], dataDir });
  const sent = requests();
  for (const request of sent) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${running.otlp}/v1/traces`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    });
    expect(response.status).toBe(200);
  }
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total{'), { timeout: 30_000 })
    .toBe(CONVERSATIONS);
  const rounded = (answers: Answers) =>
    Object.fromEntries(QUESTIONS.map((question) => [question, Number(answers[question].toFixed(9))]));

  const api = rounded(await ofApi(running));
  for (const question of QUESTIONS) expect([question, Number.isFinite(api[question])]).toEqual([question, true]);
  expect(api).toMatchObject({ conversations: CONVERSATIONS });
  const handedOver = await fetch(`${running.http}/api/v1/conversations?outcome=handed_over`);
  // Six of the eleven hand-overs did what they should, and are successes.
  expect(conversationList.parse(await handedOver.json()).conversations).toHaveLength(5);
  expect(api.unscored).toBeGreaterThan(0);
  expect({ 'of the export': rounded(await ofExport(running)) }).toEqual({ 'of the export': api });
  expect({ 'of MCP': rounded(await ofMcp(running)) }).toEqual({ 'of MCP': api });
  expect({ 'of Prometheus': rounded(await ofPrometheus(running)) }).toEqual({ 'of Prometheus': api });

  // The list counts the same conversations, and the command line scores the same spans alike.
  const listed = conversationList.parse(await (await fetch(`${running.http}/api/v1/conversations?limit=200`)).json());
  expect(listed.conversations).toHaveLength(CONVERSATIONS);
  const folder = tempDirectory();
  writeFileSync(path.join(folder, 'care.yaml'), SUITE);
  writeFileSync(path.join(folder, 'spans.jsonl'), sent.map((request) => JSON.stringify(request)).join('\n'));
  const scored = await assayHere(['score', 'spans.jsonl', '--suite', './care.yaml', '--json'], { cwd: folder });
  const { summary } = z
    .object({
      summary: z.looseObject({
        evaluations: z.number(),
        tcr: z.number(),
        success_rate: z.number(),
        decided_share: z.number(),
        outcomes: z.record(z.string(), z.number()),
      }),
    })
    .loose()
    .parse(JSON.parse(scored.stdout));
  const known = { ...summary.outcomes, conversations: summary.evaluations, tcr: summary.tcr };
  expect({
    conversations: known.conversations,
    tcr: Number(summary.tcr.toFixed(3)),
    success: Number(summary.success_rate.toFixed(3)),
    decided_share: Number(summary.decided_share.toFixed(3)),
    unscored: summary.outcomes.unscored,
  }).toEqual({
    conversations: api.conversations,
    tcr: Number(api.tcr?.toFixed(3)),
    success: Number(api.success?.toFixed(3)),
    decided_share: Number(api.decided_share?.toFixed(3)),
    unscored: api.unscored,
  });
});
