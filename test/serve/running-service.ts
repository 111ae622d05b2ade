/** The service in the test's own process, on free ports with short times and small files. Stops with the test, or with the tests that share it. */
import { expect } from 'vitest';
import { loadSettings, type Settings } from '../../src/config/settings.ts';
import { type Service, startService } from '../../src/serve/service.ts';
import { Log } from '../../src/report/log/log.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import { parseMetrics } from '../simulation/scraped-totals.ts';
import { exportRequest, type TrafficSpan } from '../simulation/traffic.ts';
import { whenDone } from '../for-file.ts';
import { tempDirectory } from '../temp-directory.ts';
import { BUILTIN } from '../engine/log-driver.ts';

export interface RunningService {
  readonly service: Service;
  readonly otlp: string;
  readonly http: string;
  /** The log so far. */
  readonly lines: string[];
}

const TIMES = { ASSAY_TURN_SETTLE: '100ms', ASSAY_TURN_IDLE: '500ms', ASSAY_CONVERSATION_IDLE: '1s' };
/** Several tests read each byte of the folder, and room is taken beforehand. */
const SEGMENT_BYTES_MAX = 4 << 20;

export async function runService(options: {
  readonly suites: readonly string[];
  readonly dataDir?: string;
  readonly checkTimeoutMs?: number;
  readonly redaction?: Partial<Settings['redaction']>;
  readonly metrics?: Partial<Settings['metrics']>;
  readonly detection?: Partial<Settings['detection']>;
  readonly alerts?: Partial<Settings['alerts']>;
  readonly results?: Settings['results'];
  readonly telemetry?: Settings['telemetry'];
  readonly otlpHttpPort?: number;
  readonly httpPort?: number;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<RunningService> {
  const dataDir = options.dataDir ?? tempDirectory();
  // An assay.yaml in the data folder is the configuration; the test's own settings come before it.
  const read = () => {
    const env = { ...TIMES, ASSAY_DATA_DIR: dataDir, ...options.env };
    const { settings: loaded, secretVariables, mistakes, strangers } = loadSettings({ flags: {}, env, cwd: dataDir });
    const segmentBytes = Math.min(SEGMENT_BYTES_MAX, loaded.journal.segmentBytes);
    const journal = { ...loaded.journal, segmentBytes };
    const score = { checkTimeoutMs: options.checkTimeoutMs ?? loaded.score.checkTimeoutMs };
    const metrics = { ...loaded.metrics, ...options.metrics };
    const redaction = { ...loaded.redaction, ...options.redaction };
    const detection = { ...loaded.detection, ...options.detection };
    const alerts = { ...loaded.alerts, ...options.alerts };
    const results = options.results ?? loaded.results;
    const telemetry = options.telemetry ?? loaded.telemetry;
    const ports = { otlpGrpcPort: 0, otlpHttpPort: options.otlpHttpPort ?? 0, httpPort: options.httpPort ?? 0 };
    const suites = { suites: options.suites };
    return {
      settings: {
        ...loaded,
        ...ports,
        ...suites,
        journal,
        score,
        redaction,
        metrics,
        detection,
        alerts,
        results,
        telemetry,
      },
      secretVariables,
      strangers,
      mistakes,
    };
  };
  const { settings } = read();
  const { suites, shadows, mistakes } = await loadSuites(options.suites, {
    baseDir: dataDir,
    builtinDir: BUILTIN,
    shadows: settings.shadowSuites,
  });
  if (mistakes.length > 0) throw new Error(JSON.stringify(mistakes));
  const lines: string[] = [];
  const log = new Log({ level: 'info', write: (line) => lines.push(line) });
  const references = { suiteReferences: options.suites, suitesBaseDirectory: dataDir };
  const service = await startService({
    settings,
    suites,
    shadows,
    ...references,
    log,
    version: 'test',
    loadSettings: read,
  });
  whenDone(() => service.stop());
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return { service, otlp: at(service.ports.otlpHttp), http: at(service.ports.http), lines };
}

export async function metricsOf(running: RunningService): Promise<ReadonlyMap<string, number>> {
  return parseMetrics(await (await fetch(`${running.http}/metrics`)).text());
}

export function sumOf(metrics: ReadonlyMap<string, number>, name: string, ...parts: readonly string[]): number {
  let sum = 0;
  for (const [series, value] of metrics) {
    if (series.startsWith(name) && parts.every((part) => series.includes(part))) sum += value;
  }
  return sum;
}

/** A turn of one step, whose trace has this number. */
export function turnSpan(
  number: number,
  { agent = 'helper', more = [] }: { readonly agent?: string; readonly more?: TrafficSpan['attributes'] } = {},
): TrafficSpan {
  return {
    traceId: number.toString(16).padStart(32, '0'),
    spanId: number.toString(16).padStart(16, '0'),
    name: 'invoke_agent',
    kind: 1,
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    status: { code: 0 },
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
      { key: 'gen_ai.agent.name', value: { stringValue: agent } },
      ...more,
    ],
  };
}

/** Turns of one step each, whose traces are numbered from `first` on. */
export async function sendTurns(
  running: RunningService,
  { first, turns }: { first: number; turns: number },
): Promise<void> {
  const spans = Array.from({ length: turns }, (_, index) => turnSpan(first + index));
  const response = await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportRequest(spans, 'v1'),
  });
  expect(response.status).toBe(200);
}
