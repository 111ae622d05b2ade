/** Judges over a real HTTP server that plays the provider, in working order and with every known failure. */
import { expect, test } from 'vitest';
import type { JudgeEvent } from '../../src/model/events/judge-events.ts';
import type { JudgeFailure } from '../../src/model/judging.ts';
import { judgeAt, startAsking, until } from './asked.ts';
import { NO, type Reaction, startProvider, YES } from './provider.ts';
import { judgeRequest } from './requests.ts';

function callsIn(events: readonly JudgeEvent[]) {
  return events.flatMap((event) => (event.type === 'judge-called' ? [event] : []));
}

const WELL: Reaction = { say: YES };

test('a question goes out with its instructions, its material and its schema, and its answer comes back', async () => {
  const provider = await startProvider(() => WELL);
  const { ask, ends, events } = startAsking({
    judges: [judgeAt(provider.url, { prices: { inputPerMillion: 2, outputPerMillion: 8 } })],
  });
  const request = judgeRequest('a');

  ask(request);

  expect(await ends(request)).toEqual([
    {
      is: 'answered',
      model: 'played-1',
      answers: [{ criterion: 'kind', pass: true, reason: 'It says please.', quotes: [], votes: { yes: 1, of: 1 } }],
    },
  ]);
  expect(provider.asked).toHaveLength(1);
  expect(provider.asked[0]).toMatchObject({
    path: '/chat/completions',
    headers: { authorization: 'Bearer sk-test' },
    body: {
      model: 'played',
      temperature: 0,
      max_tokens: 300,
      messages: [
        { role: 'system', content: request.instructions },
        { role: 'user', content: request.material },
      ],
      response_format: { type: 'json_schema', json_schema: { strict: true, schema: { required: ['kind'] } } },
    },
  });
  await until(() => callsIn(events).length === 1);
  // 100 tokens in and 20 out, as the provider counts them.
  expect(callsIn(events)).toMatchObject([
    { judge: 'default', result: 'said', inputTokens: 100, outputTokens: 20, nanos: 100 * 2000 + 20 * 8000 },
  ]);
});

test("Anthropic's messages are asked alike", async () => {
  const provider = await startProvider(() => WELL);
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url, { provider: 'anthropic' })] });
  const request = judgeRequest('a');

  ask(request);

  expect(await ends(request)).toMatchObject([{ is: 'answered', answers: [{ pass: true }] }]);
  expect(provider.asked[0]).toMatchObject({
    path: '/v1/messages',
    headers: { authorization: 'Bearer sk-test' },
    body: {
      model: 'played',
      max_tokens: 300,
      system: request.instructions,
      messages: [{ role: 'user', content: request.material }],
      output_config: { format: { type: 'json_schema', schema: { required: ['kind'] } } },
    },
  });
});

test.each<[what: string, reactions: readonly Reaction[]]>([
  ['cuts its answer off', [{ cut: true }]],
  ['is broken', [{ status: 500 }, { status: 502 }, { status: 529 }]],
  ['is overrun, and says for how long', [{ status: 429, headers: { 'retry-after': '0.02' } }]],
  ['is overrun, and does not say for how long', [{ status: 503 }]],
  ['sends what is no JSON', [{ raw: '<html>busy</html>' }]],
  ['sends what is half an answer', [{ raw: '{"choices": [{"message": {"cont' }]],
  ['sends an empty object', [{ raw: '{}' }]],
  ['answers in prose', [{ say: 'Yes, it was kind.' }]],
  ['answers another question', [{ say: '{"other": {"quotes": [], "reason": "x", "answer": true}}' }]],
  ['answers "yes" for true', [{ say: '{"kind": {"quotes": [], "reason": "x", "answer": "yes"}}' }]],
])('a provider that %s is asked again, and answers then', async (_what, reactions) => {
  const provider = await startProvider(({ number }) => reactions[number] ?? WELL);
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url)] });
  const request = judgeRequest('a');

  ask(request);

  expect(await ends(request)).toMatchObject([{ is: 'answered' }]);
  expect(provider.asked).toHaveLength(reactions.length + 1);
});

test.each<[what: string, reaction: Reaction, failure: JudgeFailure, calls: number]>([
  ['refuses', { refuse: true }, 'refused', 1],
  ['filters what was asked', { status: 400, error: { code: 'content_filter', message: 'no' } }, 'refused', 1],
  ['finds the request wrong', { status: 400, error: { message: 'too long a context' } }, 'bad-request', 1],
  ['has more to say than it may', { say: YES, finish: 'length' }, 'bad-answer', 1],
  ['never answers with the schema', { say: 'Yes!' }, 'bad-answer', 3],
  ['is broken for longer', { status: 500 }, 'server-error', 3],
  ['hangs', { hang: 'before' }, 'timeout', 3],
  ['hangs within its answer', { hang: 'within' }, 'timeout', 3],
])('where the provider %s, the question fails', async (_what, reaction, failure, calls) => {
  const provider = await startProvider(() => reaction);
  const { ask, ends } = startAsking({
    judges: [judgeAt(provider.url, { retries: 2, timeoutMs: failure === 'timeout' ? 1000 : 30_000 })],
  });
  const request = judgeRequest('a');

  ask(request);

  expect(await ends(request)).toMatchObject([{ is: 'failed', failure }]);
  expect(provider.asked).toHaveLength(calls);
});

test('nobody is asked before the time that the provider asked for', async () => {
  const times: number[] = [];
  const provider = await startProvider(({ number }) => {
    times.push(performance.now());
    return number === 0 ? { status: 429, headers: { 'retry-after': '1' } } : WELL;
  });
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url, { concurrency: 1 })] });
  const [a, b] = [judgeRequest('a'), judgeRequest('b')];

  ask(a, b);
  await ends(a, b);

  const [first = 0, second = 0] = times;
  expect(provider.asked).toHaveLength(3);
  expect(second - first).toBeGreaterThanOrEqual(1000);
});

test('a retry that would begin behind the deadline is not begun', async () => {
  const provider = await startProvider(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url, { deadlineMs: 1000 })] });
  const request = judgeRequest('a');

  ask(request);

  expect(await ends(request)).toMatchObject([{ is: 'failed', failure: 'rate-limited' }]);
  expect(provider.asked).toHaveLength(1);
});

test.each<[what: string, reaction: Reaction, failure: JudgeFailure]>([
  ['a wrong key', { status: 401, error: { message: 'Incorrect API key provided: sk-test.' } }, 'authentication'],
  ['a key that may not', { status: 403 }, 'authentication'],
  ['no money left there', { status: 429, error: { code: 'insufficient_quota', message: 'no' } }, 'quota'],
  ['no credit there', { status: 400, error: { message: 'Your credit balance is too low' } }, 'quota'],
  ['no such model', { status: 404, error: { code: 'model_not_found', message: 'no' } }, 'bad-request'],
])('%s stops the judge with its reason; questions wait, and go on by themselves', async (_what, reaction, failure) => {
  let isMended = false;
  const provider = await startProvider(() => (isMended ? WELL : reaction));
  const { ask, ends, events, outcomeOf } = startAsking({ judges: [judgeAt(provider.url)] });
  const requests = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => judgeRequest(name));

  ask(...requests);
  // Stopped, and retried less and less often.
  await until(() => events.filter(({ type }) => type === 'judge-stopped').length >= 3);
  const stops = events.flatMap((event) => (event.type === 'judge-stopped' ? [event] : []));
  expect(stops.map((event) => [event.failure, event.tryAgainMs]).slice(0, 3)).toEqual([
    [failure, 50],
    [failure, 100],
    [failure, 200],
  ]);
  expect(stops[0]?.reason).not.toContain('sk-test');
  expect(requests.map(outcomeOf)).toEqual(requests.map(() => 'waiting'));
  // The first four were sent together, and then one at a time.
  expect(provider.asked.length).toBeLessThanOrEqual(4 + stops.length);
  isMended = true;

  expect(await ends(...requests)).toMatchObject(requests.map(() => ({ is: 'answered' })));
  expect(events.filter(({ type }) => type === 'judge-resumed')).toHaveLength(1);
});

test('a provider that is away stops the judge after some failures in a row, and what waits is not failed for it', async () => {
  const away = await startProvider(() => WELL);
  await away.stop();
  const { ask, ends, events } = startAsking({ judges: [judgeAt(away.url, { retries: 20, concurrency: 2 })] });
  const requests = ['a', 'b', 'c'].map((name) => judgeRequest(name));

  ask(...requests);
  await until(() => events.some(({ type }) => type === 'judge-stopped'));
  expect(events.find(({ type }) => type === 'judge-stopped')).toMatchObject({ failure: 'unreachable' });
  await startProvider(() => WELL, { port: Number(new URL(away.url).port) });

  expect(await ends(...requests)).toMatchObject(requests.map(() => ({ is: 'answered' })));
});

test('nothing waits behind a dead judge: others go on, and what waited too long ends with the reason', async () => {
  const [dead, alive] = [await startProvider(() => ({ status: 401 })), await startProvider(() => WELL)];
  const { ask, ends } = startAsking({
    judges: [judgeAt(dead.url, { name: 'dead' }), judgeAt(alive.url, { name: 'alive' })],
    rules: { limitMs: 3000 },
  });
  const lost = ['a', 'b', 'c'].map((name) => judgeRequest(name, { judge: 'dead', priority: 59 }));
  const found = ['d', 'e', 'f'].map((name) => judgeRequest(name, { judge: 'alive' }));

  ask(...lost, ...found);

  expect(await ends(...found)).toMatchObject(found.map(() => ({ is: 'answered' })));
  expect(await ends(...lost)).toMatchObject(
    lost.map(() => ({ is: 'failed', failure: 'authentication', reason: expect.stringContaining('stopped') })),
  );
});

test('what waits behind others for too long is left out, the least important first', async () => {
  const provider = await startProvider(() => WELL);
  const { ask, ends } = startAsking({
    judges: [judgeAt(provider.url, { requestsPerMinute: 2 })],
    rules: { limitMs: 3000 },
  });
  const low = ['a', 'b'].map((name) => judgeRequest(name, { priority: 10 }));
  const high = ['c', 'd'].map((name) => judgeRequest(name, { priority: 51 }));

  ask(...low, ...high);

  expect(await ends(...high)).toMatchObject(high.map(() => ({ is: 'answered' })));
  expect(await ends(...low)).toMatchObject(low.map(() => ({ is: 'left-out', because: 'too-late' })));
  expect(provider.asked).toHaveLength(2);
});

test('a judge that is not in the configuration any more leaves its questions out', async () => {
  const { ask, ends } = startAsking({ judges: [] });
  const request = judgeRequest('a', { judge: 'former' });

  ask(request);

  expect(await ends(request)).toMatchObject([{ is: 'left-out', because: 'not-configured' }]);
});

test.each<[says: readonly string[], calls: number, pass: boolean, yes: number, of: number]>([
  [[YES, YES], 2, true, 2, 2],
  [[NO, NO], 2, false, 0, 2],
  [[YES, NO, YES], 3, true, 2, 3],
  [[NO, YES, NO], 3, false, 1, 3],
])('of three votes %j are as many as it takes', async (says, calls, pass, yes, of) => {
  const provider = await startProvider(({ number }) => ({ say: says[number] ?? '' }));
  const { ask, ends, events } = startAsking({ judges: [judgeAt(provider.url, { votes: 3 })] });
  const request = judgeRequest('a');

  ask(request);

  expect(await ends(request)).toMatchObject([{ is: 'answered', answers: [{ pass, votes: { yes, of } }] }]);
  expect(provider.asked).toHaveLength(calls);
  expect(events.find(({ type }) => type === 'question-ended')).toMatchObject({ disagreed: calls === 3 });
});

test('a vote that failed is outvoted by the others, where there is a majority of all', async () => {
  const provider = await startProvider(({ number }) => (number === 0 ? { refuse: true } : WELL));
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url, { votes: 3, concurrency: 1 })] });

  const request = judgeRequest('a');
  ask(request);

  expect(await ends(request)).toMatchObject([{ is: 'answered', answers: [{ votes: { yes: 2, of: 2 } }] }]);
});

test('where too many votes failed there is no verdict', async () => {
  const says: readonly Reaction[] = [{ refuse: true }, WELL, { say: NO }];
  const provider = await startProvider(({ number }) => says[number] ?? WELL);
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url, { votes: 3, concurrency: 1 })] });

  const request = judgeRequest('a');
  ask(request);

  expect(await ends(request)).toMatchObject([{ is: 'failed', failure: 'refused' }]);
  expect(provider.asked).toHaveLength(3);
});

test('no more calls than configured are under way', async () => {
  let flying = 0;
  let most = 0;
  const provider = await startProvider(async () => {
    flying += 1;
    most = Math.max(most, flying);
    await new Promise((resolve) => setTimeout(resolve, 20));
    flying -= 1;
    return WELL;
  });
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url, { concurrency: 3, votes: 3 })] });
  const requests = Array.from({ length: 12 }, (_, index) => judgeRequest(`q${index}`));

  ask(...requests);
  await ends(...requests);

  expect(most).toBe(3);
  expect(provider.asked).toHaveLength(24);
});

test.each<[what: string, refuses: (body: Readonly<Record<string, unknown>>) => string | undefined, calls: number]>([
  [
    'takes no json_schema',
    ({ response_format: format }) =>
      JSON.stringify(format ?? '').includes('json_schema') ? 'response_format json_schema is not supported' : undefined,
    2,
  ],
  [
    'takes no response_format at all',
    ({ response_format: format }) => (format === undefined ? undefined : 'unknown field response_format'),
    3,
  ],
  [
    'wants max_completion_tokens',
    ({ max_tokens: old }) =>
      old === undefined ? undefined : "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    2,
  ],
])('a server that %s is asked as it wants to be, from then on', async (_what, refuses, calls) => {
  const provider = await startProvider(({ body }) => {
    const message = refuses(body);
    return message === undefined ? WELL : { status: 400, error: { message } };
  });
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url)] });
  const [a, b] = [judgeRequest('a'), judgeRequest('b')];

  ask(a);
  expect(await ends(a)).toMatchObject([{ is: 'answered' }]);
  expect(provider.asked).toHaveLength(calls);
  ask(b);
  expect(await ends(b)).toMatchObject([{ is: 'answered' }]);

  expect(provider.asked).toHaveLength(calls + 1);
  const last = provider.asked.at(-1)?.body ?? {};
  if (!('response_format' in last)) expect(JSON.stringify(last.messages)).toContain('JSON schema');
});

test('a key goes to the address in the configuration, and not to where it redirects', async () => {
  const elsewhere = await startProvider(() => WELL);
  const provider = await startProvider(() => ({ status: 307, headers: { location: `${elsewhere.url}/x` } }));
  const { ask, events } = startAsking({ judges: [judgeAt(provider.url, { provider: 'anthropic' })] });

  ask(judgeRequest('a'));
  await until(() => events.filter(({ type }) => type === 'judge-stopped').length >= 2);

  expect(elsewhere.asked).toHaveLength(0);
});

test('an answer without an end is cut off', async () => {
  const provider = await startProvider(() => ({ raw: `{"x": "${'y'.repeat(5 * 2 ** 20)}"}` }));
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url, { retries: 0 })] });
  const request = judgeRequest('a');

  ask(request);

  expect(await ends(request)).toMatchObject([{ is: 'failed' }]);
});

const INVENTED: Reaction = {
  say: JSON.stringify({ kind: { quotes: ['It never said that.'], reason: 'It is rude.', answer: false } }),
};

test('an answer whose quotes are all invented is asked for once more where that is wanted, and the next is taken', async () => {
  const provider = await startProvider(({ number }) => (number === 0 ? INVENTED : WELL));
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url, { strict: true })] });
  ask(judgeRequest('a'));

  expect(await ends(judgeRequest('a'))).toMatchObject([{ is: 'answered', answers: [{ pass: true }] }]);
  expect(provider.asked).toHaveLength(2);
});

test.each([
  [true, 2],
  [false, 1],
] as const)('a judge that always invents is asked no more than that (strict: %s)', async (strict, calls) => {
  const provider = await startProvider(() => INVENTED);
  const { ask, ends } = startAsking({ judges: [judgeAt(provider.url, { strict })] });
  ask(judgeRequest('a'));

  expect(await ends(judgeRequest('a'))).toMatchObject([{ is: 'answered', answers: [{ pass: false, invented: 1 }] }]);
  expect(provider.asked).toHaveLength(calls);
});
