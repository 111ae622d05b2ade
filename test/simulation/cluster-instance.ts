/**
 * One instance of the service under test: a process with its own name, folder, ports and networks, so that it alone can
 * be killed, paused, or disconnected from brokers or database. A process that ends by itself is restarted, as an
 * orchestrator would do, and the restart is counted.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../outside/tcp-proxy.ts';
import { freeListenPorts, type ProcessOptions } from './process.ts';

export interface InstanceOptions {
  readonly name: string;
  readonly directory: string;
  readonly configFile: string;
  readonly env: { readonly [name: string]: string };
  /** Between the instance and each broker. */
  readonly brokers: readonly TcpProxy[];
  /** Between the instance and the database. */
  readonly database: TcpProxy | undefined;
  readonly onSurprise: (what: string) => void;
}

const MAIN = path.resolve(import.meta.dirname, '../../src/cli/main.ts');
const RESTART_AFTER_MS = 1000;
const STARTS_WITHIN_MS = 120_000;
/** The equivalent of `terminationGracePeriodSeconds`. */
const STOPS_WITHIN_MS = 60_000;

export class ClusterInstance {
  readonly name: string;
  readonly #options: InstanceOptions;
  readonly #ports: ProcessOptions['ports'];
  #program = MAIN;
  #child: ChildProcess | undefined;
  #isWanted = false;
  #crashes = 0;
  #notStopped = 0;
  #logFrom = 0;

  private constructor(options: InstanceOptions, ports: ProcessOptions['ports']) {
    this.name = options.name;
    this.#options = options;
    this.#ports = ports;
    mkdirSync(options.directory, { recursive: true });
  }

  static async make(options: InstanceOptions): Promise<ClusterInstance> {
    return new ClusterInstance(options, await freeListenPorts());
  }

  get http(): string {
    return `http://127.0.0.1:${this.#ports.http}`;
  }

  get otlpHttp(): string {
    return `http://127.0.0.1:${this.#ports.otlpHttp}`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** The number of times that it ended although it had started and was not told to end. */
  get crashes(): number {
    return this.#crashes;
  }

  get notStopped(): number {
    return this.#notStopped;
  }

  get logFile(): string {
    return path.join(this.#options.directory, 'log');
  }

  start(): void {
    this.#isWanted = true;
    if (this.#child !== undefined) return;
    const { directory, configFile, env } = this.#options;
    const log = openSync(this.logFile, 'a');
    this.#logFrom = fstatSync(log).size;
    const child = spawn(process.execPath, [this.#program, 'serve', '--config', configFile], {
      env: {
        ...process.env,
        ASSAY_INSTANCE: this.name,
        ASSAY_DATA_DIR: path.join(directory, 'data'),
        ASSAY_OTLP_GRPC_PORT: String(this.#ports.otlpGrpc),
        ASSAY_OTLP_HTTP_PORT: String(this.#ports.otlpHttp),
        ASSAY_HTTP_PORT: String(this.#ports.http),
        ...env,
      },
      stdio: ['ignore', 'ignore', log],
    });
    closeSync(log);
    this.#child = child;
    child.once('exit', (code, signal) => {
      if (this.#child === child) this.#child = undefined;
      if (!this.#isWanted) return;
      // Without a database it does not start, and reports the reason.
      const hadStarted = this.#logOfThisLife().includes('"message":"service: started');
      if (hadStarted) this.#crashes += 1;
      const what = hadStarted ? 'ENDED BY ITSELF' : 'did not start';
      this.#options.onSurprise(`${this.name} ${what} (${signal ?? code}): ${this.tail(3).join(' | ').slice(0, 600)}`);
      setTimeout(() => {
        if (this.#isWanted) this.start();
      }, RESTART_AFTER_MS).unref();
    });
  }

  /** The launcher of another version, from the next start on; of this one if undefined. */
  runs(program: string | undefined): void {
    this.#program = program ?? MAIN;
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Sends SIGTERM, and SIGKILL if that has not worked in time; returns whether it ended by itself. */
  async stop(): Promise<boolean> {
    const child = this.#child;
    let inTime = true;
    const timer = setTimeout(() => {
      inTime = false;
      child?.kill('SIGKILL');
    }, STOPS_WITHIN_MS);
    await this.#end('SIGTERM');
    clearTimeout(timer);
    if (!inTime) {
      this.#notStopped += 1;
      this.#options.onSurprise(`${this.name} HAD NOT STOPPED after ${STOPS_WITHIN_MS / 1000} s`);
    }
    return inTime;
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  cutBrokers(which: 'all' | number): void {
    for (const [index, proxy] of this.#options.brokers.entries()) if (which === 'all' || which === index) proxy.cut();
  }

  cutDatabase(): void {
    this.#options.database?.cut();
  }

  /** Connections end without a shutdown message. */
  reset(): void {
    for (const proxy of this.#options.brokers) proxy.reset();
    this.#options.database?.reset();
  }

  heal(): void {
    for (const proxy of this.#options.brokers) proxy.heal();
    this.#options.database?.heal();
  }

  async untilReady(): Promise<void> {
    const deadline = Date.now() + STARTS_WITHIN_MS;
    for (;;) {
      // Another program may use its ports before it opens them.
      const hasStarted = this.#child !== undefined && this.#logOfThisLife().includes('"message":"service: started');
      const ready = hasStarted ? await this.#get('/readyz') : undefined;
      if (ready?.ok === true) return;
      if (Date.now() > deadline) {
        throw new Error(`${this.name} is not ready: ${ready?.text ?? 'no answer'}\n${this.tail(20).join('\n')}`);
      }
      await sleep(200);
    }
  }

  async scrape(): Promise<string> {
    const answer = await this.#get('/metrics');
    if (answer?.ok !== true) throw new Error(`${this.name} does not give its metrics: ${answer?.text ?? 'no answer'}`);
    return answer.text;
  }

  tail(lines: number): string[] {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-lines);
  }

  #logOfThisLife(): string {
    return readFileSync(this.logFile).subarray(this.#logFrom).toString();
  }

  async #get(where: string): Promise<{ readonly ok: boolean; readonly text: string } | undefined> {
    try {
      const response = await fetch(`${this.http}${where}`, { signal: AbortSignal.timeout(10_000) });
      return { ok: response.ok, text: await response.text() };
    } catch {
      // It is starting, or has ended.
      return undefined;
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGCONT');
      child.kill(signal);
      await ended;
    }
    this.#child = undefined;
  }
}
