/** A real Assay process for tests that kill it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '../free-ports.ts';

export interface AssayProcess {
  readonly pid: number;
  readonly otlpHttp: string;
  readonly otlpGrpc: string;
  readonly http: string;
  /** Its output to standard error so far. */
  readonly log: readonly string[];
  /** SIGKILL, without a clean shutdown. */
  kill(): Promise<void>;
  /** SIGTERM, and waits until it has ended by itself. Rejects, with its last lines, if it had ended before anybody asked it to. */
  stop(): Promise<number | null>;
}

export interface ProcessOptions {
  readonly dataDir: string;
  readonly ports: { readonly otlpGrpc: number; readonly otlpHttp: number; readonly http: number };
  readonly env?: { readonly [name: string]: string };
  readonly arguments?: readonly string[];
  /** The launcher of another version. */
  readonly program?: string;
  /** The number of the one core that it may run on; all cores if absent. */
  readonly core?: number;
}

const MAIN = path.resolve(import.meta.dirname, '../../bin/assay.mjs');

export async function startAssay(options: ProcessOptions): Promise<AssayProcess> {
  const pinned = options.core === undefined ? [] : ['taskset', '--cpu-list', String(options.core)];
  const [program = '', ...first] = [...pinned, process.execPath];
  const child = spawn(program, [...first, options.program ?? MAIN, 'serve', ...(options.arguments ?? [])], {
    env: {
      ...process.env,
      ASSAY_DATA_DIR: options.dataDir,
      ASSAY_OTLP_GRPC_PORT: String(options.ports.otlpGrpc),
      ASSAY_OTLP_HTTP_PORT: String(options.ports.otlpHttp),
      ASSAY_HTTP_PORT: String(options.ports.http),
      ...options.env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log: string[] = [];
  await untilStarted(child, log);
  let isAsked = false;
  let ownEnd: string | undefined;
  child.once('exit', (code, signal) => {
    if (!isAsked) ownEnd = `assay ended by itself (${signal ?? code}):\n${log.slice(-20).join('\n')}`;
  });
  const ended = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    otlpHttp: `http://127.0.0.1:${options.ports.otlpHttp}`,
    otlpGrpc: `http://127.0.0.1:${options.ports.otlpGrpc}`,
    http: `http://127.0.0.1:${options.ports.http}`,
    log,
    kill: async () => {
      isAsked = true;
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      if (ownEnd !== undefined) throw new Error(ownEnd);
      isAsked = true;
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
  };
}

/** The addresses at which a process may listen. */
export async function freeListenPorts(): Promise<ProcessOptions['ports']> {
  const [otlpGrpc = 0, otlpHttp = 0, http = 0] = await freePorts(3);
  return { otlpGrpc, otlpHttp, http };
}

/** Gathers what it writes to standard error, and rejects if it ends before it has started. */
export async function untilStarted(child: ChildProcess, log: string[]): Promise<void> {
  if (child.stderr === null) throw new Error('the process has no standard error');
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line);
      if (log.length > 1000) log.shift();
      if (line.includes('"message":"service: started')) resolve();
    });
    child.once('exit', (code) =>
      reject(new Error(`assay ended with code ${code} before it had started:\n${log.join('\n')}`)),
    );
  });
}
