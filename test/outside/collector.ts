/**
 * A real OpenTelemetry Collector with the components of `collector-config/`, built once from its Go modules into
 * node_modules/.cache. Nothing is skipped: without Go, or without the modules, the test fails and says so.
 *
 * The version is the newest for which all the modules named here are published.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { freeListenPorts } from '../simulation/process.ts';
import { madeOnce } from './made-once.ts';

export const COLLECTOR_VERSION = '0.158.0';
const CORE = 'go.opentelemetry.io/collector';
const CONTRIB = 'github.com/open-telemetry/opentelemetry-collector-contrib';
const BUILD_TIMEOUT_MS = 1_200_000;
const START_TIMEOUT_MS = 60_000;

const MANIFEST = `dist: { name: otelcol, description: OpenTelemetry Collector for tests, output_path: . }
receivers:
  - gomod: ${CORE}/receiver/otlpreceiver v${COLLECTOR_VERSION}
processors:
  - gomod: ${CORE}/processor/batchprocessor v${COLLECTOR_VERSION}
  - gomod: ${CORE}/processor/memorylimiterprocessor v${COLLECTOR_VERSION}
  - gomod: ${CONTRIB}/processor/redactionprocessor v${COLLECTOR_VERSION}
exporters:
  - gomod: ${CORE}/exporter/otlphttpexporter v${COLLECTOR_VERSION}
  - gomod: ${CONTRIB}/exporter/fileexporter v${COLLECTOR_VERSION}
  - gomod: ${CONTRIB}/exporter/kafkaexporter v${COLLECTOR_VERSION}
  - gomod: ${CONTRIB}/exporter/loadbalancingexporter v${COLLECTOR_VERSION}
extensions:
  - gomod: ${CONTRIB}/extension/storage/filestorage v${COLLECTOR_VERSION}
`;

export interface CollectorOptions {
  readonly configFile: string;
  /** A change that a person would make in the file: `exporters::kafka::producer::compression: gzip`. */
  readonly changes?: readonly string[];
  readonly env: { readonly [variable: string]: string };
}

export interface Collector {
  readonly pid: number;
  readonly otlpHttp: string;
  readonly otlpGrpc: string;
  /** Its output to standard error so far. */
  log(): string;
  kill(): Promise<void>;
  /** Flushes as far as possible, and ends. */
  stop(): Promise<void>;
}

/** The path of the Collector, which is built first if necessary. */
export async function collectorBinary(): Promise<string> {
  // Another list of components is another Collector.
  const components = createHash('sha256').update(MANIFEST).digest('hex').slice(0, 8);
  const directory = await madeOnce(`otelcol-${COLLECTOR_VERSION}-${components}`, {
    make: build,
    needs: 'Go 1.26 or newer and the Go module proxy',
  });
  return path.join(directory, 'otelcol');
}

/** The Collector's objections to a configuration; undefined if it would start with it. */
export async function objectionOfCollector({ configFile, changes = [], env }: CollectorOptions) {
  const binary = await collectorBinary();
  try {
    await promisify(execFile)(binary, ['validate', ...configArguments(configFile, changes)], {
      env: { ...process.env, ...env },
    });
    return undefined;
  } catch (error) {
    return String(error);
  }
}

export async function startCollector({ configFile, changes = [], env }: CollectorOptions): Promise<Collector> {
  const binary = await collectorBinary();
  const ports = await freeListenPorts();
  const endpoints = {
    OTLP_GRPC_ENDPOINT: `127.0.0.1:${ports.otlpGrpc}`,
    OTLP_HTTP_ENDPOINT: `127.0.0.1:${ports.otlpHttp}`,
  };
  // Its own metrics have a fixed port, which a second Collector on the machine could not use.
  const quiet = 'service::telemetry::metrics::level: none';
  const child = spawn(binary, configArguments(configFile, [...changes, quiet]), {
    env: { ...process.env, ...endpoints, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await untilReady(child, () => said);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    otlpHttp: `http://${endpoints.OTLP_HTTP_ENDPOINT}`,
    otlpGrpc: `http://${endpoints.OTLP_GRPC_ENDPOINT}`,
    log: () => said,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

function configArguments(configFile: string, changes: readonly string[]): string[] {
  return [configFile, ...changes.map((change) => `yaml:${change}`)].flatMap((source) => ['--config', source]);
}

async function untilReady(child: ChildProcess, said: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!said().includes('Everything is ready')) {
    if (child.exitCode !== null) throw new Error(`the Collector ended with ${child.exitCode}: ${said()}`);
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the Collector did not start within a minute: ${said()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function build(made: string): Promise<void> {
  writeFileSync(path.join(made, 'manifest.yaml'), MANIFEST);
  const builder = `${CORE}/cmd/builder@v${COLLECTOR_VERSION}`;
  await promisify(execFile)('go', ['run', builder, '--config', 'manifest.yaml'], {
    cwd: made,
    timeout: BUILD_TIMEOUT_MS,
    maxBuffer: 64 << 20,
  });
}
