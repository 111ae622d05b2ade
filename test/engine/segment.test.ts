import { withdrawnName } from '../../src/report/metrics/net-increase.ts';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exportRequest, type TrafficSpan } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { builtinSuites, defaultSettings, LogDriver } from './log-driver.ts';

const MINUTE = 60_000;

const WHOLE = `suite: whole
version: "1"
scope: conversation
criteria:
  - { name: short, question: Were there few turns?, weight: 1, check: size(turns) < 10 }
`;

type Attributes = { readonly [key: string]: string | number | boolean };

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'number'
          ? { intValue: String(value) }
          : { boolValue: value },
  }));
}

/** A root and a model call below it, a second long. */
function turn(
  name: string,
  options: {
    readonly at: number;
    readonly conversation?: string;
    readonly root?: Attributes;
    readonly call?: Attributes;
  },
) {
  const start = BigInt(options.at) * 1_000_000n + 1_790_000_000_000_000_000n;
  const id = (part: string) => `${name}${part}`.padEnd(16, '0');
  const common = options.conversation === undefined ? {} : { 'gen_ai.conversation.id': options.conversation };
  const span = (part: string, attributes: Attributes, parentSpanId?: string): TrafficSpan => ({
    traceId: name.padEnd(32, '0'),
    spanId: id(part),
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: part,
    kind: 1,
    startTimeUnixNano: String(start + (parentSpanId === undefined ? 0n : 1n)),
    endTimeUnixNano: String(start + 1_000_000_000n),
    status: { code: 0 },
    attributes: attributesOf({ ...common, ...attributes }),
  });
  const root = span('aa', { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'helper', ...options.root });
  const said = JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'It is free.' }] }]);
  const messages = { 'gen_ai.output.messages': said, 'gen_ai.operation.name': 'chat' };
  return { root, call: span('bb', { ...messages, ...options.call }, root.spanId) };
}

async function driver(segment: readonly string[] = ['tier'], suites: readonly string[] = ['default']) {
  const settings = { ...defaultSettings(), metrics: { maxLabelValues: 50, maxSeries: 1000, segment, maxSegments: 3 } };
  return new LogDriver({ directory: tempDirectory(), suites: await builtinSuites(suites), settings });
}

/** Counts by segment, from the labels. */
function countedBy(totals: readonly unknown[], metric = 'assay_evaluations_total'): Record<string, number> {
  const counted: Record<string, number> = {};
  // The cast holds for what the store gives.
  for (const row of totals as readonly { metric: string; labels: string; value: number }[]) {
    const sign = row.metric === metric ? 1 : row.metric === withdrawnName(metric) ? -1 : 0;
    if (sign === 0) continue;
    const { segment = 'no label' } = JSON.parse(row.labels) as { segment?: string };
    counted[segment] = (counted[segment] ?? 0) + sign * row.value;
  }
  return counted;
}

test.each<[rule: string, keys: readonly string[], root: Attributes, call: Attributes, segment: string]>([
  ['the root says it', ['tier'], { tier: 'gold' }, { tier: 'silver' }, 'gold'],
  ['another span does where the root does not', ['tier'], {}, { tier: 'silver' }, 'silver'],
  ['the first key of the list that a span has', ['plan', 'tier'], { tier: 'gold', plan: 'pro' }, {}, 'pro'],
  [
    'the root’s second key comes before another span’s first',
    ['plan', 'tier'],
    { tier: 'gold' },
    { plan: 'pro' },
    'gold',
  ],
  ['a number and a truth are text', ['tier'], { tier: 3 }, {}, '3'],
  ['an empty text says nothing', ['tier'], { tier: '' }, { tier: true }, 'true'],
  ['nobody says it', ['tier'], { other: 'x' }, {}, 'unknown'],
  ['none is configured', [], { tier: 'gold' }, {}, 'no label'],
])('%s', async (_rule, keys, root, call, segment) => {
  const log = await driver(keys);
  const spans = turn('a1', { at: 0, root, call });
  log.take({ at: 0, request: exportRequest([spans.call, spans.root], 'v1') });

  const { totals } = log.finish();

  expect(countedBy(totals)).toEqual({ [segment]: 1 });
});

test('a resource says it for all of its spans, and a span knows better', async () => {
  const log = await driver();
  const [one, two] = [turn('a1', { at: 0 }), turn('b2', { at: 10, root: { tier: 'gold' } })];
  for (const { root, call } of [one, two]) {
    // The cast holds for this request.
    const request = JSON.parse(exportRequest([call, root], 'v1')) as {
      resourceSpans: { resource: { attributes: unknown[] } }[];
    };
    request.resourceSpans[0]?.resource.attributes.push(...attributesOf({ tier: 'silver' }));
    log.take({ at: 0, request: JSON.stringify(request) });
  }

  expect(countedBy(log.finish().totals)).toEqual({ silver: 1, gold: 1 });
});

test('of a conversation’s turns the first by its start says it, in whatever order they come', async () => {
  const whole = path.join(tempDirectory(), 'whole.yaml');
  writeFileSync(whole, WHOLE);
  const turns = [
    turn('a1', { at: 0, conversation: 'c' }),
    turn('b2', { at: 10_000, conversation: 'c', root: { tier: 'gold' } }),
    turn('c3', { at: 20_000, conversation: 'c', root: { tier: 'silver' } }),
  ];
  for (const order of [turns, turns.toReversed()]) {
    const log = await driver(['tier'], ['default', whole]);
    for (const [index, { root, call }] of order.entries()) {
      log.take({ at: index * MINUTE, request: exportRequest([call, root], 'v1') });
    }

    const { totals } = log.finish();

    // A suite for turns counts each turn under its own segment, one for conversations under the first segment named.
    expect(countedBy(totals)).toEqual({ unknown: 1, gold: 2, silver: 1 });
  }
});

test('what late spans bring or change is seen in the conversation, and is counted where the first was', async () => {
  const log = await driver();
  const [brought, changed] = [turn('a1', { at: 0 }), turn('b2', { at: 0, call: { tier: 'silver' } })];
  log.take({ at: 0, request: exportRequest([turn('a1', { at: 0 }).root], 'v1') });
  log.take({ at: 0, request: exportRequest([changed.call, changed.root], 'v1') });
  log.advance(10 * MINUTE);
  log.commit();
  const late = (spans: ReturnType<typeof turn>, tier: string): TrafficSpan => ({
    ...spans.call,
    spanId: spans.call.spanId.replace('bb', 'a9'),
    // Before the other call, so that it is read first.
    startTimeUnixNano: spans.root.startTimeUnixNano,
    attributes: [...spans.call.attributes, ...attributesOf({ tier })].toReversed(),
  });
  log.take({ at: 20 * MINUTE, request: exportRequest([late(brought, 'gold')], 'v1') });
  log.take({ at: 20 * MINUTE, request: exportRequest([late(changed, 'gold')], 'v1') });

  const { totals, all, conversations } = log.finish();

  expect(all.map(({ revision }) => revision).toSorted()).toEqual([1, 1, 2, 2]);
  expect(countedBy(totals)).toEqual({ unknown: 1, silver: 1 });
  expect(countedBy(totals, 'assay_evaluations_revised_total')).toEqual({ unknown: 1, silver: 1 });
  expect(conversations.map(({ segment }) => segment).toSorted()).toEqual(['gold', 'silver']);
});

test('beyond the limit of segments an agent’s new ones are counted under `other`, over a restart too', async () => {
  const log = await driver();
  for (let number = 0; number < 10; number += 1) {
    const { root, call } = turn(`a${number}`, { at: number, root: { tier: `tier ${number}` } });
    log.take({ at: number, request: exportRequest([call, root], 'v1') });
    log.advance(number + MINUTE);
    log.commit();
    log.crash();
  }

  expect(countedBy(log.finish().totals)).toEqual({ 'tier 0': 1, 'tier 1': 1, 'tier 2': 1, other: 7 });
});
