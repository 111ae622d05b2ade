/**
 * Redaction through the whole service: the secrets sent are nowhere on its disk, whichever way they came, and the
 * offline commands give the same result for the same recording as the service.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { BUILT_IN_PATTERNS } from '../../src/model/redaction.ts';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import { readRecording } from '../../src/offline/recording.ts';
import { toReportJson } from '../../src/report/documents/report-json.ts';
import { RequestRedactor } from '../../src/redact/request-redactor.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { encodeTable } from '../../src/otlp/batch-table.ts';
import { keyValues } from '../normalize/support/otlp.ts';
import { SECRETS } from '../redact/redacting.ts';
import { tempDirectory } from '../temp-directory.ts';
import { builtinSuites, defaultSettings } from '../engine/log-driver.ts';
import { metricsOf, type RunningService, runService, sumOf } from './running-service.ts';

const REDACTION = {
  patterns: BUILT_IN_PATTERNS,
  custom: [{ name: 'employee', pattern: 'EMP-[0-9]{6}' }],
  keys: ['http.request.header.*'],
  hashUserIds: true,
};
const USER = 'user-4711-of-the-tests';
const COOKIE = 'cookie-of-the-tests';
const PASSWORD = 'hunter-of-the-tests-2';
const URL_PASSWORD = 'S3cr3t-of-the-tests';
/** Secrets that must be nowhere. */
const PLAIN = [
  ...Object.values(SECRETS)
    .flat()
    .map((secret) => secret.replace(/^(?:bearer|basic) /i, '')),
  USER,
  COOKIE,
  PASSWORD,
  URL_PASSWORD,
];
const NAMED = [`password=${PASSWORD}`, `postgres://app:${URL_PASSWORD}@db/x`];
const EVERYTHING = [...Object.values(SECRETS).flat(), ...NAMED].join(' | ');

function ids(number: number) {
  return { traceId: number.toString(16).padStart(32, '0'), spanId: number.toString(16).padStart(16, '0') };
}

/** One turn with secrets in every place that a text can have; `filler` makes it as large as needed. */
function tracesJson(number: number, filler = ''): string {
  const message = (role: string, text: string) => JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }]);
  const attributes = keyValues([
    ['gen_ai.operation.name', 'invoke_agent'],
    ['gen_ai.conversation.id', `conversation-${number}`],
    ['gen_ai.input.messages', message('user', `Mine are "${EVERYTHING}"\n${EVERYTHING}${filler}`)],
    ['gen_ai.output.messages', message('assistant', `Noted:\t${JSON.stringify({ all: EVERYTHING })}`)],
    ['user.id', USER],
    ['http.request.header.cookie', [COOKIE]],
    ['nested', { list: [EVERYTHING, { [SECRETS.email[0]]: EVERYTHING }] }],
  ]);
  const span = {
    ...ids(number),
    name: `invoke_agent ${EVERYTHING}`,
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    attributes,
    events: [{ name: EVERYTHING, attributes: keyValues([['exception.message', EVERYTHING]]) }],
    status: { code: 2, message: EVERYTHING },
  };
  const rejected = { ...span, spanId: '' };
  const resource = { attributes: keyValues([['process.command_args', EVERYTHING]]) };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span, rejected] }] }] });
}

function logsJson(number: number): string {
  const record = {
    ...ids(number),
    eventName: 'gen_ai.user.message',
    body: { kvlistValue: { values: keyValues([['content', EVERYTHING]]) } },
    attributes: keyValues([['user.id', USER]]),
  };
  return JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
}

async function post(
  running: RunningService,
  signal: 'traces' | 'logs',
  format: 'json' | 'protobuf',
  json: string,
): Promise<void> {
  const transcode = signal === 'traces' ? transcodeTraces : transcodeLogs;
  const body = format === 'json' ? json : new Uint8Array(transcode(Buffer.from(json)));
  const type = format === 'json' ? 'application/json' : 'application/x-protobuf';
  const response = await fetch(`${running.otlp}/v1/${signal}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  expect(response.status).toBe(200);
}

async function call(running: RunningService, service: string, bytes: Uint8Array): Promise<void> {
  const client = new Client(`127.0.0.1:${running.service.ports.otlpGrpc}`, credentials.createInsecure());
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const identity = (value: Buffer) => value;
  const method = `/opentelemetry.proto.collector.${service}/Export`;
  client.makeUnaryRequest(method, identity, identity, Buffer.from(bytes), (error) =>
    error === null ? resolve() : reject(error),
  );
  await promise;
  client.close();
}

function bytesUnder(directory: string): Buffer {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => path.join(directory, name));
  return Buffer.concat(files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file)));
}

test('secrets of every kind, sent in every way and place, are nowhere in the data directory', async () => {
  const dataDir = tempDirectory();
  const running = await runService({ suites: ['default'], dataDir, redaction: REDACTION });
  await post(running, 'traces', 'json', tracesJson(1));
  await post(running, 'traces', 'protobuf', tracesJson(2));
  await call(running, 'trace.v1.TraceService', transcodeTraces(Buffer.from(tracesJson(3))));
  // Large enough to be read on the other thread.
  await post(running, 'traces', 'json', tracesJson(4, 'x'.repeat(2 << 20)));
  await post(running, 'logs', 'json', logsJson(1));
  await post(running, 'logs', 'protobuf', logsJson(2));
  await call(running, 'logs.v1.LogsService', transcodeLogs(Buffer.from(logsJson(3))));
  while (sumOf(await metricsOf(running), 'assay_evaluations_total') < 4)
    await new Promise((done) => setTimeout(done, 50));

  const metrics = await metricsOf(running);
  await running.service.stop();

  const stored = bytesUnder(dataDir);
  expect(stored.includes('conversation-4')).toBe(true);
  expect(PLAIN.filter((plain) => stored.includes(plain))).toEqual([]);
  for (const pattern of [...BUILT_IN_PATTERNS, 'employee', 'key', 'user_id']) {
    expect(stored.includes(pattern === 'user_id' ? 'hmac:' : `[REDACTED:${pattern}]`), pattern).toBe(true);
    expect(metrics.get(`assay_redactions_total{pattern="${pattern}"}`), pattern).toBeGreaterThan(0);
  }
}, 60_000);

test('the salt stays with the data, so that a user is the same user after a restart', async () => {
  const dataDir = tempDirectory();
  const hashes = [];
  for (const number of [1, 2]) {
    const running = await runService({ suites: ['default'], dataDir, redaction: REDACTION });
    await post(running, 'traces', 'json', tracesJson(number));
    while (sumOf(await metricsOf(running), 'assay_evaluations_total') < number)
      await new Promise((done) => setTimeout(done, 50));
    await running.service.stop();
    hashes.push(
      ...(bytesUnder(dataDir)
        .toString('latin1')
        .match(/hmac:[0-9a-f]{32}/g) ?? []),
    );
  }

  expect(hashes.length).toBeGreaterThan(1);
  expect(new Set(hashes).size).toBe(1);
  expect(statSync(path.join(dataDir, 'redaction-salt')).mode & 0o777).toBe(0o600);
}, 60_000);

test('offline, the same recording is redacted alike: nothing of it is in the evaluations, and nothing is written', async () => {
  const dataDir = tempDirectory();
  const settings = { ...defaultSettings(), dataDir, redaction: { ...REDACTION, salt: undefined } };
  const index = indexTraces(transcodeTraces(Buffer.from(tracesJson(1))));
  const batch = {
    signal: 'traces',
    bytes: index.bytes,
    table: encodeTable(index),
    rows: 1,
    rejected: 1,
    logTime: 0,
  } as const;

  const result = await scoreRecorded({ batches: [batch], suites: await builtinSuites(['default']), settings });

  expect(result.evaluations).toHaveLength(1);
  expect(result).toMatchObject({ records: 1, rejected: 1 });
  const said = JSON.stringify(toReportJson(result.evaluations));
  expect(PLAIN.filter((plain) => said.includes(plain))).toEqual([]);
  expect(readdirSync(dataDir)).toEqual([]);
});

test('an answer that was nothing but a secret is not judged, one with a secret in it is', async () => {
  const settings = { ...defaultSettings(), redaction: { ...REDACTION, salt: undefined } };
  const spanOf = (number: number, answer: string) => ({
    ...ids(number),
    name: 'invoke_agent helper',
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    attributes: keyValues([
      ['gen_ai.operation.name', 'invoke_agent'],
      ['gen_ai.conversation.id', `conversation-${number}`],
      ['gen_ai.input.messages', JSON.stringify([{ role: 'user', content: 'What is the address?' }])],
      ['gen_ai.output.messages', JSON.stringify([{ role: 'assistant', content: answer }])],
    ]),
  });
  const spans = [spanOf(1, 'bob@example.com'), spanOf(2, 'It is bob@example.com, as you asked.')];
  const json = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const index = indexTraces(transcodeTraces(Buffer.from(json)));
  const batch = {
    signal: 'traces',
    bytes: index.bytes,
    table: encodeTable(index),
    rows: 2,
    rejected: 0,
    logTime: 0,
  } as const;

  const { evaluations } = await scoreRecorded({ batches: [batch], suites: await builtinSuites(['default']), settings });

  const said = evaluations.map(({ conversationId, verdicts }) => ({
    conversationId,
    redacted: [...verdicts.values()].filter(
      ({ verdict, reason }) => verdict === 'not_applicable' && reason.includes('is redacted'),
    ).length,
  }));
  expect(said.find(({ conversationId }) => conversationId === 'conversation-1')?.redacted).toBeGreaterThan(0);
  expect(said.find(({ conversationId }) => conversationId === 'conversation-2')?.redacted).toBe(0);
});

test('in what frameworks really export, nothing but addresses is taken for a secret', async () => {
  const folder = path.resolve(import.meta.dirname, '../fixtures/recorded');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !name.endsWith('.expected.json'))
    .map((name) => path.join(folder, name));
  const patterns = BUILT_IN_PATTERNS.filter((pattern) => pattern !== 'email');
  const redactor = new RequestRedactor({
    patterns,
    custom: [],
    keys: [],
    userIds: undefined,
    identifiers: [],
    salt: '',
  });
  const changed: string[] = [];

  for (const file of files) {
    for await (const { signal, bytes } of readRecording(file)) {
      if (redactor.redact(signal, bytes) !== undefined) changed.push(file);
    }
  }

  expect(files.length).toBeGreaterThan(100);
  expect(changed).toEqual([]);
});
