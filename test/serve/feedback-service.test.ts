/**
 * Feedback of users, sent into a running service by the API, as span events and as log records: before the conversation
 * is known, after it was scored, twice, both ways, and over a restart.
 */
import { expect, test } from 'vitest';
import { forFile } from '../for-file.ts';
import { tempDirectory } from '../temp-directory.ts';
import { exportRequest, traffic, type TrafficConversation } from '../simulation/traffic.ts';
import { clickLog, clickSpan, likedSuiteFile } from './clicks.ts';
import { metricsOf, type RunningService, runService, sumOf } from './running-service.ts';

function conversations(count: number): readonly TrafficConversation[] {
  return [...traffic({ seed: 9, conversations: count, endMarks: 'all' })];
}

async function post(url: string, body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
}

async function give(running: RunningService, body: unknown) {
  const response = await post(`${running.http}/api/v1/feedback`, body);
  return { status: response.status, body: (await response.json()) as { results: readonly Record<string, unknown>[] } };
}

async function sendTurns(running: RunningService, { turns, agentVersion }: TrafficConversation): Promise<void> {
  for (const turn of turns)
    expect((await post(`${running.otlp}/v1/traces`, exportRequest(turn, agentVersion))).status).toBe(200);
}

async function detailOf(running: RunningService, id: string) {
  const response = await fetch(`${running.http}/api/v1/conversations/${encodeURIComponent(id)}`);
  if (response.status !== 200) return undefined;
  return (await response.json()) as {
    readonly feedback?: string;
    readonly feedback_list: readonly Record<string, unknown>[];
    readonly evaluations_full: readonly {
      readonly revision: number;
      readonly verdicts: readonly { readonly criterion: string; readonly verdict: string }[];
    }[];
  };
}

async function exportedTimes(running: RunningService, id: string) {
  const rowOf = async (table: string) => {
    const lines = await (await fetch(`${running.http}/api/v1/export?table=${table}`)).text();
    const rows = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<'conversation_id' | 'evaluated_at' | 'updated_at', string>>);
    return rows.find((row) => row.conversation_id === id);
  };
  const [evaluation, conversation] = [await rowOf('evaluations'), await rowOf('conversations')];
  return {
    evaluated_at: String(evaluation?.evaluated_at),
    updated_at: String(conversation?.updated_at),
  };
}

/** Verdicts of `liked` by revision. */
async function likedOf(running: RunningService, id: string): Promise<readonly string[]> {
  const detail = await detailOf(running, id);
  return (detail?.evaluations_full ?? []).map(
    ({ revision, verdicts }) =>
      `${revision} ${verdicts.find(({ criterion }) => criterion === 'liked')?.verdict ?? 'none'}`,
  );
}

const until = (claim: () => Promise<void>) =>
  expect.poll(() => claim().then(() => true), { timeout: 20_000 }).toBe(true);
const counted = async (running: RunningService, polarity: string) =>
  sumOf(await metricsOf(running), 'assay_feedback_total', `polarity="${polarity}"`);

test('feedback by API waits for its conversation, decides its criterion, and makes a revision where it is late', async () => {
  const running = await runService({ suites: [likedSuiteFile()] });
  const [before, after] = conversations(2);
  if (before === undefined || after === undefined) return expect.unreachable();

  const early = await give(running, { conversation_id: before.id, id: 'click-1', label: 'thumbs_up', user: 'ana' });
  expect(early).toEqual({
    status: 200,
    body: {
      results: [
        {
          id: 'click-1',
          conversation_id: before.id,
          polarity: 'positive',
          result: 'waiting',
          why: 'no turn of the conversation has been stored: it is kept until one is',
        },
      ],
    },
  });
  await sendTurns(running, before);
  await sendTurns(running, after);
  await until(async () => expect(await likedOf(running, before.id)).toEqual(['1 pass']));
  await until(async () => expect(await likedOf(running, after.id)).toEqual(['1 not_applicable']));

  const { evaluated_at: evaluated, updated_at: updated } = await exportedTimes(running, after.id);
  const late = { conversation_id: after.id, id: 'click-2', score: 1, scale: [1, 5], comment: 'wrong <b>flight</b>' };
  expect((await give(running, { feedback: [late, late] })).body.results.map(({ result }) => result)).toEqual([
    'kept',
    'known',
  ]);
  await until(async () => expect(await likedOf(running, after.id)).toEqual(['1 not_applicable', '2 fail']));
  // As docs/reference/export.md says.
  const now = await exportedTimes(running, after.id);
  expect(now.updated_at).toBe(updated);
  expect(Date.parse(now.evaluated_at)).toBeGreaterThan(Date.parse(evaluated));
  const detail = await detailOf(running, after.id);
  expect(detail?.feedback).toBe('negative');
  expect(detail?.feedback_list).toMatchObject([
    {
      id: 'click-2',
      name: 'user_feedback',
      polarity: 'negative',
      score: 1,
      comment: 'wrong <b>flight</b>',
      way: 'api',
      counts: true,
    },
  ]);
  const filtered = (await (await fetch(`${running.http}/api/v1/conversations?feedback=negative`)).json()) as {
    conversations: readonly { conversation_id: string }[];
  };
  expect(filtered.conversations.map(({ conversation_id: id }) => id)).toEqual([after.id]);
  expect([
    await counted(running, 'positive'),
    await counted(running, 'negative'),
    await counted(running, 'neutral'),
  ]).toEqual([1, 1, 0]);

  const figures = await (await fetch(`${running.http}/api/v1/feedback?suite=liked`)).json();
  expect(figures).toMatchObject({
    suite: 'liked',
    conversations: { positive: 1, neutral: 0, negative: 1 },
    undecided: 0,
    agreement: { n: 2 },
    cut: false,
  });
});

test('a click that comes as span event, as log record and by the API counts once for each id, whatever comes twice', async () => {
  const running = await runService({ suites: [likedSuiteFile()] });
  const [conversation] = conversations(1);
  if (conversation === undefined) return expect.unreachable();
  const { id } = conversation;
  await sendTurns(running, conversation);
  await until(async () => expect(await likedOf(running, id)).toEqual(['1 not_applicable']));

  const span = clickSpan(id, 'c'.repeat(32), 'same-click', 'thumbs_down');
  await post(`${running.otlp}/v1/traces`, span);
  await post(`${running.otlp}/v1/traces`, span);
  await until(async () => expect(await likedOf(running, id)).toEqual(['1 not_applicable', '2 fail']));
  // The first stays, and its polarity is what is told.
  const again = await give(running, { conversation_id: id, id: 'same-click', label: 'thumbs_up' });
  expect(again.body.results[0]).toMatchObject({ result: 'known', polarity: 'negative' });

  // Without a trace it gets one of its own, which is the same for both.
  await post(`${running.otlp}/v1/logs`, clickLog(id, 'good'));
  await post(`${running.otlp}/v1/logs`, clickLog(id, 'good'));
  await until(async () => expect((await detailOf(running, id))?.feedback_list).toHaveLength(2));
  const log = (await detailOf(running, id))?.feedback_list.find(({ way }) => way === 'log');
  expect(log).toMatchObject({ name: 'user_feedback.thumbs', polarity: 'positive' });
  expect(JSON.stringify(log)).toContain('[REDACTED:card]');
  await until(async () => expect(await counted(running, 'positive')).toBe(1));
  expect(await counted(running, 'negative')).toBe(1);
});

test('counts and rows of feedback survive a restart, and a conversation that was forgotten takes none any more', async () => {
  const dataDir = tempDirectory();
  const suites = [likedSuiteFile()];
  const [conversation] = conversations(1);
  if (conversation === undefined) return expect.unreachable();
  const { id } = conversation;
  const first = await runService({ suites, dataDir });
  await sendTurns(first, conversation);
  await post(`${first.otlp}/v1/logs`, clickLog(id, 'bad'));
  await give(first, { conversation_id: id, id: 'a', label: 'down', comment: 'secret-word-of-ana', user: 'ana' });
  await until(async () => expect(await counted(first, 'negative')).toBe(2));
  await first.service.stop();

  const second = await runService({ suites, dataDir });
  await until(async () => expect(await counted(second, 'negative')).toBe(2));
  expect((await detailOf(second, id))?.feedback_list).toHaveLength(2);
  const forgotten = await fetch(`${second.http}/api/v1/conversations/${id}`, { method: 'DELETE' });
  expect(await forgotten.json()).toMatchObject({ forgotten: true, conversations: 1, feedback: 2 });
  const gone = await give(second, { conversation_id: id, id: 'b', label: 'up' });
  expect(gone.body.results[0]).toMatchObject({ result: 'gone', why: 'the conversation was deleted or forgotten' });
  expect(await detailOf(second, id)).toBeUndefined();
});

test('forgetting a user takes his feedback out of the conversations of others, and decides them again', async () => {
  const running = await runService({ suites: [likedSuiteFile()] });
  const [conversation] = conversations(1);
  if (conversation === undefined) return expect.unreachable();
  const { id } = conversation;
  await sendTurns(running, conversation);
  await give(running, { conversation_id: id, label: 'down', user: 'a-colleague' });
  await until(async () => expect((await detailOf(running, id))?.feedback).toBe('negative'));

  await post(`${running.http}/api/v1/forget`, { user: 'a-colleague' });

  await until(async () => expect((await detailOf(running, id))?.feedback).toBeUndefined());
  expect((await detailOf(running, id))?.feedback_list).toEqual([]);
  await until(async () => expect((await likedOf(running, id)).at(-1)).toMatch(/not_applicable$/));
});

test('a time a little ahead is taken as now, and long text of emoji is stored whole', async () => {
  const running = await runService({ suites: [likedSuiteFile()] });
  const [conversation] = conversations(1);
  if (conversation === undefined) return expect.unreachable();
  const { id } = conversation;
  await sendTurns(running, conversation);
  const ahead = new Date(Date.now() + 3_600_000).toISOString();
  const first = { conversation_id: id, id: 'first', label: 'down', at: '1970-01-01T00:00:00Z' };
  const emoji = { conversation_id: id, id: '👍'.repeat(200), comment: '😀'.repeat(10_000), at: ahead };

  const { status, body } = await give(running, { feedback: [first, emoji] });
  expect([status, body.results.map((one) => one.id)]).toEqual([200, ['first', emoji.id]]);
  await until(async () => expect((await detailOf(running, id))?.feedback_list).toHaveLength(2));
  const [earliest, latest] = (await detailOf(running, id))?.feedback_list ?? [];
  expect([earliest?.id, earliest?.at]).toEqual(['first', '1970-01-01T00:00:00.000Z']);
  expect(latest?.comment).toBe(emoji.comment);
  expect(Date.parse(String(latest?.at))).toBeLessThanOrEqual(Date.now());
});

test('an empty comment or label is one that was not given', async () => {
  const running = await runService({ suites: [likedSuiteFile()] });
  const [conversation] = conversations(1);
  if (conversation === undefined) return expect.unreachable();
  const { id } = conversation;
  await sendTurns(running, conversation);
  const feedback = [
    { conversation_id: id, id: 'thumb', label: 'down', comment: '' },
    { conversation_id: id, id: 'star', score: 5, label: '' },
  ];
  const { status, body } = await give(running, { feedback });
  expect([status, body.results.map(({ polarity }) => polarity)]).toEqual([200, ['negative', 'positive']]);
  await until(async () => expect((await detailOf(running, id))?.feedback_list).toHaveLength(2));
  for (const one of (await detailOf(running, id))?.feedback_list ?? []) expect(Object.values(one)).not.toContain('');
});

const asked = forFile(() => runService({ suites: [likedSuiteFile()] }));
const GOOD = { conversation_id: 'c', label: 'up' };

test.each([
  ['a score, a label or a comment', { conversation_id: 'c' }],
  ['a number', { conversation_id: 'c', score: 'x' }],
  ['the lowest score, then the highest', { conversation_id: 'c', score: 3, scale: [5, 1] }],
  ['at most 10000 characters', { conversation_id: 'c', label: 'up', comment: 'x'.repeat(10_001) }],
  ['32 lower-case hexadecimal digits', { conversation_id: 'c', label: 'up', trace_id: 'x' }],
  ['a time as in RFC 3339', { conversation_id: 'c', label: 'up', at: 'yesterday' }],
  ['a time since 1970', { conversation_id: 'c', label: 'up', at: '1969-12-31T23:59:59Z' }],
  ['feedback.1.at', { feedback: [GOOD, { ...GOOD, at: '1200-01-01T00:00:00Z' }] }],
  ['a time at most a day in the future', { conversation_id: 'c', label: 'up', at: '2601-01-01T00:00:00Z' }],
  ['at most 10000 characters', { conversation_id: 'c', comment: '😀'.repeat(10_001) }],
  ['one feedback or more', { feedback: [] }],
  ['a score of 7 is outside of its scale, 1 to 5', { conversation_id: 'c', score: 7, scale: [1, 5] }],
  ['feedback.1.score', { feedback: [GOOD, { ...GOOD, score: 11, scale: [1, 10] }] }],
  ['{"error":"the body has mistakes","problems":["feedback.0.score: a number"]}', { conversation_id: 'c', score: '5' }],
  [
    '":["feedback.0.at: a time as in RFC 3339, such as 2026-11-26T09:00:00Z"]}',
    { conversation_id: 'c', label: 'up', at: 'yesterday' },
  ],
  ['a score, a label or a comment', { conversation_id: 'c', label: '', comment: '' }],
])('refuses feedback with a mistake, and expects %s', async (problem, body) => {
  const response = await post(`${asked().http}/api/v1/feedback`, body);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(problem);
});
