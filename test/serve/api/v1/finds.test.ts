/** Discovery on a running service: from spans and outcomes to finds, and from each find to its conversations. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { conversationList } from '../../../../src/api/conversation-list.ts';
import { commonAnswer, findsAnswer } from '../../../../src/api/finds.ts';
import { exportRequest, type TrafficSpan } from '../../../simulation/traffic.ts';
import { tempDirectory } from '../../../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../../running-service.ts';
import { get } from './filled-service.ts';

const SUITE = `suite: calls
version: "1"
scope: conversation
criteria:
  - { name: few, question: Few calls?, weight: 1, check: size(tool_calls) < 4 }
`;
const HOSTILE = "<img src=x onerror=alert(1)>\u202e'; DROP TABLE conversations; --";
const CONVERSATIONS = 160;
const DAY_MS = 86_400_000;

/** The refunds of every ninth conversation fail, and most of these come out bad; one in forty of the others does. */
const fails = (number: number) => number % 9 === 0;
const isBad = (number: number) => (fails(number) ? number % 18 < 16 : number % 40 === 1);

function said(role: string, content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}

function spansOf(number: number): readonly TrafficSpan[] {
  const began = BigInt(Date.now() - (number % 2 === 0 ? 60_000 : 120_000)) * 1_000_000n;
  const span = (
    place: number,
    attributes: Readonly<Record<string, string | boolean>>,
    failure?: string,
  ): TrafficSpan => ({
    traceId: number.toString(16).padStart(32, 'e'),
    spanId: `${number.toString(16)}${place}`.padStart(16, 'f'),
    ...(place === 0 ? {} : { parentSpanId: `${number.toString(16)}0`.padStart(16, 'f') }),
    name: 'span',
    kind: 1,
    startTimeUnixNano: String(began + BigInt(place)),
    endTimeUnixNano: String(began + 1_000_000_000n),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === 'boolean' ? { boolValue: value } : { stringValue: value },
    })),
    status: failure === undefined ? { code: 0 } : { code: 2, message: failure },
  });
  const tool = fails(number) ? 'refund' : `tool-${number % 4}`;
  const failure = fails(number) ? `Order ${number} was not found in shop '${number}'` : undefined;
  const call = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool };
  const odd = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': HOSTILE };
  return [
    span(1, call, failure),
    ...(number % 3 === 0 ? [span(2, odd)] : []),
    span(0, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': number % 8 === 7 ? 'other' : 'helper',
      'gen_ai.conversation.id': `c${number}`,
      'gen_ai.input.messages': said('user', 'Please refund it.'),
      'gen_ai.output.messages': said('assistant', 'We are looking into it.'),
      'assay.conversation.end': true,
    }),
  ];
}

async function serviceWithFailures(): Promise<RunningService> {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'calls.yaml'), SUITE);
  const running = await runService({ suites: ['./calls.yaml'], dataDir });
  const headers = { 'content-type': 'application/json' };
  const evaluations = async () => sumOf(await metricsOf(running), 'assay_evaluations_total');
  // The last ten are scored after the last that came out bad: they are among its others all the same.
  for (const [from, to] of [
    [0, 75],
    [75, CONVERSATIONS - 10],
    [CONVERSATIONS - 10, CONVERSATIONS],
  ] as const) {
    const spans = Array.from({ length: to - from }, (_, at) => spansOf(from + at)).flat();
    const body = exportRequest(spans, 'v1');
    expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
    await expect.poll(evaluations, { timeout: 30_000 }).toBe(to);
  }
  const outcomes = Array.from({ length: CONVERSATIONS }, (_, number) => number)
    .filter(isBad)
    .map((number) => ({ conversation_id: `c${number}`, label: 'refunded', good: false }));
  const body = JSON.stringify(outcomes);
  expect((await fetch(`${running.http}/v1/outcomes`, { method: 'PUT', headers, body })).status).toBe(200);
  return running;
}

const MESSAGE = 'error message: Order # was not found in shop …';

test('a failure that nobody wrote a check for is found, and each find leads to its conversations', {
  timeout: 90_000,
}, async () => {
  const running = await serviceWithFailures();
  const listed = async (place: string) => {
    const found = conversationList.parse((await get(running, `/api/v1${place}&limit=200`)).body);
    return found.conversations.map(({ conversation_id: id }) => Number(id.slice(1))).toSorted((a, b) => a - b);
  };
  const numbers = Array.from({ length: CONVERSATIONS }, (_, number) => number).filter((number) => number % 8 !== 7);
  const bad = numbers.filter(isBad);

  const { body, status } = await get(running, '/api/v1/finds?agent=helper');
  expect(status).toBe(200);
  const answer = findsAnswer.parse(body);
  expect(answer).toMatchObject({ agent: 'helper', conversations: numbers.length, cut: false });
  expect(answer.sources).toEqual([
    { source: 'came_out_bad', conversations: bad.length, others: numbers.length - bad.length },
  ]);
  expect(answer.looked_at).toBeGreaterThan(5);
  expect(answer.finds).toHaveLength(1);
  const [find] = answer.finds;
  const facts = [find?.fact ?? '', ...(find?.also ?? [])];
  expect(facts).toEqual(expect.arrayContaining([MESSAGE, 'failed call: refund', 'tool: refund']));
  const both = bad.filter(fails).length;
  const others = numbers.filter(fails).length - both;
  expect(find).toMatchObject({
    source: 'came_out_bad',
    within: { count: both, of: bad.length },
    others: { count: others, of: numbers.length - bad.length },
  });
  expect(find?.lift.low).toBeGreaterThan(2);
  expect(find?.conversation_ids).toHaveLength(5);
  expect(find?.conversation_ids.every((id) => fails(Number(id.slice(1))) && isBad(Number(id.slice(1))))).toBe(true);
  expect(await listed(find?.link ?? '')).toEqual(bad.filter(fails));

  // The list finds whole facts.
  const withMessage = `/conversations?agent=helper&fact=${encodeURIComponent(MESSAGE)}`;
  expect(await listed(withMessage)).toEqual(numbers.filter(fails));
  expect(await listed(`${withMessage}&fact=tool%3A+tool-1`)).toEqual([]);
  expect(await listed(`/conversations?fact=${encodeURIComponent('error message: Order')}`)).toEqual([]);
  const hostile = "tool: <img src=x onerror=alert(1)> '; DROP TABLE conversations; --";
  expect(await listed(`/conversations?agent=helper&fact=${encodeURIComponent(hostile)}`)).toEqual(
    numbers.filter((number) => number % 3 === 0),
  );

  const common = async (query: string) => commonAnswer.parse((await get(running, `/api/v1/common?${query}`)).body);
  const ofBad = await common('agent=helper&came_out=bad&since=1h');
  expect(ofBad).toMatchObject({
    ...{ agent: 'helper', within: bad.length, others: numbers.length - bad.length },
    says: `What sets these ${bad.length} apart from ${numbers.length - bad.length} of the same time:`,
  });
  expect(ofBad.finds.map(({ fact, within, chance }) => [fact, within, chance])).toEqual([
    [find?.fact, find?.within, find?.chance],
  ]);
  expect(await listed(ofBad.finds[0]?.link ?? '')).toEqual(bad.filter(fails));

  // All that went wrong in the list, whatever it is compared with, and a list of each.
  const all = await common('agent=helper');
  const failing = numbers.filter(fails);
  expect(all.troubles).toEqual(
    expect.arrayContaining([MESSAGE, 'failed call: refund'].map((fact) => ({ fact, conversations: failing.length }))),
  );
  for (const { fact, conversations } of all.troubles)
    expect(await listed(`/conversations?agent=helper&fact=${encodeURIComponent(fact)}`)).toHaveLength(conversations);
  expect(ofBad.troubles).toContainEqual({ fact: MESSAGE, conversations: bad.filter(fails).length });

  // Facts that follow from the filter are no finds: they name what was asked for.
  const ofFact = await common(`agent=helper&fact=${encodeURIComponent('tool: refund')}`);
  expect(ofFact.finds.flatMap((one) => [one.fact, ...one.also]).filter((fact) => fact.includes('refund'))).toEqual([]);
  expect(await common('agent=nobody')).toMatchObject({ within: 0, others: 0, troubles: [], finds: [] });
  expect((await common('agent=helper&words=nothing-of-the-kind')).says).toBe(
    'Nothing sets these 0 apart from 0 of the same time.',
  );
  // Several agents are not told apart: the one with most of the list is compared.
  expect(await common('came_out=bad')).toMatchObject({ agent: 'helper', agents: 2, within: bad.length });
  for (const query of ['agent=helper&order=worst', 'fact=', `fact=${'x'.repeat(201)}`, 'since=1h&until=2h'])
    expect([query, (await get(running, `/api/v1/common?${query}`)).status]).toEqual([query, 400]);
  expect((await get(running, '/api/v1/finds')).status).toBe(400);
  const before = new Date(Date.now() - 10 * DAY_MS).toISOString();
  const empty = await get(running, `/api/v1/finds?agent=helper&until=${before}&since=20d`);
  expect(findsAnswer.parse(empty.body)).toMatchObject({ conversations: 0, sources: [], finds: [], looked_at: 0 });
});
