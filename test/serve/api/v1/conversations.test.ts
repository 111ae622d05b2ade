/** `GET /api/v1/conversations`, one of them whole, and a text that is too long for that, on a running service. */
import { expect, test } from 'vitest';
import { conversationDetail, wholeText } from '../../../../src/api/conversation-detail.ts';
import { conversationList } from '../../../../src/api/conversation-list.ts';
import { filledService, get, LONG, SENT, traceOf } from './filled-service.ts';

test('conversations are listed, searched and shown whole, in bounded answers', { timeout: 60_000 }, async () => {
  const running = await filledService();
  const listed = async (query: string) => {
    const { status, body } = await get(running, `/api/v1/conversations${query}`);
    expect([query, status]).toEqual([query, 200]);
    return conversationList.parse(body);
  };
  const idsBy = async (query: string) =>
    (await listed(query)).conversations.map(({ conversation_id }) => conversation_id);

  // The latest first, at a glance.
  const all = await listed('');
  expect(all).toMatchObject({ next: null, looked_at: 4 });
  expect(all.conversations.map(({ conversation_id }) => conversation_id)).toEqual([
    'long',
    'many',
    'none',
    'asked/1 ü',
  ]);
  expect(all.conversations[1]).toMatchObject({
    agent: 'helper',
    agent_version: 'v2',
    environment: 'simulation',
    asked: 'And now?',
    answered: 'Still none.',
    turns: 1,
    revision: 1,
    tokens: 110,
    state: 'scored',
    evaluations: [
      {
        suite: 'calls',
        score: 0.6,
        outcome: 'partial_failure',
        failing: [{ criterion: 'few', lost: 0.4, critical: true, reason: expect.stringContaining('size') }],
      },
    ],
  });

  // Times are rounded outwards to milliseconds.
  expect(all.conversations[1]?.duration_ms).toSatisfy((ms: number) => ms >= 20_000 && ms <= 20_002);

  // Searches; a parameter that is a list may be repeated.
  expect(await idsBy('?outcome=partial_failure&outcome=hard_failure')).toEqual(['many', 'none']);
  expect(await idsBy('?outcome=partial_failure&criterion=few&criterion=other')).toEqual(['many']);
  expect(await idsBy('?criterion=looked')).toEqual(['none']);
  expect(await idsBy('?agent_version=v2&agent_version=v9')).toEqual(['many']);
  expect(await idsBy('?labelled=true')).toEqual(['asked/1 ü']);
  expect(await idsBy('?words=graz%20order')).toEqual(['asked/1 ü']);
  // The arguments of each tool have it, and in one conversation the user.
  expect(await idsBy('?words=orders')).toEqual(['long', 'many', 'asked/1 ü']);
  // In the result of a tool, and only there.
  expect(await idsBy('?words=place')).toEqual(['asked/1 ü']);
  expect(await listed('?words=place')).toMatchObject({ total: 1 });
  // An id as it is finds its conversation alone, and a part of one finds all that have it.
  expect(await listed(`?words=${encodeURIComponent(' asked/1 ü ')}`)).toMatchObject({ total: 1 });
  expect(await idsBy('?words=asked')).toContain('asked/1 ü');
  const excerpt = async (words: string) =>
    (await get(running, `/api/v1/excerpts/${encodeURIComponent('asked/1 ü')}?words=${words}`)).body;
  expect(await excerpt('place')).toEqual({
    excerpt: { turn: 1, by: 'tool', tool: 'track', text: expect.stringMatching(/^track .*→ \{"place":"Graz"\}$/) },
  });
  expect(await excerpt('orders')).toEqual({ excerpt: { turn: 1, by: 'user', text: 'Where is my order?' } });
  expect(await excerpt('nowhere')).toEqual({});
  expect((await get(running, '/api/v1/excerpts/nobody?words=x')).status).toBe(404);
  expect(await idsBy('?since=1h&state=scored&order=worst&limit=2')).toEqual(['many', 'none']);
  expect(await idsBy('?until=1h')).toEqual([]);

  // Pages.
  const first = await listed('?order=worst&limit=3');
  const second = await listed(`?order=worst&limit=3&cursor=${first.next}`);
  expect([...first.conversations, ...second.conversations].map(({ conversation_id }) => conversation_id)).toEqual([
    'many',
    'none',
    'long',
    'asked/1 ü',
  ]);
  expect(second.next).toBeNull();

  // All mistakes of a query at once.
  const wrong = await get(
    running,
    '/api/v1/conversations?outcome=bad&limit=1000&cursor=x&limt=1&order=latest&order=worst&since=soon',
  );
  expect(wrong.status).toBe(400);
  const { problems } = wrong.body as { problems: readonly string[] };
  for (const name of ['outcome', 'limit', 'cursor', 'limt', 'order', 'since'])
    expect(problems.some((problem) => problem.includes(name))).toBe(true);

  expect(await get(running, '/api/v1/conversations?since=1h&until=2h')).toEqual({
    status: 400,
    body: { error: 'the query has mistakes', problems: ['until: it has to be after since'] },
  });

  // One of them, whole.
  const detailOf = async (id: string, query = '') => {
    const { status, body } = await get(running, `/api/v1/conversations/${encodeURIComponent(id)}${query}`);
    expect([id, status]).toEqual([id, 200]);
    return conversationDetail.parse(body);
  };
  const one = await detailOf('asked/1 ü');
  expect(one).toMatchObject({
    content: 'whole',
    state: 'scored',
    steps_left_out: 0,
    evaluations_left_out: 0,
    truth: { place: 'Graz' },
    outcomes: [{ name: 'reopened', good: false, value: 'yes' }],
    labels: [{ suite: 'calls', criterion: 'looked', label: 'fail', by: 'ann', note: 'It did not.' }],
  });
  expect(one.labels).toHaveLength(1);
  const [turn] = one.turn_list;
  expect(turn).toMatchObject({
    trace_ids: [traceOf(1)],
    asked: 'Where is my order?',
    answered: 'In Graz.',
    ended: 'settled',
    dialects: ['assay.simulation'],
  });
  const root = turn?.steps.find(({ kind }) => kind === 'agent');
  expect(turn?.steps.filter(({ parent }) => parent === root?.step_id)).toMatchObject([
    { kind: 'tool', name: 'track', status: 'ok', arguments: { order: 7 }, result: { place: 'Graz' } },
    {
      kind: 'llm',
      model: 'sim-model',
      input: 'Where is my order?',
      output: 'In Graz.',
      tokens: { input: 100, output: 10 },
    },
  ]);
  expect(turn?.steps.every(({ provenance, cut }) => provenance === undefined && cut === undefined)).toBe(true);
  expect(
    one.evaluations_full.map(({ suite, suite_version, shadow, latest, score }) => [
      suite,
      suite_version,
      shadow,
      latest,
      score,
    ]),
  ).toEqual([
    ['calls', '1', false, true, 1],
    ['calls', '2', true, true, 0.6],
  ]);
  expect(one.evaluations_full[0]?.verdicts).toMatchObject([
    { criterion: 'looked', verdict: 'pass', weight: 0.6, critical: false, question: 'Did it look?' },
    { criterion: 'few', verdict: 'pass', weight: 0.4, critical: true, question: 'Few calls?' },
  ]);
  const why = await detailOf('asked/1 ü', '?provenance=true');
  expect(why.turn_list[0]?.steps.find(({ kind }) => kind === 'tool')?.provenance).toContainEqual({
    field: 'kind',
    rule: 'gen_ai.operation.name',
  });

  // A text of megabytes is cut, and is to be had whole.
  const long = await detailOf('long');
  expect(JSON.stringify(long).length).toBeLessThan(200_000);
  const tool = long.turn_list[0]?.steps.find(({ kind }) => kind === 'tool');
  expect(tool).toMatchObject({ cut: true });
  expect(String(tool?.result)).toMatch(/^x{20000}…$/);
  const text = async (of: string | undefined, field: string, part: Record<string, string> = {}) =>
    get(running, `/api/v1/text/long?${new URLSearchParams({ of: of ?? '', field, ...part })}`);
  expect(wholeText.parse((await text(tool?.step_id, 'result')).body)).toEqual({
    from: 0,
    text: 'x'.repeat(LONG),
    characters: LONG,
    whole: true,
  });
  expect(wholeText.parse((await text(long.turn_list[0]?.turn_id, 'asked')).body).text).toBe(SENT[3]?.question);
  // A part of it, for which no end of a character is cut off.
  const part = async (from: number, length: number) =>
    wholeText.parse((await text(tool?.step_id, 'result', { from: String(from), length: String(length) })).body);
  expect(await part(LONG - 3, 100)).toEqual({ from: LONG - 3, text: 'xxx', characters: LONG, whole: false });
  expect(await part(LONG + 9, 100)).toEqual({ from: LONG, text: '', characters: LONG, whole: false });
  expect((await text(tool?.step_id, 'result', { from: '-1' })).status).toBe(400);
  expect((await text(tool?.step_id, 'result', { length: '8000001' })).status).toBe(400);
  expect((await text('nothing', 'result')).status).toBe(404);
  expect((await text(tool?.step_id, 'asked')).status).toBe(404);
  expect((await text(tool?.step_id, 'everything')).status).toBe(400);

  // Reading and forgetting have the same address, and the older routes are as they were.
  const missing = await get(running, '/api/v1/conversations/nobody');
  expect(missing).toMatchObject({ status: 404, body: { error: expect.stringContaining('it may still be open') } });
  const forgotten = await fetch(`${running.http}/api/v1/conversations/none`, { method: 'DELETE' });
  expect(await forgotten.json()).toMatchObject({ forgotten: true, conversations: 1 });
  expect(await idsBy('')).toEqual(['long', 'many', 'asked/1 ü']);
  expect((await get(running, '/api/v1/spans/many')).status).toBe(200);
  expect((await get(running, '/api/conversations?limit=1')).status).toBe(200);
});
