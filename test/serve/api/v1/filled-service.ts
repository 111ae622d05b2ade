/** A service whose store holds a few conversations of every kind that `/api/v1` shows, and which the tests of a file share. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { experimentOf, passing } from '../../../statistics/compare/experiments.ts';
import { keepExperiment } from '../../../statistics/compare/kept-experiment.ts';
import { tempDirectory } from '../../../temp-directory.ts';
import { exportRequest, type TrafficSpan } from '../../../simulation/traffic.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../../running-service.ts';

export const SUITE = `suite: calls
version: "1"
scope: conversation
criteria:
  - { name: looked, question: Did it look?, weight: 0.6, check: size(tool_calls) > 0 }
  - { name: few, question: Few calls?, weight: 0.4, critical: true, check: size(tool_calls) < 2 }
`;

interface Sent {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  /** Results of its tool calls. */
  readonly results: readonly string[];
  readonly version?: string;
  /** A minute unless given. */
  readonly agoMs?: number;
  /** Attributes of the root span, besides the usual ones. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export const LONG = 3_000_000;
/** From the first to the last. */
export const SENT: readonly Sent[] = [
  { id: 'asked/1 ü', question: 'Where is my order?', answer: 'In Graz.', results: ['{"place":"Graz"}'] },
  { id: 'none', question: 'Any <b>news</b>?', answer: 'No.', results: [] },
  { id: 'many', question: 'And now?', answer: 'Still none.', results: ['1', '2'], version: 'v2' },
  { id: 'long', question: 'Read it.', answer: 'It is long.', results: ['x'.repeat(LONG)] },
];

export async function filledService(): Promise<RunningService & { readonly dataDir: string }> {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'live.yaml'), SUITE);
  writeFileSync(path.join(dataDir, 'next.yaml'), SUITE.replace('"1"', '"2"').replace('< 2', '< 1'));
  writeFileSync(path.join(dataDir, 'assay.yaml'), 'data_dir: .\nsuites: [./live.yaml]\nshadow_suites: [./next.yaml]\n');
  keepExperiment(dataDir, experimentOf('before', passing([1, 1, 1])), 'In Graz.');
  keepExperiment(dataDir, experimentOf('after', passing([1, 0, 1])), 'In Linz.');
  const running = await runService({ suites: ['./live.yaml'], dataDir });
  for (const [index, sent] of SENT.entries()) {
    await post(running, sent, index + 1);
    await expect
      .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
      .toBe(index + 1);
  }
  const headers = { 'content-type': 'application/json' };
  const id = encodeURIComponent(SENT[0]?.id ?? '');
  const put = async (place: string, body: unknown) =>
    expect(
      (await fetch(`${running.http}${place}`, { method: 'PUT', headers, body: JSON.stringify(body) })).status,
    ).toBe(200);
  await put(`/v1/labels/${id}`, { suite: 'calls', criterion: 'looked', label: 'pass', by: 'ann' });
  await put(`/v1/labels/${id}`, { suite: 'calls', criterion: 'looked', label: 'fail', by: 'ann', note: 'It did not.' });
  await put('/v1/outcomes', { conversation_id: SENT[0]?.id, label: 'reopened', good: false, value: 'yes' });
  await put('/v1/readings', {
    conversation_id: SENT[0]?.id,
    answer: 'bad',
    by: 'ann',
    note: 'It looked at another place.',
  });
  await put(`/v1/truth/${id}`, { place: 'Graz' });
  return { ...running, dataDir };
}

export async function get(running: RunningService, place: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${running.http}${place}`);
  return { status: response.status, body: await response.json() };
}

export async function post(running: RunningService, sent: Sent, number: number): Promise<void> {
  const response = await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportRequest(spansOf(sent, number), sent.version ?? 'v1'),
  });
  expect(response.status).toBe(200);
}

export function traceOf(number: number): string {
  return number.toString(16).padStart(32, 'a');
}

function spansOf(
  { id, question, answer, results, agoMs = 60_000, attributes: more }: Sent,
  number: number,
): readonly TrafficSpan[] {
  const traceId = traceOf(number);
  const spanId = (place: number) => `${number}${place}`.padStart(16, 'b');
  const began = BigInt(Date.now() - agoMs) * 1_000_000n;
  const at = (seconds: number) => String(began + BigInt(seconds) * 1_000_000_000n);
  const span = (place: number, name: string, attributes: Readonly<Record<string, unknown>>): TrafficSpan => ({
    traceId,
    spanId: spanId(place),
    ...(place === 0 ? {} : { parentSpanId: spanId(0) }),
    name,
    kind: 1,
    startTimeUnixNano: at(place),
    endTimeUnixNano: at(place === 0 ? 20 : place + 1),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value:
        typeof value === 'boolean'
          ? { boolValue: value }
          : typeof value === 'number'
            ? { intValue: value }
            : { stringValue: value },
    })),
    status: { code: 0 },
  });
  const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  return [
    ...results.map((result, index) =>
      span(index + 1, 'execute_tool track', {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'track',
        'gen_ai.tool.call.id': `call-${index}`,
        'gen_ai.tool.call.arguments': '{"order":7}',
        'gen_ai.tool.call.result': result,
      }),
    ),
    span(results.length + 1, 'chat', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'sim-model',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'gen_ai.input.messages': said('user', question),
      'gen_ai.output.messages': said('assistant', answer),
    }),
    span(0, 'invoke_agent helper', {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': id,
      'gen_ai.agent.name': 'helper',
      'assay.conversation.end': true,
      ...more,
    }),
  ];
}
