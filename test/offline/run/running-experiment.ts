/** An experiment in the test's own process, in a folder that is gone after the test. */
import path from 'node:path';
import { loadSettings } from '../../../src/config/settings.ts';
import { type AgentTarget, readAgentTarget } from '../../../src/agent-runner/agent-target.ts';
import type { DatasetCase } from '../../../src/model/dataset.ts';
import type { CaseRun, Experiment } from '../../../src/model/experiment.ts';
import type { Json } from '../../../src/model/json.ts';
import { offlineRedaction } from '../../../src/engine/redaction-rules.ts';
import { experimentSuite } from '../../../src/offline/run/experiment-suite.ts';
import { type ExperimentEnd, runExperiment, type RunsWanted } from '../../../src/offline/run/run-experiment.ts';
import { planRuns } from '../../../src/offline/run/run-plan.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import { createExperiment } from '../../../src/store/experiment/experiment-folder.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { BUILTIN } from '../../engine/log-driver.ts';

export const SCRIPTED = path.join(import.meta.dirname, 'scripted-agent.ts');
export const SCRIPTED_COMMAND = `${process.execPath} ${SCRIPTED}`;

export interface Ran {
  readonly end: ExperimentEnd;
  readonly runs: readonly CaseRun[];
  readonly experiment: Experiment;
  readonly folder: string;
}

export function caseOf(id: string, input: Json, more: Partial<DatasetCase> = {}): DatasetCase {
  const common = { truth: undefined, golden: undefined, tags: [], from: undefined, line: undefined };
  return { ...common, id, turns: [input], fingerprint: 'f'.repeat(64), ...more };
}

/** A case for an agent that follows its instructions. */
export function doing(id: string, ...what: readonly string[]): DatasetCase {
  return caseOf(id, { do: what });
}

export async function tryAgent(
  agent: string,
  cases: readonly DatasetCase[],
  wanted: Partial<RunsWanted> & { readonly repeats?: number; readonly suiteNames?: readonly string[] } = {},
): Promise<Ran> {
  const directory = tempDirectory();
  const { settings } = loadSettings({ flags: {}, env: { ASSAY_DATA_DIR: directory }, cwd: directory });
  const { suites } = await loadSuites(wanted.suiteNames ?? ['default'], { baseDir: directory, builtinDir: BUILTIN });
  const target = readAgentTarget(agent, directory);
  if ('problem' in target) throw new Error(target.problem);
  const repeats = wanted.repeats ?? 1;
  const folder = createExperiment(path.join(directory, 'experiments'), {
    ...experimentFor(target, cases, repeats),
    suites: suites.map((suite) => experimentSuite(suite, directory)),
  });
  try {
    const end = await runExperiment({
      folder,
      target,
      parts: [planRuns(cases, { repeats, seed: 1 })],
      places: 2,
      settings,
      suites,
      judges: undefined,
      spansWithinMs: 10_000,
      redaction: offlineRedaction(settings),
      timeoutMs: 20_000,
      settleMs: 100,
      headers: {},
      otlpPort: 0,
      cwd: directory,
      environment: process.env,
      stop: new AbortController().signal,
      abandon: new AbortController().signal,
      onStarted: () => {},
      onKept: () => {},
      onAbandoned: () => {},
      ...wanted,
    });
    return { end, runs: folder.runs, experiment: folder.experiment, folder: folder.folder };
  } finally {
    folder.close();
  }
}

function experimentFor(target: AgentTarget, cases: readonly DatasetCase[], repeats: number): Experiment {
  return {
    id: 'experiment-1',
    name: 'test',
    startedAt: '2026-03-09T10:00:00.000Z',
    endedAt: undefined,
    dataset: { name: 'test', version: '1', file: 'test.cases.yaml', fingerprint: '0'.repeat(64), cases: cases.length },
    agent: { kind: target.kind, target: 'test', version: undefined },
    git: undefined,
    suites: [],
    repeats,
    seed: 1,
    assayVersion: 'test',
  };
}
