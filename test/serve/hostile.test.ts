import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { forFile } from '../for-file.ts';
import { randomFrom } from '../random.ts';
import { exportRequest, type TrafficSpan, traffic } from '../simulation/traffic.ts';
import { metricsOf, type RunningService, runService, sumOf } from './running-service.ts';

const SUITES = ['default', 'response-clarity', 'error-recovery', 'scheduling'];

async function post(running: RunningService, body: string | Uint8Array): Promise<number> {
  const response = await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': typeof body === 'string' ? 'application/json' : 'application/x-protobuf' },
    // The cast is for the types alone: the bytes are not shared with another thread.
    body: body as string | Uint8Array<ArrayBuffer>,
  });
  await response.arrayBuffer();
  return response.status;
}

async function settled(running: RunningService): Promise<ReadonlyMap<string, number>> {
  for (let quiet = 0; quiet < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    quiet = running.service.pending() === 0 ? quiet + 1 : 0;
  }
  return metricsOf(running);
}

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const nested = (depth: number): unknown =>
  depth === 0 ? { stringValue: 'x' } : { arrayValue: { values: [nested(depth - 1)] } };

function span(overrides: Partial<TrafficSpan> & { readonly attributes?: TrafficSpan['attributes'] }): TrafficSpan {
  return {
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    name: 'invoke_agent hostile',
    kind: 1,
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    status: { code: 0 },
    ...overrides,
    attributes: [
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', 'hostile'),
      ...(overrides.attributes ?? []),
    ],
  };
}

const HOSTILE: readonly (readonly [what: string, hostile: TrafficSpan])[] = [
  [
    'an index bomb',
    span({
      attributes: [
        text('llm.input_messages.999999999.message.role', 'user'),
        text('gen_ai.prompt.999999999.content', 'x'),
      ],
    }),
  ],
  [
    'keys of prototypes',
    span({
      attributes: [
        text('__proto__', 'x'),
        text('constructor.prototype.polluted', 'x'),
        text('assay.conversation.state', '{"__proto__":{"polluted":true},"scheduling_context":{"__proto__":1}}'),
      ],
    }),
  ],
  [
    'nesting as deep as JSON goes',
    span({ attributes: [text('gen_ai.input.messages', `${'['.repeat(50_000)}${']'.repeat(50_000)}`)] }),
  ],
  ['values nested 60 deep', span({ attributes: [{ key: 'gen_ai.output.messages', value: nested(60) }] })],
  ['an end before the start', span({ endTimeUnixNano: '1' })],
  ['times of zero', span({ startTimeUnixNano: '0', endTimeUnixNano: '0' })],
  ['a span that is its own parent', span({ parentSpanId: 'cd'.repeat(8) })],
  [
    'a text for a slow regular expression',
    span({
      attributes: [
        text(
          'gen_ai.output.messages',
          JSON.stringify([
            { role: 'assistant', parts: [{ type: 'text', content: `${'a'.repeat(200_000)}@${'a.'.repeat(50_000)}` }] },
          ]),
        ),
      ],
    }),
  ],
  [
    'lone surrogates and control characters',
    span({
      name: '\ud800\u0000\u001b[31m',
      attributes: [text('gen_ai.conversation.id', '\ud800\u0007'), text('service.version', '\u2028')],
    }),
  ],
  ['a conversation id of a megabyte', span({ attributes: [text('gen_ai.conversation.id', 'x'.repeat(1 << 20))] })],
  [
    'JSON that is cut off',
    span({ attributes: [text('gen_ai.output.messages', '[{"role":"assistant","parts":[{"type":"te')] }),
  ],
  [
    'messages of wrong types',
    span({
      attributes: [
        text('gen_ai.input.messages', '[null,1,"x",{"role":{},"parts":7},{"parts":[null,{"type":[]}]}]'),
        text('gen_ai.output.messages', '{"length":1e9}'),
      ],
    }),
  ],
  [
    'numbers that are none',
    span({
      attributes: [
        { key: 'gen_ai.usage.input_tokens', value: { doubleValue: 'NaN' } },
        { key: 'gen_ai.usage.output_tokens', value: { intValue: '-9223372036854775808' } },
      ],
    }),
  ],
];

const shared = forFile(() => runService({ suites: SUITES }));

test.each(HOSTILE)('%s is a scored turn, not a crash', async (what, hostile) => {
  const running = shared();
  const traceId = createHash('sha256').update(what).digest('hex').slice(0, 32);
  const scored = (metrics: ReadonlyMap<string, number>) => sumOf(metrics, 'assay_evaluations_total{suite="default"');
  const before = scored(await metricsOf(running));

  const status = await post(running, exportRequest([{ ...hostile, traceId }], 'v1'));
  const metrics = await settled(running);

  expect(status).toBe(200);
  expect(scored(metrics) - before).toBe(1);
  expect(metrics.get('assay_failures_total{part="scoring"}')).toBe(0);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('ids of zero are rejected by a partial success, and the rest is scored', async () => {
  const running = await runService({ suites: SUITES });
  const good = span({});
  const bad = span({ traceId: '0'.repeat(32) });

  const response = await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportRequest([good, bad], 'v1'),
  });
  const metrics = await settled(running);

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ partialSuccess: { rejectedSpans: '1' } });
  expect(metrics.get('assay_rejected_records_total{signal="traces",reason="invalid_id"}')).toBe(1);
});

test('random damage to requests never stops the service, and good requests get through meanwhile', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const running = await runService({ suites: SUITES });
  const valid = [...traffic({ seed, conversations: 5 })].flatMap(({ turns, agentVersion }) =>
    turns.map((turn) => transcodeTraces(Buffer.from(exportRequest(turn, agentVersion)))),
  );
  const statuses = new Set<number>();
  for (let round = 0; round < 300; round += 1) {
    const whole = valid[round % valid.length];
    if (whole === undefined) continue;
    const bytes = Uint8Array.from(
      whole.subarray(0, random() < 0.3 ? Math.floor(random() * whole.length) : whole.length),
    );
    for (let flip = 0; flip < 1 + random() * 10 && bytes.length > 0; flip += 1) {
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    }
    statuses.add(await post(running, bytes));
  }
  const [conversation] = [...traffic({ seed: seed + 1, conversations: 1, turnsMax: 1 })];
  const good = await post(running, exportRequest(conversation?.turns[0] ?? [], 'v1'));
  const metrics = await settled(running);

  expect(
    [...statuses].filter((status) => status !== 200 && status !== 400),
    `seed ${seed}`,
  ).toEqual([]);
  expect(good).toBe(200);
  expect(metrics.get('assay_failures_total{part="scoring"}'), `seed ${seed}`).toBe(0);
}, 60_000);

test('a client that sends nothing after its head does not hold up the others', async () => {
  const running = await runService({ suites: SUITES });
  const stuck = request(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', 'content-length': String(1 << 30) },
  });
  stuck.on('error', () => {
    // The server may hang up, because the announced length is over its limit.
  });
  stuck.flushHeaders();
  onTestFinished(() => void stuck.destroy());

  const statuses = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      post(running, exportRequest([span({ spanId: number.toString(16).padStart(16, '1') })], 'v1')),
    ),
  );

  expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
});
