/**
 * Learning from stored conversations, on the main thread: asks the thread that has the suites for the next part of the
 * past that detection wants, and passes it to the owner. One part is on its way at a time, and the owner's next report
 * says where it goes on; so whatever is lost on the way is asked for again. It works a quarter of the time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryCommand } from '../../engine/detection/detection-owner.ts';
import type { HistoryPart, HistoryWanted } from '../../model/history-learning.ts';

/** A part, or why there is none: for now, or because the suite could not be asked. */
export type HistoryRead =
  | { readonly is: 'part'; readonly part: HistoryPart }
  | { readonly is: 'later' }
  | { readonly is: 'failed'; readonly problem: string };

type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export type ReadHistory = (wanted: HistoryWanted, signal: AbortSignal) => Promise<HistoryRead>;

const PAUSE_PER_PART = 3;
const PAUSE_MAX_MS = 30_000;
/** Between two looks at what judges have answered. */
const JUDGING_PAUSE_MS = 2_000;
const LATER_MS = 5_000;
const FAILURES_MAX = 5;

export class HistoryLearning {
  readonly #read: ReadHistory;
  readonly #tell: (command: HistoryCommand) => boolean;
  readonly #wait: Wait;
  readonly #stopping = new AbortController();
  #wanted: readonly HistoryWanted[] = [];
  #reported = Promise.withResolvers<void>();
  /** In a row, by key of the suite. */
  readonly #failures = new Map<string, number>();
  #running: Promise<void> | undefined;

  /** `wait` must not reject. */
  constructor(read: ReadHistory, tell: (command: HistoryCommand) => boolean, wait: Wait = untilAborted) {
    this.#read = read;
    this.#tell = tell;
    this.#wait = wait;
  }

  /** From each report of the owner; empty where another instance is the owner. */
  take(wanted: readonly HistoryWanted[]): void {
    this.#wanted = wanted;
    this.#reported.resolve();
    this.#reported = Promise.withResolvers();
    if (wanted.length > 0 && !this.#stopping.signal.aborted) this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#reported.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let turn = 0; this.#wanted.length > 0 && !signal.aborted; ) {
      const wanted = this.#wanted[turn % this.#wanted.length];
      if (wanted === undefined) break;
      const began = performance.now();
      const read = await this.#read(wanted, signal);
      const tookMs = performance.now() - began;
      const part = this.#partOf(wanted, read);
      const { promise: reported } = this.#reported;
      if (part === undefined || !this.#tell({ type: 'history', part })) {
        // Another suite may be readable.
        turn += 1;
        await this.#pause(LATER_MS);
        continue;
      }
      // If a report is older than the part, the part is only asked for a second time.
      await Promise.race([reported, this.#pause(PAUSE_MAX_MS)]);
      await this.#pause(part.stage === 'judging' ? JUDGING_PAUSE_MS : Math.min(PAUSE_MAX_MS, PAUSE_PER_PART * tookMs));
    }
    this.#running = undefined;
  }

  /** Undefined if there is none yet; after some failures the one that gives up. */
  #partOf(wanted: HistoryWanted, read: HistoryRead): HistoryPart | undefined {
    if (read.is === 'later') return undefined;
    const failures = read.is === 'part' ? 0 : (this.#failures.get(wanted.key) ?? 0) + 1;
    this.#failures.set(wanted.key, failures % FAILURES_MAX);
    if (read.is === 'part') return read.part;
    return failures < FAILURES_MAX ? undefined : withoutHistory(wanted, read.problem);
  }

  #pause(ms: number): Promise<void> {
    return this.#wait(ms, this.#stopping.signal);
  }
}

async function untilAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    // Stopped.
  });
}

function withoutHistory(wanted: HistoryWanted, problem: string): HistoryPart {
  const { suite, key, after, done, of, stage, isSampled } = wanted;
  const nothing = { cursor: after, observed: [], bridges: [], questions: [] };
  return { suite, key, after, done, of, stage, isSampled, ...nothing, end: { problem } };
}
