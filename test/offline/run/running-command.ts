/** `assay run` as a process of its own, over the agent that does what it is told. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExperimentResult } from '../../../src/model/experiment.ts';
import { experimentsIn, readExperiment } from '../../../src/store/experiment/read-experiment.ts';
import { MAIN } from '../../assay-command.ts';

const AGENT = `${process.execPath} ${path.join(import.meta.dirname, 'scripted-agent.ts')}`;
const LOOK_EVERY_MS = 20;

/** The start of the agent for a run, as the agent wrote it down. */
export interface Start {
  readonly case: string;
  readonly repeat: number;
  readonly seed: number;
  readonly pid: number;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export class RunFolder {
  readonly experiments: string;
  readonly #directory: string;
  readonly #dataset: string;
  readonly #starts: string;

  /** `cases`: what the agent is to do in each. */
  constructor(directory: string, cases: readonly { readonly id: string; readonly input: object }[]) {
    this.#directory = directory;
    this.experiments = path.join(directory, 'experiments');
    this.#starts = path.join(directory, 'starts');
    this.#dataset = path.join(directory, 'cases.jsonl');
    this.write(cases);
  }

  write(cases: readonly { readonly id: string; readonly input: object }[]): void {
    writeFileSync(this.#dataset, cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
  }

  run(...flags: readonly string[]): RunningCommand {
    const given = ['run', this.#dataset, '--agent', AGENT, '--experiments', this.experiments, '--settle', '50ms'];
    const child = spawn(process.execPath, [MAIN, ...given, '--suite', 'default', ...flags], {
      cwd: this.#directory,
      env: { ...process.env, STARTS: this.#starts },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new RunningCommand(child);
  }

  starts(): readonly Start[] {
    if (!existsSync(this.#starts)) return [];
    const lines = readFileSync(this.#starts, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => {
      const [id = '', repeat, seed, pid] = line.split(' ');
      return { case: id, repeat: Number(repeat), seed: Number(seed), pid: Number(pid) };
    });
  }

  /** When the agent has been started so often. */
  async started(times: number, signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true && this.starts().length < times) await sleep(LOOK_EVERY_MS);
  }

  /** The only one there is; undefined where there is none. */
  experiment(): ExperimentResult | undefined {
    const [only] = experimentsIn(this.experiments, () => {});
    return only === undefined ? undefined : readExperiment(only.folder);
  }

  get folder(): string {
    const [only] = experimentsIn(this.experiments, () => {});
    if (only === undefined) throw new Error(`no experiment is in ${this.experiments}`);
    return only.folder;
  }
}

export class RunningCommand {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;
  #err = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.#err += chunk.toString()));
    this.#ended = once(child, 'close').then(([code]: (number | null)[]) => ({
      code: code ?? null,
      out,
      err: this.#err,
    }));
  }

  /** Until it has said so. */
  async said(text: string): Promise<void> {
    while (!this.#err.includes(text)) await sleep(LOOK_EVERY_MS);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  ended(): Promise<Ended> {
    return this.#ended;
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // One that has ended and was not collected by whom it was left to is not running.
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}
