import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Webhook } from '../../src/model/detection.ts';
import type { DetectionEvent } from '../../src/model/events/detection-events.ts';
import { detectionRecord, detectionRecordSchema, NO_EVIDENCE } from '../../src/report/webhooks/detection-record.ts';
import { slackMessage } from '../../src/report/webhooks/slack-message.ts';
import { Webhooks } from '../../src/report/webhooks/webhooks.ts';
import { notice, reading, regression } from './regressions.ts';

const PUBLISHED = path.resolve(import.meta.dirname, '../../docs/reference/detection-event.schema.json');

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly url: string | undefined;
}

type Answer = (response: ServerResponse) => void;

/** Answers in this order, and the last answer from then on. */
async function receiver(...answers: readonly Answer[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const answer = answers[Math.min(received.length, answers.length - 1)];
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString(), url: request.url });
      answer?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { received, url: `http://127.0.0.1:${port}/hook`, server };
}

const ok: Answer = (response) => response.end('ok');
const status =
  (code: number, headers: { readonly [name: string]: string } = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end('no');

function sender(url: string, options: { readonly giveUpAfterMs?: number; readonly secret?: string } = {}) {
  const settled: string[] = [];
  const events: DetectionEvent[] = [];
  const webhook: Webhook = { name: 'w', key: 'k', url, format: 'json', secret: options.secret, on: ['regressed'] };
  const webhooks = new Webhooks({
    webhooks: [webhook],
    giveUpAfterMs: options.giveUpAfterMs ?? 60_000,
    timeoutMs: 300,
    pauseMs: 10,
    evidenceOf: () => Promise.resolve(NO_EVIDENCE),
    onDelivered: ({ id }) => settled.push(id),
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => webhooks.stop());
  return { webhooks, settled, events };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const idsOf = (received: readonly Received[]) => received.map(({ headers }) => headers['assay-event-id']);
const problemsOf = (events: readonly DetectionEvent[]) =>
  events.flatMap((event) => (event.type === 'webhook-failed' ? [event.problem] : []));

test('notices are delivered in their order, each once, and said to be settled until they wait no more', async () => {
  const { received, url } = await receiver(ok);
  const { webhooks, settled } = sender(url);
  const waiting = [notice(1, ['k']), notice(2, ['other']), notice(3, ['k'])];

  webhooks.take(waiting);
  webhooks.take(waiting);
  await until(() => settled.length === 2);
  webhooks.take(waiting);
  webhooks.take([]);

  const [first, , third] = waiting.map(({ transition }) => transition.id);
  expect(idsOf(received)).toEqual([first, third]);
  expect(settled).toEqual([first, third, first, third]);
});

test.each<[what: string, answers: readonly Answer[], problem: RegExp]>([
  ['an error of the server', [status(500), ok], /^it answered 500: no$/],
  ['too many requests', [status(429, { 'retry-after': '0' }), ok], /^it answered 429/],
  ['no answer in time', [() => {}, ok], /timeout/i],
  ['a connection that is closed', [(response) => response.destroy(), ok], /SOCKET|ECONNRESET/],
  ['a redirect, which is not followed', [status(302, { location: '/elsewhere' }), ok], /^it answered 302/],
])('it is sent again after %s', async (_what, answers, problem) => {
  const { received, url } = await receiver(...answers);
  const { webhooks, settled, events } = sender(url);

  webhooks.take([notice(1, ['k'])]);
  await until(() => settled.length === 1);

  expect(received.map((one) => one.url)).toEqual(['/hook', '/hook']);
  expect(new Set(idsOf(received)).size).toBe(1);
  expect(problemsOf(events)).toEqual([expect.stringMatching(problem)]);
  expect(events.at(-1)).toEqual({ type: 'webhook-delivered', webhook: 'w', attempts: 2 });
});

test('a pause that the receiver asks for is kept', async () => {
  const { received, url } = await receiver(status(429, { 'retry-after': '3600' }), ok);
  const { webhooks, settled, events } = sender(url);

  webhooks.take([notice(1, ['k'])]);
  await until(() => problemsOf(events).length === 1);
  // Ten times its own default pause.
  await new Promise((resolve) => setTimeout(resolve, 100));

  expect([received.length, settled.length]).toEqual([1, 0]);
});

test('what was queued too long ago is given up, and what comes after it is delivered', async () => {
  const { received, url } = await receiver(ok);
  const { webhooks, settled, events } = sender(url, { giveUpAfterMs: 10_000 });
  const old = notice(1, ['k'], Date.now() - 20_000);

  webhooks.take([old, notice(2, ['k'])]);
  await until(() => settled.length === 2);

  expect(received).toHaveLength(1);
  expect(events[0]).toEqual({ type: 'webhook-given-up', webhook: 'w', id: old.transition.id });
});

test('of an answer without end only the beginning is read', async () => {
  const endless: Answer = (response) => {
    response.writeHead(500);
    const more = () => {
      while (response.write('x'.repeat(10_000)));
    };
    response.on('drain', more);
    more();
  };
  const { url } = await receiver(endless, ok);
  const { webhooks, settled, events } = sender(url);

  webhooks.take([notice(1, ['k'])]);
  await until(() => settled.length === 1);

  expect(problemsOf(events)[0]?.length).toBeLessThan(1100);
});

test('who has the secret sees that a notice is from us and is whole, as the documentation shows', async () => {
  const { received, url } = await receiver(ok);
  const { webhooks, settled } = sender(url, { secret: 'open sesame' });
  webhooks.take([notice(1, ['k'])]);
  await until(() => settled.length === 1);
  const [one] = received;

  const isOurs = (header: string, body: string, secret: string) => {
    const [, time = '', given = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
    const right = createHmac('sha256', secret).update(`${time}.${body}`).digest();
    return timingSafeEqual(Buffer.from(given, 'hex'), right);
  };

  const header = String(one?.headers['assay-signature']);
  expect(isOurs(header, one?.body ?? '', 'open sesame')).toBe(true);
  expect(isOurs(header, `${one?.body ?? ''} `, 'open sesame')).toBe(false);
  expect(isOurs(header, one?.body ?? '', 'another')).toBe(false);
});

test('a notice says what got worse, by how much and by which criterion, and meets the published schema', () => {
  const record = detectionRecord(regression(), NO_EVIDENCE);

  expect(detectionRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  expect(record.summary).toBe(
    'a (e): mean score has fallen: 0.9 expected, 0.72 observed (−20.0 %); most of it by right (−20.0 points)',
  );
  expect(record.since).toBe('1970-01-01T00:16:40.000Z');
});

const LEVEL = { kind: 'level', id: 'a'.repeat(32), at: 2, from: 'suspected' } as const;

test.each([
  ['ok', { change: { baseline: 0.0049, observed: 0, ratio: -1 } }, 'is as usual: 0.0049 expected, 0 observed'],
  ['regressed', { change: { baseline: 0.9, observed: 0.72, ratio: -0.2 } }, 'has risen'],
  [
    'regressed',
    { change: { baseline: 0.1, observed: 0.15, ratio: 0.5 } },
    'has risen: 0.1 expected, 0.15 observed (+50.0 %)',
  ],
] as const)('a sentence agrees with its own figures: hard failures, %s %j', (to, { change }, said) => {
  const level = { metric: 'hard_failure', parts: [], change: { ...change, lower: -1, upper: 1 } } as const;
  const { summary } = detectionRecord({ ...LEVEL, to, reading: reading(level) }, NO_EVIDENCE);

  expect(summary).toBe(`a (e): rate of hard failures ${said}`);
});

test('a version that is better says no points that it lost', () => {
  const version = { version: 'v2', baselineVersion: 'v1', verdict: 'better', logEvidenceWorse: 0 } as const;
  const summaryOf = (difference: number) =>
    detectionRecord(
      {
        ...{ kind: 'version', id: 'a'.repeat(32), at: 2, from: 'inconclusive', to: 'better' },
        reading: { suite: 's', agent: 'a', environment: 'e', ...version, logEvidenceBetter: 4, difference },
      },
      NO_EVIDENCE,
    ).summary;

  expect(summaryOf(-0.1)).toBe('a (e): version v2 scores higher than v1');
  expect(summaryOf(0.1)).toBe('a (e): version v2 scores higher than v1, good outcomes +10.0 points');
});

test('what has recovered has no parts of a fall in Slack', () => {
  const { blocks } = slackMessage(detectionRecord({ ...LEVEL, to: 'recovered', reading: reading() }, NO_EVIDENCE));

  expect(JSON.stringify(blocks)).not.toContain('of which');
});

test('the published schema is the one that notices meet: UPDATE_GOLDEN=1 writes it anew', () => {
  const schema = JSON.stringify(z.toJSONSchema(detectionRecordSchema), null, 2);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PUBLISHED, `${schema}\n`);

  expect(JSON.parse(readFileSync(PUBLISHED, 'utf8'))).toEqual(JSON.parse(schema));
});

test('with the address of the page a message links to the agent and its conversations, and nowhere else', () => {
  const record = detectionRecord(regression(), {
    where: [],
    worst_conversations: [
      { conversation_id: 'a|b> <c/ü', agent_version: 'v', score: 0, outcome: 'hard_failure' },
      { conversation_id: 'plain', agent_version: 'v', score: 0, outcome: 'hard_failure' },
    ],
  });
  const [, second] = slackMessage(
    { ...record, agent: 'shop & co', suite: 'default' },
    'https://assay.example.com',
  ).blocks;

  expect(second?.text.text).toContain('<https://assay.example.com/conversations/plain|plain>: hard_failure');
  expect(second?.text.text).toContain(
    '<https://assay.example.com/conversations/a%7Cb%3E%20%3Cc%2F%C3%BC|a¦b&gt; &lt;c/ü>: hard_failure',
  );
  expect(second?.text.text).toMatch(
    /<https:\/\/assay\.example\.com\/\?agent=shop\+%26\+co&suite=default\|Open the page>$/,
  );
});

test('names that come from spans can call nobody in Slack, and link to nothing', () => {
  const hostile = '<!channel> <https://evil.example|click> & `x`\n*hi*';

  const message = slackMessage({
    ...detectionRecord(regression(), {
      where: [{ agent_version: hostile, segment: hostile, conversations: 1, failed: 1 }],
      worst_conversations: [{ conversation_id: hostile, agent_version: 'v', score: 0, outcome: 'hard_failure' }],
    }),
    suite: hostile,
    summary: hostile.repeat(200),
  });

  const text = JSON.stringify(message);
  expect(text).not.toMatch(/<!|<https/);
  expect(text).toContain('&lt;!channel&gt;');
  for (const { text: section } of message.blocks) expect(section.text.length).toBeLessThanOrEqual(3000);
});
