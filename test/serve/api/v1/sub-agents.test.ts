/** Sub-agents on a running service: in a conversation, in the figures, in the list and in the metrics. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { conversationDetail } from '../../../../src/api/conversation-detail.ts';
import { conversationList } from '../../../../src/api/conversation-list.ts';
import { subAgents } from '../../../../src/api/sub-agents.ts';
import { exportRequest, type TrafficSpan } from '../../../simulation/traffic.ts';
import { tempDirectory } from '../../../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../../running-service.ts';
import { get } from './filled-service.ts';

const SUITE = `suite: calls
version: "1"
scope: conversation
criteria:
  - { name: no_error, question: Did no tool fail?, weight: 0.6, uses: no_unrecovered_tool_error }
  - { name: few, question: Few calls?, weight: 0.4, check: size(tool_calls) < 4 }
`;
/** Whether the refund by `billing` fails; undefined where it takes no part. */
const CONVERSATIONS = [
  { id: 'refused', fails: true },
  { id: 'refunded', fails: false },
  { id: 'alone', fails: undefined },
  { id: 'alone too', fails: undefined },
];

function spansOf({ id, fails }: (typeof CONVERSATIONS)[number], number: number): readonly TrafficSpan[] {
  const began = BigInt(Date.now()) * 1_000_000n - 60_000_000_000n;
  const span = (
    place: number,
    parent: number | undefined,
    attributes: Readonly<Record<string, string | number | boolean>>,
    code = 0,
  ): TrafficSpan => ({
    traceId: number.toString(16).padStart(32, 'c'),
    spanId: `${number}${place}`.padStart(16, 'd'),
    ...(parent === undefined ? {} : { parentSpanId: `${number}${parent}`.padStart(16, 'd') }),
    name: 'span',
    kind: 1,
    startTimeUnixNano: String(began + BigInt(place)),
    endTimeUnixNano: String(began + 1_000_000_000n),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value:
        typeof value === 'boolean'
          ? { boolValue: value }
          : typeof value === 'number'
            ? { doubleValue: value }
            : { stringValue: value },
    })),
    status: { code },
  });
  const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', 'gen_ai.usage.cost': 0.25 };
  const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'refund' };
  const agent = (name: string) => ({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name });
  const billing = [span(2, 0, agent('billing')), span(3, 2, call), span(4, 2, tool, fails === true ? 2 : 0)];
  return [
    ...(fails === undefined ? [] : billing),
    span(1, 0, call),
    span(0, undefined, { ...agent('helper'), 'gen_ai.conversation.id': id, 'assay.conversation.end': true }),
  ];
}

async function serviceWithSubAgents(): Promise<RunningService> {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'calls.yaml'), SUITE);
  const running = await runService({ suites: ['./calls.yaml'], dataDir });
  for (const [index, one] of CONVERSATIONS.entries()) {
    const response = await fetch(`${running.otlp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: exportRequest(spansOf(one, index + 1), 'v1'),
    });
    expect(response.status).toBe(200);
  }
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(CONVERSATIONS.length);
  return running;
}

test('every surface says which sub-agent did what, and the list finds its conversations', {
  timeout: 60_000,
}, async () => {
  const running = await serviceWithSubAgents();

  const refused = conversationDetail.parse((await get(running, '/api/v1/conversations/refused')).body);
  expect(refused.sub_agents).toEqual([
    { name: 'billing', steps: 2, model_calls: 1, tool_calls: 1, errors: 1, cost_usd: 0.25 },
  ]);
  const steps = refused.turn_list.flatMap((turn) => turn.steps);
  expect(steps.map(({ kind, agent }) => `${kind} ${agent}`).toSorted()).toEqual([
    'agent billing',
    'agent helper',
    'llm billing',
    'llm helper',
    'tool billing',
  ]);
  const verdicts = refused.evaluations_full.flatMap((one) => one.verdicts);
  expect(verdicts.map(({ criterion, sub_agents: by }) => [criterion, by])).toEqual([
    ['no_error', ['billing']],
    ['few', undefined],
  ]);
  const alone = conversationDetail.parse((await get(running, '/api/v1/conversations/alone')).body);
  expect(alone.sub_agents).toEqual([]);

  const figuresOf = async (query: string) => subAgents.parse((await get(running, `/api/v1/sub-agents${query}`)).body);
  const figures = await figuresOf('?since=1h&agent=helper');
  expect(figures).toMatchObject({ suite: 'calls', looked_at: 4, not_known: 0, cut: false, sub_agents_left_out: 0 });
  expect(figures.sub_agents).toMatchObject([
    {
      ...{ agent: 'helper', sub_agent: 'billing', conversations: 2, steps: 4, errors: 1 },
      ...{ conversations_with_errors: 1, error_share: 0.5, cost_usd: { sum: 0.5, mean: 0.25, conversations: 2 } },
      criteria: [
        {
          criterion: 'no_error',
          with: { passed: 1, failed: 1, pass_rate: { value: 0.5, n: 2 } },
          without: { passed: 2, failed: 0 },
        },
        { criterion: 'few', with: { passed: 2 }, without: { passed: 2, failed: 0, pass_rate: { value: 1, n: 2 } } },
      ],
    },
  ]);
  // Wilson's interval of 1 of 2.
  const { low, high } = figures.sub_agents[0]?.criteria[0]?.with.pass_rate ?? {};
  expect([low, high].map((end) => end?.toFixed(3))).toEqual(['0.095', '0.905']);
  expect((await figuresOf('?agent=nobody')).sub_agents).toEqual([]);
  expect((await figuresOf('?until=2020-01-01T00:00:00Z&since=2019-01-01T00:00:00Z')).looked_at).toBe(0);

  const listed = async (query: string) =>
    conversationList
      .parse((await get(running, `/api/v1/conversations${query}`)).body)
      .conversations.map(({ conversation_id: id }) => id);
  expect((await listed('?sub_agent=billing')).toSorted()).toEqual(['refunded', 'refused']);
  expect(await listed('?sub_agent=billing&criterion=no_error')).toEqual(['refused']);
  expect(await listed('?sub_agent=bill')).toEqual([]);

  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_sub_agent_steps_total', 'sub_agent="billing"', 'result="error"')).toBe(1);
  expect(sumOf(metrics, 'assay_sub_agent_steps_total', 'sub_agent="billing"', 'result="ok"')).toBe(3);
  expect(sumOf(metrics, 'assay_sub_agent_cost_usd_total')).toBe(0.5);
  expect(sumOf(metrics, 'assay_sub_agent_verdicts_total', 'criterion="no_error"', 'verdict="fail"')).toBe(1);

  for (const query of [
    '?sub_agent=x',
    '?since=yesterday',
    '?since=1h&until=2h',
    '?suite=calls&suite=calls',
    '?limit=5',
  ])
    expect([query, (await get(running, `/api/v1/sub-agents${query}`)).status]).toEqual([query, 400]);
  expect((await get(running, '/api/v1/sub-agents?suite=other')).status).toBe(404);
  expect((await get(running, '/api/v1/conversations?sub_agent=')).status).toBe(400);
});
