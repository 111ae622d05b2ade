/** A service to attack: a process of its own, with a store worth reading, a limit of memory, and a probe inside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { fillStore } from '../../bench/filled-store.ts';
import { experimentOf, passing } from '../statistics/compare/experiments.ts';
import { keepExperiment } from '../statistics/compare/kept-experiment.ts';
import { freeListenPorts, untilStarted } from '../simulation/process.ts';
import { heavyConversations, HEAVY } from './heavy-conversations.ts';
import { memoryLimit } from './memory-limit.ts';

export interface Usage {
  /** Processor time of the thread that receives. */
  readonly receivingMs: number;
  /** Processor time of the whole process. */
  readonly wholeMs: number;
}

export interface AttackedService {
  readonly ports: { readonly http: number; readonly otlp_http: number; readonly otlp_grpc: number };
  readonly memoryLimit: 'cgroup' | 'none';
  usage(): Promise<Usage>;
  /** Highest memory since the last call, in MiB; 0 once the process has ended. */
  peakMiB(): number;
  readonly log: readonly string[];
  stop(): Promise<void>;
}

interface Options {
  readonly conversations: number;
  readonly memoryBytes: number;
}

const MAIN = path.resolve(import.meta.dirname, '../../bin/assay.mjs');
const PROBE = path.resolve(import.meta.dirname, 'probe.mjs');
const usageSchema = z.object({ id: z.number(), receivingMs: z.number(), wholeMs: z.number() });

export async function startAttacked({ conversations, memoryBytes }: Options): Promise<AttackedService> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-attack-'));
  fillStore(path.join(dataDir, 'assay.db'), conversations);
  for (const name of ['good', 'bad'])
    keepExperiment(
      dataDir,
      experimentOf(
        name,
        passing(Array.from({ length: 200 }, (_none, run) => (run % 3 === 0 && name === 'bad' ? 0 : 1))),
      ),
      'Booked at nine.',
    );
  const config = path.join(dataDir, 'assay.yaml');
  writeFileSync(config, 'suites: [default, scheduling]\nexperiments: ./experiments\n');
  const ports = await freeListenPorts();
  const limit = memoryLimit(memoryBytes);
  const join = limit === undefined ? '' : `echo $$ > ${limit.joinFile}; `;
  const command = [process.execPath, '--import', PROBE, MAIN, 'serve', '--config', config];
  const child = spawn('/bin/sh', ['-c', `${join}exec "$0" "$@"`, ...command], {
    cwd: dataDir,
    env: {
      ...process.env,
      // As the image sets it.
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '262144',
      ASSAY_DATA_DIR: dataDir,
      ASSAY_OTLP_GRPC_PORT: String(ports.otlpGrpc),
      ASSAY_OTLP_HTTP_PORT: String(ports.otlpHttp),
      ASSAY_HTTP_PORT: String(ports.http),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const log: string[] = [];
  await untilStarted(child, log);
  const ended = once(child, 'exit');
  const service: AttackedService = {
    ports: { http: ports.http, otlp_http: ports.otlpHttp, otlp_grpc: ports.otlpGrpc },
    memoryLimit: limit === undefined ? 'none' : 'cgroup',
    usage: usageOf(child, log),
    peakMiB: () => peakMiB(child.pid ?? 0),
    log,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      limit?.release();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  await sendHeavy(ports.otlpHttp, ports.http);
  // In a clone the first person to open the page waits for its types to be stripped.
  await (await fetch(`http://127.0.0.1:${ports.http}/`, { headers: { accept: 'text/html' } })).text();
  return service;
}

function usageOf(child: ChildProcess, log: readonly string[]): () => Promise<Usage> {
  let last = 0;
  const waiting = new Map<number, (usage: Usage) => void>();
  child.on('message', (message) => {
    const { id, ...usage } = usageSchema.parse(message);
    waiting.get(id)?.(usage);
    waiting.delete(id);
  });
  return () => {
    last += 1;
    const { promise, resolve, reject } = Promise.withResolvers<Usage>();
    const onExit = (code: number | null, signal: string | null) =>
      reject(new Error(`the attacked process has ended: ${code ?? signal}\n${log.slice(-20).join('\n')}`));
    if (!child.connected) onExit(child.exitCode, child.signalCode);
    child.once('exit', onExit);
    waiting.set(last, (usage) => {
      child.off('exit', onExit);
      resolve(usage);
    });
    child.send(last);
    return promise;
  };
}

/** Reads the highest memory and resets it: https://docs.kernel.org/filesystems/proc.html, `clear_refs`. */
function peakMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    // It has ended.
    return 0;
  }
}

async function sendHeavy(otlpHttp: number, http: number): Promise<void> {
  for (const body of heavyConversations()) {
    const response = await fetch(`http://127.0.0.1:${otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    if (!response.ok) throw new Error(`a heavy conversation was refused: ${await response.text()}`);
  }
  const until = performance.now() + 60_000;
  for (const id of Object.values(HEAVY)) {
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${http}/api/v1/conversations/${id}`);
      const text = await response.text();
      if (response.ok && !text.includes('"evaluations_full":[]')) break;
      if (performance.now() > until)
        throw new Error(`the heavy conversation ${id} was not scored: ${text.slice(0, 300)}`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
