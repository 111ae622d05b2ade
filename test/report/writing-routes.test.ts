import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { ApiEvent } from '../../src/model/events/api-events.ts';
import { jsonAnswer } from '../../src/report/http/answer.ts';
import { startHttpServer } from '../../src/report/http/http-server.ts';
import { read, write, writing } from '../../src/report/http/route.ts';
import { HeldBytes } from '../../src/report/http/held-bytes.ts';
import { answerRequest } from '../../src/report/http/router.ts';
import { guardFor } from '../access/guards.ts';

const TOKEN = 'a-token-that-nobody-guesses';

const READ = read('/api/conversations', 'conversations', () => jsonAnswer(200, {}));
const body = z.strictObject({ right: z.number(), why: z.string().optional() });

function routes() {
  const written: unknown[] = [];
  const put = write(
    'PUT',
    '/api/v1/truth/{conversation}',
    'what is right',
    { takes: 'review' },
    writing(
      body,
      async (_side, given, parameters) => {
        if (given.why === 'broken') throw new Error('the disk is full');
        written.push([parameters.get('conversation'), given]);
        return { status: 202, value: { taken: given.right } };
      },
      { bodyBytesMax: 100 },
    ),
  );
  return { routes: [READ, put], written };
}

async function start(token?: string) {
  const { routes: table, written } = routes();
  const events: ApiEvent[] = [];
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: table,
    access: guardFor({ writeToken: token }).guard,
    onWrite: (event) => events.push(event),
    onDropped: () => undefined,
  });
  onTestFinished(() => server.stop());

  /** Not fetch, which sets Host and Origin by itself. */
  function send(options: {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Buffer;
    readonly chunked?: boolean;
  }) {
    const { method = 'PUT', path = '/api/v1/truth/c1', body = '{"right":1}' } = options;
    const headers = { 'content-type': 'application/json', ...options.headers };
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string; allow: unknown }>();
    const request = httpRequest({ port: server.port, method, path, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(parts).toString(),
          allow: response.headers.allow,
        }),
      );
    });
    request.on('error', reject);
    if (options.chunked === true) request.write(body);
    request.end(options.chunked === true ? undefined : body);
    return promise;
  }
  return { send, written, events, port: server.port };
}

test('what is written has the parameters of its path, decoded, and its body checked', async () => {
  const { send, written, events } = await start();

  const answer = await send({
    path: `/api/v1/truth/${encodeURIComponent('a/b ü')}`,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
  });

  expect(answer).toMatchObject({ status: 202, text: '{"taken":1}\n' });
  expect(written).toEqual([['a/b ü', { right: 1 }]]);
  expect(events).toEqual([{ type: 'api-written', route: '/api/v1/truth/{conversation}', status: 202 }]);
});

test.for([
  ['another method', { method: 'POST' }, 405, 'POST is not supported here: use PUT'],
  ['reading what can only be written', { method: 'GET', body: '' }, 405, 'use PUT'],
  ['writing what can only be read', { path: '/api/conversations' }, 405, 'PUT is not supported here: use GET or HEAD'],
  ['a place that is none', { path: '/api/v1/truth' }, 404, 'nothing can be written at /api/v1/truth'],
  ['spans', { method: 'POST', path: '/v1/traces' }, 404, 'at the port for OTLP over HTTP'],
  ['a parameter that is empty', { path: '/api/v1/truth/' }, 404, 'nothing can be written'],
  ['a path that is not encoded right', { path: '/api/v1/truth/%ff' }, 400, 'percent-encoding'],
  ['a body that is a form', { headers: { 'content-type': 'text/plain' } }, 415, 'application/json, not text/plain'],
  ['another character set', { headers: { 'content-type': 'application/json; charset=latin1' } }, 415, 'UTF-8'],
  ['a body that is compressed', { headers: { 'content-encoding': 'gzip' } }, 415, 'content-encoding: gzip'],
  ['a body that is too large', { body: `{"right":${'1'.repeat(200)}}` }, 413, 'larger than the 100 bytes'],
  ['one that is and does not say so', { body: `{"right":${'1'.repeat(200)}}`, chunked: true }, 413, '100 bytes'],
  ['a body that is no JSON', { body: '{"right":' }, 400, 'not JSON'],
  ['bytes that are no text', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, 'not JSON'],
  ['a body of another shape', { body: '{"right":"x","also":1}' }, 400, 'right: '],
  ['a write that fails', { body: '{"right":1,"why":"broken"}' }, 500, 'the disk is full'],
] as const)('%s is answered with what was wrong', async ([_what, given, status, words]) => {
  const { send, written } = await start();

  const answer = await send(given);

  expect(answer.status).toBe(status);
  expect((JSON.parse(answer.text) as { error: string }).error + answer.text).toContain(words);
  expect(written).toEqual([]);
  expect((await send({})).status).toBe(202);
});

test('all mistakes of a body are said at once', async () => {
  const { send } = await start();

  const { text } = await send({ body: '{"right":"x","also":1,"why":2}' });

  const { problems } = JSON.parse(text) as { problems: string[] };
  expect(problems).toEqual([
    expect.stringMatching(/^right: /),
    expect.stringMatching(/^why: /),
    expect.stringMatching(/also/),
  ]);
});

test.for([
  ['a page of another site', { origin: 'https://evil.example' }],
  ['a page of another server on this machine', { origin: 'http://localhost:1' }],
  ['a page that hides where it is from', { origin: 'null' }],
  ['a page whose own name leads here', { host: 'evil.example:4319', origin: 'http://evil.example:4319' }],
  ['one that a proxy passes on', { 'x-forwarded-for': '10.0.0.9' }],
  ['one that another proxy passes on', { forwarded: 'for=10.0.0.9' }],
] as const)('without a token, %s may not write', async ([_what, headers]) => {
  const { send, written } = await start();

  expect((await send({ headers })).status).toBe(403);
  expect(written).toEqual([]);
});

test('a browser that asks whether it may send JSON gets no permission', async () => {
  const { send } = await start();

  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' };

  expect(await send({ method: 'OPTIONS', headers, body: '' })).toMatchObject({ status: 405, allow: 'PUT' });
});

test.for([
  ['10.0.0.9', undefined, undefined, 403],
  ['fe80::1', undefined, undefined, 403],
  ['::ffff:127.0.0.1', undefined, undefined, 202],
  ['::1', undefined, undefined, 202],
  ['10.0.0.9', TOKEN, undefined, 401],
  ['127.0.0.1', TOKEN, undefined, 401],
  ['127.0.0.1', TOKEN, 'Bearer another-one-of-this-length', 401],
  ['127.0.0.1', TOKEN, `Basic ${TOKEN}`, 401],
  ['10.0.0.9', TOKEN, `bearer ${TOKEN}`, 202],
] as const)(
  'from %s, with the token %s configured and %s sent: %i',
  async ([address, token, authorization, status]) => {
    const { routes: table, written } = routes();
    const routed = { routes: table, access: guardFor({ writeToken: token }).guard, onWrite: () => undefined };
    const headers = { host: 'localhost:4319', 'content-type': 'application/json', authorization };
    const parts = {
      method: 'PUT',
      url: '/api/v1/truth/c1',
      headers,
      rawHeaders: Object.entries(headers).flat(),
      httpVersion: '1.1',
      socket: { remoteAddress: address },
    };
    // The cast holds for what is asked of a request here.
    const request = Object.assign(Readable.from([Buffer.from('{"right":1}')]), parts) as unknown as IncomingMessage;

    const answer = await answerRequest(routed, request, {
      from: address,
      gone: new AbortController().signal,
      held: new HeldBytes().hold(address),
    });

    expect(answer.status).toBe(status);
    expect(written.length).toBe(status === 202 ? 1 : 0);
    expect(answer.body).not.toContain(TOKEN);
  },
);

test.for([
  ['//', 400],
  ['//evil.example/api/conversations', 400],
  ['http://[', 400],
  ['*', 404],
  ['/..//', 404],
] as const)('the path %s is answered with %i', async ([path, status]) => {
  const { send } = await start();

  expect((await send({ method: 'GET', path, body: '' })).status).toBe(status);
});

test.for([
  ['[', 200, 422],
  ['[', 201, 400],
  ['{"a":', 5000, 400],
  ['[', 100_000, 400],
] as const)('a body of %s nested %i deep is answered with %i', async ([open, depth, status]) => {
  const any: unknown[] = [];
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: [
      write(
        'PUT',
        '/any',
        'any',
        { takes: 'review' },
        writing(z.json(), async (_side, given) => {
          any.push(given);
          return { status: 422, value: {} };
        }),
      ),
    ],
    access: guardFor({}).guard,
    onWrite: () => undefined,
    onDropped: () => undefined,
  });
  onTestFinished(() => server.stop());
  const text = `${open.repeat(depth)}1${(open === '[' ? ']' : '}').repeat(depth)}`;

  const answer = await fetch(`http://127.0.0.1:${server.port}/any`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: text,
  });

  expect(answer.status).toBe(status);
  expect(any.length).toBe(status === 422 ? 1 : 0);
});

test('brackets in texts are not levels', async () => {
  const { send } = await start();

  expect((await send({ body: `{"right":1,"why":"${'['.repeat(30)}\\"{{"}` })).status).toBe(202);
});

test('the page that lists what there is lists what can be written', async () => {
  const { port } = await start();

  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();

  expect(page).toContain('PUT /api/v1/truth/<conversation>  what is right');
});
