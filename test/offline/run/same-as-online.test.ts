/** An experiment, the service, and `assay score` of the file evaluate the same spans identically, byte for byte. */
import path from 'node:path';
import { expect, test } from 'vitest';
import type { DatasetCase } from '../../../src/model/dataset.ts';
import type { CaseRun } from '../../../src/model/experiment.ts';
import { type EvaluationJson, toEvaluationJson } from '../../../src/model/evaluation-json.ts';
import { readDataset } from '../../../src/offline/datasets/read-dataset.ts';
import { scoreRecorded } from '../../../src/offline/score-recording.ts';
import { readRecording } from '../../../src/offline/recording.ts';
import { readSpansOf } from '../../../src/store/experiment/read-experiment.ts';
import { builtinSuites, defaultSettings } from '../../engine/log-driver.ts';
import { runService, type RunningService } from '../../serve/running-service.ts';
import { caseOf, SCRIPTED_COMMAND, tryAgent } from './running-experiment.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/release-gate');
const SUITES = ['default', 'scheduling', 'error-recovery'];

test.each([
  ['the OpenTelemetry SDK, with faults', path.join(EXAMPLE, 'agent.ts'), schedulingCases],
  ['an agent that names no conversations', SCRIPTED_COMMAND, scriptedCases],
])('online and offline, %s', { timeout: 90_000 }, async (_, agent, cases) => {
  const environment = {
    ...process.env,
    EXAMPLE_AGENT_REGRESS: 'wrong-time,skip-alternatives,loop,silent-crash',
    EXAMPLE_AGENT_REGRESS_RATE: '0.7',
  };
  const { folder, runs } = await tryAgent(agent, cases(), { suiteNames: SUITES, environment });
  const truths = new Map(runs.map((run) => [run.conversationId, truthOf(run, cases())]));
  const kept = runs.flatMap(({ evaluations }) => evaluations.map((one) => textOf(toEvaluationJson(one)))).sort();

  const { evaluations: offline } = await scoreRecorded({
    batches: readRecording(path.join(folder, 'spans.otlp')),
    suites: await builtinSuites(SUITES),
    settings: defaultSettings(),
    truthOf: (conversation) => truths.get(conversation),
  });
  const service = await runService({ suites: SUITES });
  for (const [conversation, truth] of truths) if (truth !== undefined) await put(service, conversation, truth);
  for (const run of runs) for (const message of readSpansOf(folder, run).traces) await send(service, message);
  const online = await allEvaluations(service, runs, kept.length);

  expect(kept.length).toBeGreaterThanOrEqual(runs.length);
  expect(offline.map((one) => textOf(toEvaluationJson(one))).sort()).toEqual(kept);
  expect(online.map(textOf).sort()).toEqual(kept);
});

function schedulingCases(): readonly DatasetCase[] {
  const { dataset } = readDataset(path.join(EXAMPLE, 'scheduling.cases.yaml'));
  return dataset?.cases.slice(0, 12) ?? [];
}

function scriptedCases(): readonly DatasetCase[] {
  return [
    caseOf('one', { do: ['spans'] }),
    caseOf('pieces', { do: ['pieces'] }),
    caseOf('two', { do: ['two-traces'] }),
    caseOf('told', { do: ['joined'] }),
    caseOf('half', { do: ['half', 'crash'] }),
    caseOf('said', { do: ['messages'] }),
  ];
}

function truthOf(run: CaseRun, cases: readonly DatasetCase[]) {
  return cases.find(({ id }) => id === run.case)?.truth;
}

function textOf(evaluation: EvaluationJson): string {
  return JSON.stringify(evaluation);
}

async function put(service: RunningService, conversation: string, truth: unknown): Promise<void> {
  const url = `${service.http}/v1/truth/${encodeURIComponent(conversation)}`;
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(truth) });
  expect(response.status).toBe(200);
}

async function send(service: RunningService, message: Uint8Array): Promise<void> {
  const headers = { 'content-type': 'application/x-protobuf' };
  const response = await fetch(`${service.otlp}/v1/traces`, { method: 'POST', headers, body: Buffer.from(message) });
  expect(response.status).toBe(200);
}

async function allEvaluations(service: RunningService, runs: readonly CaseRun[], count: number) {
  for (;;) {
    const found: EvaluationJson[] = [];
    for (const { conversationId } of runs) {
      const response = await fetch(`${service.http}/api/conversations/${encodeURIComponent(conversationId)}`);
      if (!response.ok) continue;
      // The cast is what the API gives.
      found.push(...((await response.json()) as { readonly evaluations: readonly EvaluationJson[] }).evaluations);
    }
    if (found.length >= count) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
