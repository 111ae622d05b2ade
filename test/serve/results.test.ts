/**
 * Results over a real HTTP server that plays the backend. Events that it refuses, delays or loses must be retried, and
 * there must be no feedback loop.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { type TrafficConversation, exportRequest, traffic } from '../simulation/traffic.ts';
import { startProvider, YES } from '../ask/provider.ts';
import { freePorts } from '../free-ports.ts';
import { type CarrierSpan, spansIn, startLogsBackend, type LogsRequest, LOGS_PATH } from '../otlp-logs-backend.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from './running-service.ts';

async function send(running: RunningService, conversations: readonly TrafficConversation[]): Promise<void> {
  for (const { turns, agentVersion } of conversations) {
    for (const turn of turns) {
      const body = exportRequest(turn, agentVersion);
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
    }
  }
}

async function until(claim: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 50));
}

function to(url: string) {
  return {
    url,
    format: 'opentelemetry' as const,
    project: undefined,
    headers: { authorization: 'Bearer of tidings' },
    timeoutMs: 2000,
  };
}

const wholes = (requests: readonly LogsRequest[]) =>
  requests.flatMap(({ events }) => events.filter(({ attributes }) => attributes['assay.evaluator.id'] === 'default'));
const CONVERSATIONS = [...traffic({ seed: 4, conversations: 6, endMarks: 'all' })];
const TURNS = CONVERSATIONS.reduce((sum, { turns }) => sum + turns.length, 0);

test('each verdict and each evaluation is an event on the span of its turn, and comes when the backend is well again', async () => {
  const { url, taken } = await startLogsBackend((_, number) => (number < 2 ? 503 : 200));
  const running = await runService({ suites: ['default'], results: to(url) });
  await send(running, CONVERSATIONS);

  await until(() => wholes(taken).length >= TURNS);

  expect(wholes(taken)).toHaveLength(TURNS);
  expect(taken[0]?.url).toBe(LOGS_PATH);
  expect(taken[0]?.headers).toMatchObject({
    'content-type': 'application/x-protobuf',
    'content-encoding': 'gzip',
    authorization: 'Bearer of tidings',
  });
  const [conversation] = CONVERSATIONS;
  const [turn] = conversation?.turns ?? [];
  const root = turn?.find(({ parentSpanId }) => parentSpanId === undefined);
  const about = taken.flatMap(({ events }) => events).filter(({ traceId }) => traceId === root?.traceId);
  const [whole, ...verdicts] = about;
  expect(new Set(about.map(({ spanId }) => spanId))).toEqual(new Set([root?.spanId]));
  expect(new Set(about.map(({ eventName, scope }) => `${scope} ${eventName}`))).toEqual(
    new Set(['assay gen_ai.evaluation.result']),
  );
  expect(whole?.attributes).toMatchObject({
    'gen_ai.evaluation.name': 'default',
    'gen_ai.conversation.id': conversation?.id,
    'assay.scope': 'turn',
    'assay.revision': 1,
  });
  const answer = await fetch(`${running.http}/api/conversations/${conversation?.id}`);
  // The cast holds for this API.
  const { evaluations } = (await answer.json()) as {
    evaluations: readonly { readonly turn_id: string; readonly score: number; readonly outcome: string }[];
  };
  const stored = evaluations.find(({ turn_id }) => turn_id === whole?.attributes['assay.turn.id']);
  expect([
    whole?.attributes['gen_ai.evaluation.score.label'],
    whole?.attributes['gen_ai.evaluation.score.value'],
  ]).toEqual([stored?.outcome, stored?.score]);
  expect(verdicts.length).toBeGreaterThan(2);
  for (const { attributes } of verdicts) {
    expect(attributes['assay.evaluator.id']).toBe(`default/${String(attributes['gen_ai.evaluation.name'])}`);
    const label = attributes['gen_ai.evaluation.score.label'];
    expect(attributes['gen_ai.evaluation.score.value']).toBe(label === 'pass' ? 1 : label === 'fail' ? 0 : undefined);
    expect(attributes['gen_ai.evaluation.explanation']).not.toBe('');
  }
  await until(async () => sumOf(await metricsOf(running), 'assay_results_total', 'fate="sent"') === TURNS);
  expect(sumOf(await metricsOf(running), 'assay_failures_total', 'part="results"')).toBe(2);
});

test('what a backend refuses for good is left out, and only that', async () => {
  const bad = CONVERSATIONS[2]?.id;
  const isBad = ({ events }: LogsRequest) =>
    events.some(({ attributes }) => attributes['gen_ai.conversation.id'] === bad);
  const { url, taken } = await startLogsBackend((request) => (isBad(request) ? 400 : 200));
  const running = await runService({ suites: ['default'], results: to(url) });
  await send(running, CONVERSATIONS);
  const badTurns = CONVERSATIONS[2]?.turns.length ?? 0;

  await until(async () => {
    const metrics = await metricsOf(running);
    return sumOf(metrics, 'assay_results_total') === TURNS;
  });

  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_results_total', 'fate="refused"')).toBe(badTurns);
  expect(sumOf(metrics, 'assay_results_total', 'fate="sent"')).toBe(TURNS - badTurns);
  expect(wholes(taken)).toHaveLength(TURNS - badTurns);
});

test('what could not be sent before a restart is sent after it', async () => {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}${LOGS_PATH}`;
  const dataDir = tempDirectory();
  const before = await runService({ suites: ['default'], dataDir, results: to(url) });
  await send(before, CONVERSATIONS);
  await until(async () => sumOf(await metricsOf(before), 'assay_evaluations_total') === TURNS);
  await before.service.stop();

  const { taken } = await startLogsBackend(() => 200, port);
  await runService({ suites: ['default'], dataDir, results: to(url) });

  await until(() => wholes(taken).length >= TURNS);
  expect(wholes(taken)).toHaveLength(TURNS);
});

test('sent to Assay itself, they end there: nothing is evaluated again', async () => {
  const other = await runService({ suites: ['default'] });
  const running = await runService({ suites: ['default'], results: to(`${other.otlp}${LOGS_PATH}`) });
  await send(running, CONVERSATIONS);
  // The spans are there as well, so that an event could find its turn.
  await send(other, CONVERSATIONS);

  await until(async () => sumOf(await metricsOf(running), 'assay_results_total', 'fate="sent"') === TURNS);
  await until(async () => sumOf(await metricsOf(other), 'assay_evaluations_total') === TURNS);
  // No more events must come. This can only be tested by waiting: twice as long as sending and scoring took.
  await new Promise((resolve) => setTimeout(resolve, 1500));

  expect(sumOf(await metricsOf(other), 'assay_evaluations_total')).toBe(TURNS);
  expect(sumOf(await metricsOf(other), 'assay_evaluations_revised_total')).toBe(0);
});

const WHOLE = `suite: whole
version: "1"
scope: conversation
criteria:
  - { name: short, question: Was it short?, weight: 1, check: size(turns) < 100 }
`;

/** A fake Phoenix: takes traces as protobuf, and loses the first answer. */
async function startTracesBackend() {
  const requests: CarrierSpan[][] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      requests.push(spansIn(gunzipSync(Buffer.concat(parts))));
      response.writeHead(requests.length === 1 ? 503 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  // The cast holds for a server that listens on a port.
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` };
}

test('as OpenInference each evaluation is a span of its own that links to the one it is about, the same when it is sent again', async () => {
  const { requests, url } = await startTracesBackend();
  const results = { ...to(url), format: 'openinference' as const, project: 'shop' };
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'whole.yaml'), WHOLE);
  const running = await runService({ suites: ['default', './whole.yaml'], dataDir, results });
  await send(running, CONVERSATIONS);
  const kind = (key: string) => (span: CarrierSpan) => span.attributes[`${key}.0.evaluation.name`] !== undefined;
  const taken = () => requests.slice(1).flat();

  await until(
    () =>
      taken().filter(kind('evaluations')).length >= TURNS &&
      taken().filter(kind('session.evaluations')).length >= CONVERSATIONS.length,
  );

  const spans = taken();
  const again = requests[0]?.map(({ spanId }) => spanId) ?? [];
  expect(again.length).toBeGreaterThan(0);
  expect(spans.map(({ spanId }) => spanId)).toEqual(expect.arrayContaining(again));
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(TURNS + CONVERSATIONS.length);
  expect(spans.filter(({ parentSpanId, scope }) => parentSpanId !== '' || scope !== 'assay')).toEqual([]);
  expect(spans[0]?.resource).toMatchObject({ 'service.name': 'assay', 'openinference.project.name': 'shop' });
  const roots = CONVERSATIONS.flatMap(({ turns }) => turns).map((turn) => {
    const root = turn.find(({ parentSpanId }) => parentSpanId === undefined);
    return { traceId: root?.traceId, spanId: root?.spanId };
  });
  for (const { attributes, links } of spans.filter(kind('evaluations'))) {
    expect(links).toHaveLength(1);
    expect(roots).toContainEqual(links[0]);
    expect(attributes['openinference.span.kind']).toBe('EVALUATOR');
    expect(attributes['evaluations.0.evaluation.name']).toBe('default');
    expect(attributes['evaluations.1.evaluation.identifier']).toBe(
      `default/${String(attributes['evaluations.1.evaluation.name'])}`,
    );
    const label = attributes['evaluations.1.evaluation.label'];
    expect(attributes['evaluations.1.evaluation.score']).toBe(label === 'pass' ? 1 : label === 'fail' ? 0 : undefined);
    expect(attributes['evaluations.1.evaluation.annotator_kind']).toBe('CODE');
    expect(JSON.parse(String(attributes['evaluations.1.evaluation.metadata']))).toMatchObject({
      suite: 'default',
      revision: 1,
      evaluator_version: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
  }
  const sessions = spans.filter(kind('session.evaluations'));
  expect(new Set(sessions.map(({ attributes }) => attributes['session.id']))).toEqual(
    new Set(CONVERSATIONS.map(({ id }) => id)),
  );
  expect(sessions.flatMap(({ links }) => links)).toEqual([]);
}, 60_000);

test('OpenInference sent to Assay itself ends there as well', async () => {
  const other = await runService({ suites: ['default'] });
  const results = { ...to(`${other.otlp}/v1/traces`), format: 'openinference' as const };
  const running = await runService({ suites: ['default'], results });
  await send(running, CONVERSATIONS);

  await until(async () => sumOf(await metricsOf(running), 'assay_results_total', 'fate="sent"') === TURNS);
  await send(other, CONVERSATIONS);
  await until(async () => sumOf(await metricsOf(other), 'assay_evaluations_total') >= TURNS);

  const metrics = await metricsOf(other);
  expect(sumOf(metrics, 'assay_received_records_total', 'signal="traces"')).toBeGreaterThan(TURNS);
  expect(sumOf(metrics, 'assay_evaluations_total')).toBe(TURNS);
  expect(sumOf(metrics, 'assay_turns_closed_total')).toBe(TURNS);
  expect(sumOf(metrics, 'assay_open_turns')).toBe(0);
});

const JUDGED = (check: string) => `suite: manners
version: "1"
scope: turn
criteria:
  - { name: there, question: Is anything there?, weight: 0.5, check: ${check} }
  - { name: kind, question: Was it kind?, weight: 0.5, judge: default }
`;

test('an event says which evaluator: a hash of what it says, and the judge, its model and its version', async () => {
  const { url, taken } = await startLogsBackend(() => 200);
  const provider = await startProvider(() => ({ say: YES }));
  const eventsOf = async (check: string) => {
    const dataDir = tempDirectory();
    writeFileSync(path.join(dataDir, 'manners.yaml'), JUDGED(check));
    writeFileSync(
      path.join(dataDir, 'assay.yaml'),
      `judges: { default: { provider: openai, model: m, base_url: ${provider.url}, requests_per_minute: 10000 } }\n`,
    );
    taken.length = 0;
    const running = await runService({ suites: ['./manners.yaml'], dataDir, results: to(url) });
    await send(running, CONVERSATIONS.slice(0, 1));
    await until(() => taken.flatMap(({ events }) => events).length >= 3);
    await running.service.stop();
    const events = taken.flatMap(({ events: some }) => some).map(({ attributes }) => attributes);
    return new Map(events.map((attributes) => [String(attributes['assay.evaluator.id']), attributes]));
  };

  const before = await eventsOf('size(steps) > 0');
  const after = await eventsOf('size(steps) > 1');

  const versions = (id: string) => [before, after].map((events) => events.get(id)?.['assay.evaluator.version']);
  for (const id of ['manners', 'manners/there', 'manners/kind'])
    for (const version of versions(id)) expect(version).toMatch(/^[0-9a-f]{12}$/);
  expect(new Set(versions('manners/there')).size).toBe(2);
  expect(new Set(versions('manners')).size).toBe(2);
  expect(new Set(versions('manners/kind')).size).toBe(1);
  expect(before.get('manners/kind')).toMatchObject({
    'assay.suite.version': '1',
    'assay.judge.name': 'default',
    'assay.judge.model': 'played-1',
    'assay.judge.version': expect.stringMatching(/^[0-9a-f]{12}$/),
  });
  expect(before.get('manners/there')).not.toHaveProperty('assay.judge.name');
}, 60_000);
