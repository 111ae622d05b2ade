/**
 * A process with a group of its own, so that it can be ended with all that it started: asked first (SIGTERM), then made to (SIGKILL).
 * A Ctrl-C at the terminal does not reach it: whether runs in flight may end is decided by who drives them.
 */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const GRACE_MS = 2_000;
/** The system does it at once, except for a process that waits for a disk. */
const KILLED_WITHIN_MS = 1_000;
const LOOK_EVERY_MS = 25;

export class ProcessGroup {
  readonly child: ChildProcess;
  readonly #id: number | undefined;
  #ending: Promise<void> | undefined;

  constructor(command: string, args: readonly string[], options: SpawnOptions) {
    this.child = spawn(command, [...args], { ...options, detached: true });
    this.#id = this.child.pid;
  }

  /** Whether any process of the group is left. */
  get isAlive(): boolean {
    return this.#signal(0);
  }

  /** Ends all of it, and resolves when nothing is left. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (!this.#signal('SIGTERM') || (await this.#isGoneWithin(GRACE_MS))) return;
    this.#signal('SIGKILL');
    await this.#isGoneWithin(KILLED_WITHIN_MS);
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (performance.now() < deadline) {
      await sleep(LOOK_EVERY_MS);
      if (!this.isAlive) return true;
    }
    return false;
  }

  #signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#id === undefined) return false;
    try {
      return process.kill(-this.#id, signal);
    } catch (error) {
      // No process is left, or, for a moment on some systems, only processes that have ended and were not collected.
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ESRCH' || code === 'EPERM') return false;
      throw error;
    }
  }
}
