/** From spans to a webhook and back, in a running service with shortened windows. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { detectionRecordSchema, type DetectionRecord } from '../../src/report/webhooks/detection-record.ts';
import { assayHere } from '../assay-here.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from './running-service.ts';

const SUITE = `suite: care
version: "1"
scope: turn
criteria:
  - { name: right, question: Did it look before it answered?, weight: 0.6, check: size(steps) > 2 }
  - { name: there, question: Did it answer?, weight: 0.4, check: size(steps) > 0 }
`;

async function receiver() {
  const records: DetectionRecord[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      records.push(detectionRecordSchema.parse(JSON.parse(Buffer.concat(parts).toString())));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // The cast holds for a server that listens on a port.
  return { records, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function detect(url: string, ...more: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await assayHere(['detect', ...more, '--url', url]);
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

let lastTrace = 0;

/** Turns, some of which look nothing up before they answer. */
async function send(running: RunningService, version: string, passed: readonly boolean[]): Promise<void> {
  const spans = passed.flatMap((looks) => {
    lastTrace += 1;
    const traceId = lastTrace.toString(16).padStart(32, '0');
    const span = (number: number, operation: string) => ({
      traceId,
      spanId: `${lastTrace.toString(16)}${number}`.padStart(16, '0'),
      ...(number === 0 ? {} : { parentSpanId: `${lastTrace.toString(16)}0`.padStart(16, '0') }),
      name: operation,
      kind: 1,
      startTimeUnixNano: '1790000000000000000',
      endTimeUnixNano: '1790000001000000000',
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: operation } },
        { key: 'gen_ai.agent.name', value: { stringValue: 'helper' } },
        { key: 'gen_ai.tool.name', value: { stringValue: 'look' } },
      ],
    });
    return [...(looks ? [span(2, 'execute_tool')] : []), span(1, 'chat'), span(0, 'invoke_agent')];
  });
  const attributes = [
    { key: 'service.version', value: { stringValue: version } },
    { key: 'deployment.environment.name', value: { stringValue: 'prod' } },
  ];
  const response = await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] }),
  });
  expect(response.status).toBe(200);
}

test('an agent gets worse and well again: a webhook is told agent, version, fall and criterion, and that it is over', async () => {
  const directory = tempDirectory();
  writeFileSync(path.join(directory, 'care.yaml'), SUITE);
  const { records, url } = await receiver();
  const running = await runService({
    suites: ['./care.yaml'],
    dataDir: directory,
    detection: {
      falseAlarmsPerMonth: 100,
      learnConversations: 100,
      learnHistoryMs: 1000,
      baselineMemoryMs: 3_600_000,
      baselineGapMs: 1200,
      recoveredMs: 500,
    },
    alerts: {
      webhooks: [{ name: 'test', key: 'k', url, format: 'json', secret: undefined, on: ['regressed', 'recovered'] }],
    },
  });
  const random = randomFrom(3);
  const isTcr = 'metric="tcr"';
  async function sendUntil(version: string, share: number, state: string): Promise<void> {
    for (;;) {
      await send(
        running,
        version,
        Array.from({ length: 40 }, () => random() < share),
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (sumOf(await metricsOf(running), 'assay_detector_state', isTcr, `state="${state}"`) === 1) return;
    }
  }
  const toldOf = (kind: string) => records.find((record) => record.kind === kind && record.metric === 'tcr');
  const untilTold = async (kind: string) => {
    while (toldOf(kind) === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
    return toldOf(kind);
  };

  await sendUntil('v1', 0.95, 'learning');
  const early = await detect(running.http);
  await sendUntil('v1', 0.95, 'ok');
  const usual = await detect(running.http);
  // The cast holds for this API.
  const watched = (await (await fetch(`${running.http}/api/detection`)).json()) as {
    readonly levels: readonly { readonly state_since: string | null }[];
  };
  await sendUntil('v2', 0.4, 'regressed');
  const regressed = await untilTold('regressed');
  // The cast holds for this API.
  const asked = (await (await fetch(`${running.http}/api/detection`)).json()) as {
    readonly problems: readonly { readonly metric: string; readonly worst_conversations: readonly unknown[] }[];
  };
  const printed = await detect(running.http);
  await sendUntil('v3', 0.95, 'recovered');
  const recovered = await untilTold('recovered');

  expect(early).toContain('Too early to tell: no detector knows yet what is usual.');
  expect(early).not.toContain('Nothing has got worse');
  expect(usual).toMatch(/^No alarm\.\nToo early to tell for \d+ of \d+ detectors/);
  expect(watched.levels.filter(({ state_since }) => state_since?.startsWith('1970') === true)).toEqual([]);
  expect(regressed).toMatchObject({ suite: 'care', agent: 'helper', environment: 'prod', to: 'regressed' });
  expect(regressed?.change_ratio).toBeLessThan(-0.1);
  expect(regressed?.parts[0]).toMatchObject({ part: 'criterion', criterion: 'right' });
  expect(regressed?.where[0]).toMatchObject({ agent_version: 'v2' });
  expect(regressed?.worst_conversations.length).toBeGreaterThan(0);
  expect(asked.problems.find(({ metric }) => metric === 'tcr')?.worst_conversations.length).toBeGreaterThan(0);
  expect(printed).toMatch(/^regressed +tcr +helper in prod, suite care$/m);
  expect(printed).toMatch(
    /^ +Mean score as counted, whatever was asked, from 0\.\d+ to 0\.\d+: −\d+\.\d points, of which\n +−\d+\.\d points {2}right$/m,
  );
  expect(printed).toMatch(/version v2: \d+ of the latest \d+ without a good outcome/);
  expect(printed).toMatch(/look at +npx assay explain trace:[0-9a-f]{32} /);
  expect(recovered).toMatchObject({ agent: 'helper', from: 'regressed', to: 'recovered' });
  expect(running.lines.some((line) => line.includes('"to":"regressed"') && line.includes('helper'))).toBe(true);
  expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);

  await sendUntil('v4', 0.4, 'regressed');
  const acceptedNow = await detect(running.http, 'accept', '--agent', 'helper', '--suite', 'care');
  await expect(detect(running.http, 'accept', '--agent', 'helper', '--suite', 'crae')).rejects.toThrow(
    /answered 404: no level of agent "helper" and suite "crae" that matches is watched/,
  );
  await sendUntil('v4', 0.4, 'ok');
  await expect(
    detect(running.http, 'accept', '--agent', 'helper', '--suite', 'care', '--metric', 'tcr'),
  ).rejects.toThrow(/answered 409: none of these levels is regressed[\s\S]*tcr: ok/);

  expect(acceptedNow).toMatch(/^accepted +tcr +helper in prod, suite care: 0\.\d+ instead of 0\.9\d*$/m);
  expect(acceptedNow).toMatch(/^accepted +criterion right /m);
  expect(running.lines.some((line) => line.includes('levels accepted'))).toBe(true);
  // Each evaluation has been observed once.
  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_detection_observations')).toBeLessThanOrEqual(sumOf(metrics, 'assay_evaluations_total'));
}, 120_000);
