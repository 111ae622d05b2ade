/** Kinds of failure over HTTP, in a service: named, moved, mended and back, and how often each comes. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { conversationDetail } from '../../../../src/api/conversation-detail.ts';
import { conversationList } from '../../../../src/api/conversation-list.ts';
import { type EstimateAnswer, estimateAnswer } from '../../../../src/api/estimate.ts';
import { learnedCriteria } from '../../../../src/api/learned.ts';
import { type FailuresAnswer, failuresAnswer } from '../../../../src/api/failures.ts';
import { forFile } from '../../../for-file.ts';
import { tempDirectory } from '../../../temp-directory.ts';
import { metricsOf, runService, sumOf } from '../../running-service.ts';
import { get, post, SUITE } from './filled-service.ts';

const COUNT = 30;
const HOUR_MS = 3_600_000;
const NOTES = ['Promised a refund, none was issued', 'the refund it promised was not issued', 'Booked the wrong city'];

const service = forFile(async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'live.yaml'), SUITE);
  return runService({ suites: ['./live.yaml'], dataDir });
});

async function send(first: number, last: number, agoMs: (number: number) => number): Promise<void> {
  for (let number = first; number <= last; number += 1) {
    const sent = { id: `c-${number}`, question: 'Where?', answer: 'There.', results: ['{}'], agoMs: agoMs(number) };
    await post(service(), sent, number);
  }
  await expect
    .poll(async () => sumOf(await metricsOf(service()), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(last);
}

async function put(place: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${service().http}${place}`, {
    ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function board(): Promise<FailuresAnswer> {
  const { status, body } = await get(service(), '/api/v1/failures?agent=helper');
  expect(status).toBe(200);
  return failuresAnswer.parse(body);
}

async function listed(query: string): Promise<readonly string[]> {
  const { body } = await get(service(), `/api/v1/conversations?${query}`);
  return conversationList
    .parse(body)
    .conversations.map((one) => one.conversation_id)
    .toSorted();
}

async function estimate(): Promise<EstimateAnswer> {
  return estimateAnswer.parse((await get(service(), '/api/v1/estimate?agent=helper')).body);
}

test('readings are named, counted, grouped and moved, and a mended kind comes back', { timeout: 120_000 }, async () => {
  await send(1, COUNT, (number) => number * HOUR_MS);
  expect(await board()).toMatchObject({ kinds: [], without_kind: [], says: expect.stringContaining('No bad reading') });
  const { body: queue } = await get(service(), '/api/v1/readings/queue?agent=helper&limit=15&by=ana');
  // The cast holds: another test holds the answer against its schema.
  const read = (queue as { items: readonly { conversation_id: string }[] }).items.map((one) => one.conversation_id);
  const reading = (at: number, more: object = {}) => ({ conversation_id: read[at], by: 'ana', answer: 'bad', ...more });
  const bad = [0, 1, 2, 3, 4, 5].map((at) =>
    reading(at, at < 3 ? { note: NOTES[at] } : { kind: at === 5 ? 'Lo\u200bops on search' : '  Loops\n on   search ' }),
  );
  const good = [6, 7, 8, 9, 10, 11, 12, 13, 14].map((at) => reading(at, { answer: 'good' }));
  expect(await put('/v1/readings', [...bad, ...good])).toEqual({
    status: 200,
    body: { readings: 15, changed: 15, unknown: 0 },
  });

  const first = await board();
  expect(first.kinds).toMatchObject([
    { name: 'Loops on search', state: 'open', readings: 3, conversations: 3, share: { n: 15 } },
  ]);
  expect(first.kinds[0]?.examples.map((one) => one.conversation_id).toSorted()).toEqual(read.slice(3, 6).toSorted());
  expect(first.kinds[0]?.examples.map(({ asked }) => asked)).toEqual(['Where?', 'Where?', 'Where?']);
  expect(first).toMatchObject({
    without_kind_count: 3,
    says: '1 kind of failure: 1 open. 3 bad readings without a kind.',
  });
  const groups = first.proposed.map(({ name, readings }) => [
    name,
    readings.map((one) => one.conversation_id).toSorted(),
  ]);
  expect(groups).toEqual([['promised refund issued', read.slice(0, 2).toSorted()]]);
  expect(first.unseen).toBeUndefined();
  // Three failures may be of this kind or of none: the upper end counts them as if they were.
  const { success } = await estimate();
  expect(first.kinds[0]?.share?.high).toBeCloseTo(1 - (success?.low ?? 0), 3);
  expect(first.kinds[0]?.share?.low).toBeLessThan(0.2);

  for (const [at, kind] of ['refund', 'refund', 'Loops on search'].entries()) {
    const { conversation_id, by } = reading(at);
    expect(await put('/v1/readings', { conversation_id, by, kind })).toMatchObject({ body: { changed: 1 } });
  }
  expect(await put('/v1/failures', { agent: 'helper', by: 'bo', kind: 'refund', into: 'Loops on search' })).toEqual({
    ...{ status: 200, body: { kind: 'Loops on search', changed: 2 } },
  });
  const named = await board();
  // All failures are of one kind: its share is the rest of the success rate, computed on another way.
  expect(named.kinds).toMatchObject([{ readings: 6, share: { value: expect.closeTo(1 - (success?.value ?? 0), 3) } }]);
  expect(named.kinds[0]?.share?.low).toBeCloseTo(1 - (success?.high ?? 0), 3);
  expect(named.unseen).toMatchObject({ kinds: 1, failures: 6, value: 0, low: 0 });
  expect(named.unseen?.says).toMatch(
    /^You have seen 1 kind; the next failure is of a new kind with probability 0 to \d+ %\.$/,
  );
  expect(named.without_kind).toEqual([]);

  await put('/v1/failures', { agent: 'helper', by: 'bo', kind: 'Loops on search', state: 'mended' });
  expect(await board()).toMatchObject({ kinds: [{ state: 'mended' }] });
  await new Promise((resolve) => setTimeout(resolve, 20));
  await send(COUNT + 1, COUNT + 1, () => 0);
  await put('/v1/readings', { conversation_id: `c-${COUNT + 1}`, answer: 'bad', by: 'ana', kind: 'Loops on search' });
  expect(await board()).toMatchObject({ kinds: [{ state: 'back', readings: 7 }] });
  expect((await board()).next).toContain('conversations began after it was called mended');

  // A second reader of one conversation: the count of the card is that of the list.
  await put('/v1/readings', { conversation_id: read[3], answer: 'bad', by: 'bo', kind: 'Loops on search' });
  expect(await board()).toMatchObject({ kinds: [{ readings: 8, conversations: 7 }] });
  expect((await board()).kinds[0]?.examples).toHaveLength(5);
  const of = [...read.slice(0, 6), `c-${COUNT + 1}`].toSorted();
  expect(await listed('agent=helper&kind=Loops+on+search')).toEqual(of);
  expect(await listed('read=bad')).toEqual(of);
  expect(await listed('read=good')).toEqual(read.slice(6, 15).toSorted());
  expect(await listed(`kind=${encodeURIComponent("x' OR '1'='1")}`)).toEqual([]);
  expect(await listed('agent=other&kind=Loops+on+search')).toEqual([]);
  const exported = await fetch(`${service().http}/api/v1/export?kind=Loops+on+search`);
  expect((await exported.text()).trimEnd().split('\n')).toHaveLength(7);
  for (const query of ['read=fine', 'kind=', `kind=${'x'.repeat(81)}`])
    expect([query, (await get(service(), `/api/v1/conversations?${query}`)).status]).toEqual([query, 400]);
});

test('a conversation has its readings, and readings of conversations that are not here are counted', async () => {
  const [known, by] = ['c-2', 'program 1'];
  const note = '<b>no refund</b>';
  const said = {
    conversation_id: known,
    by: 'dora',
    answer: 'bad',
    first_wrong: 'ab12',
    note,
    kind: 'e\u0301te\u0301',
  };
  const elsewhere = { conversation_id: 'not here', by: 'dora', answer: 'good' };
  expect(
    await put('/v1/readings', [
      said,
      elsewhere,
      { ...elsewhere, by },
      { conversation_id: known, by, source: 'agent', answer: 'cannot_tell' },
    ]),
  ).toEqual({ status: 200, body: { readings: 4, changed: 4, unknown: 2 } });

  const { body } = await get(service(), `/api/v1/conversations/${known}`);
  const { readings } = conversationDetail.parse(body);
  const at = expect.any(String);
  expect(readings).toContainEqual({ by, source: 'agent', answer: 'cannot_tell', at });
  expect(readings).toContainEqual({
    ...{ by: 'dora', source: 'person', answer: 'bad', at },
    ...{ first_wrong: 'ab12', note, kind: '\u00e9t\u00e9' },
  });
});

test('a search for criteria says how many conversations were not read in their turn', async () => {
  const { body: queue } = await get(service(), '/api/v1/readings/queue?agent=helper&limit=100');
  // The cast holds: another test holds the answer against its schema.
  const last = (queue as { items: readonly { conversation_id: string }[] }).items.at(-1);
  await put('/v1/readings', { conversation_id: last?.conversation_id, by: 'gil', answer: 'good' });

  const { body } = await get(service(), '/api/v1/criteria/learned?agent=helper');

  expect(learnedCriteria.parse(body).says).toMatch(
    /^\d+ conversations read, \d+ of which went badly; \d+ were not read in their turn, and measure nothing[.:]/,
  );
});

test.each([
  ['a kind of a good one', '/v1/readings', { conversation_id: 'c-1', answer: 'good', by: 'ana', kind: 'x' }, 400],
  [
    'a kind by a program',
    '/v1/readings',
    { conversation_id: 'c-1', answer: 'bad', by: 'p', source: 'agent', kind: 'x' },
    400,
  ],
  [
    'a kind of nothing but spaces',
    '/v1/readings',
    { conversation_id: 'c-1', answer: 'bad', by: 'ana', kind: ' \n ' },
    400,
  ],
  [
    'a kind that is too long',
    '/v1/readings',
    { conversation_id: 'c-1', answer: 'bad', by: 'ana', kind: 'x'.repeat(81) },
    400,
  ],
  [
    'a kind that turns text round',
    '/v1/readings',
    { conversation_id: 'c-1', answer: 'bad', by: 'ana', kind: 'a\u202eb' },
    400,
  ],
  ['neither an answer nor a kind', '/v1/readings', { conversation_id: 'c-1', by: 'ana' }, 400],
  ['a note without an answer', '/v1/readings', { conversation_id: 'c-1', by: 'ana', kind: 'x', note: 'n' }, 400],
  [
    'answers and kinds in one list',
    '/v1/readings',
    [
      { conversation_id: 'c-1', by: 'ana', kind: 'x' },
      { conversation_id: 'c-2', by: 'ana', answer: 'good' },
    ],
    400,
  ],
  ['a kind of a reading that is not there', '/v1/readings', { conversation_id: 'none', by: 'ana', kind: 'x' }, 404],
  [
    'a kind of failure that nobody named',
    '/v1/failures',
    { agent: 'helper', by: 'ana', kind: 'none', state: 'open' },
    404,
  ],
  ['neither a state nor a name', '/v1/failures', { agent: 'helper', by: 'ana', kind: 'x' }, 400],
  ['both of them', '/v1/failures', { agent: 'helper', by: 'ana', kind: 'x', into: 'y', state: 'open' }, 400],
  ['the name that it has', '/v1/failures', { agent: 'helper', by: 'ana', kind: 'x', into: ' x ' }, 400],
  ['a state that is found, not said', '/v1/failures', { agent: 'helper', by: 'ana', kind: 'x', state: 'back' }, 400],
  ['nobody who says it', '/v1/failures', { agent: 'helper', kind: 'x', state: 'open' }, 400],
])('%s is refused in a sentence', async (_, place, body, status) => {
  const answer = await put(place, body);
  expect([answer.status, (answer.body as { error: string }).error]).toEqual([status, expect.any(String)]);
});
