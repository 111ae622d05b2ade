/**
 * Records which check is running, in memory that two threads share.
 *
 * A check that never returns blocks the scoring thread, which then can't say so itself. It leaves a note here before
 * each check; the main thread reads it, and when a check has run past its limit ends the thread and starts another that
 * answers `error` for that check without running it.
 *
 * A criterion that had to be stopped too often is suspended until a log time. The thread compares that with the log time
 * of each evaluation, so that the pause ends where the log says, however far scoring is behind.
 *
 *   Int32   [0] checks started so far (odd while one runs)   [1] start, ms since the buffer was made   [2] length of the note
 *   bytes   the note: JSON of the target and the criterion's index
 */

/** Stands for a criterion where it is the suite's `match` that runs. */
export const MATCHING = -1;
/** Stands for a criterion where the suite as a whole must not run. */
export const WHOLE_SUITE = '*';

export interface CheckTarget {
  readonly suite: string;
  /** The turn or conversation that is scored. */
  readonly subject: string;
  readonly agent: string;
  /** When it is scored, by the log. */
  readonly logTime: number;
  /** Weight of the conversation that checks look at (`conversation-weight.ts`). */
  readonly weight: number;
}

export interface RunningCheck extends CheckTarget {
  readonly criterion: number;
  readonly sequence: number;
  readonly startedAt: number;
}

export interface CheckWatch {
  started(target: CheckTarget, criterion: number): void;
  finished(): void;
  /** Criteria (by name) of this target that must not run; `WHOLE_SUITE` among them is all of them. */
  stoppedFor(target: CheckTarget): ReadonlyMap<string, StoppedCheck>;
}

/** A check that must not run. */
export interface StoppedCheck {
  readonly suite: string;
  readonly criterion: string;
  readonly reason: string;
  readonly stops:
    | { readonly for: 'subject'; readonly subject: string }
    /**
     * `agent` is undefined for all agents. `until` is a log time, and not part of the pause. Conversations below
     * `weightMin` are asked all the same.
     */
    | {
        readonly for: 'pause';
        readonly agent: string | undefined;
        readonly until: number;
        readonly weightMin: number;
      };
}

const HEAD_INTS = 4;
/** Room for the longest note, were every character escaped. */
const NOTE_BYTES_MAX = 16_384;
const SUITE_LENGTH_MAX = 500;
const SUBJECT_LENGTH_MAX = 1000;
const AGENT_LENGTH_MAX = 200;
const NONE: ReadonlyMap<string, StoppedCheck> = new Map();

export function makeWatchBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD_INTS * 4 + NOTE_BYTES_MAX);
}

/** For the commands that score in their own thread: nothing is stopped, Ctrl-C is. */
export const UNWATCHED: CheckWatch = { started: () => {}, finished: () => {}, stoppedFor: () => NONE };

export class SharedCheckWatch implements CheckWatch {
  readonly #head: Int32Array;
  readonly #note: Uint8Array;
  readonly #stopped: readonly StoppedCheck[];
  readonly #encoder = new TextEncoder();
  #target: CheckTarget | undefined;

  constructor(buffer: SharedArrayBuffer, stopped: readonly StoppedCheck[]) {
    this.#head = new Int32Array(buffer, 0, HEAD_INTS);
    this.#note = new Uint8Array(buffer, HEAD_INTS * 4);
    this.#stopped = stopped;
  }

  started(target: CheckTarget, criterion: number): void {
    if (this.#target !== target) {
      this.#target = target;
      const { suite, subject, agent, logTime, weight } = noted(target);
      const text = JSON.stringify([suite, subject, agent, logTime, weight]);
      const { written } = this.#encoder.encodeInto(text, this.#note);
      this.#head[2] = written;
    }
    this.#head[3] = criterion;
    this.#head[1] = Math.trunc(performance.timeOrigin + performance.now()) & 0x7fffffff;
    // Odd: a check runs. A following check makes it odd again by two, so the reader sees that it is another one.
    Atomics.store(this.#head, 0, ((this.#head[0] ?? 0) | 1) + 2);
  }

  finished(): void {
    Atomics.store(this.#head, 0, ((this.#head[0] ?? 0) + 1) & ~1);
  }

  stoppedFor(target: CheckTarget): ReadonlyMap<string, StoppedCheck> {
    if (this.#stopped.length === 0) return NONE;
    const found = new Map<string, StoppedCheck>();
    const { suite, ...asked } = noted(target);
    for (const stopped of this.#stopped) {
      if (stopped.suite !== suite || !isBarred(stopped, asked)) continue;
      // The end of a pause changes nothing for the subject on which it hung.
      if (found.get(stopped.criterion)?.stops.for !== 'subject') found.set(stopped.criterion, stopped);
    }
    return found;
  }
}

export function isBarred(
  { stops }: StoppedCheck,
  { subject, agent, logTime, weight }: Omit<CheckTarget, 'suite'>,
): boolean {
  if (stops.for === 'subject') return stops.subject === subject;
  const isOf = stops.agent === undefined || stops.agent === agent;
  return isOf && logTime < stops.until && weight >= stops.weightMin;
}

/** The target as the note has room for it: comparisons are made with what was noted. */
function noted({ suite, subject, agent, logTime, weight }: CheckTarget): CheckTarget {
  return {
    suite: suite.slice(0, SUITE_LENGTH_MAX),
    subject: subject.slice(0, SUBJECT_LENGTH_MAX),
    agent: agent.slice(0, AGENT_LENGTH_MAX),
    logTime,
    weight,
  };
}

/** The check that runs now, or undefined. Reads memory that another thread writes, so it looks twice. */
export function runningCheck(buffer: SharedArrayBuffer): RunningCheck | undefined {
  const head = new Int32Array(buffer, 0, HEAD_INTS);
  const sequence = Atomics.load(head, 0);
  if (sequence % 2 === 0) return undefined;
  const note = Buffer.from(new Uint8Array(buffer, HEAD_INTS * 4, head[2] ?? 0)).toString();
  const criterion = head[3] ?? 0;
  const startedAt = head[1] ?? 0;
  if (Atomics.load(head, 0) !== sequence) return undefined;
  // The cast holds because `started` wrote the text.
  const [suite, subject, agent, logTime, weight] = JSON.parse(note) as [string, string, string, number, number];
  return { suite, subject, agent, logTime, weight, criterion, sequence, startedAt };
}

/** How long the running check has been running, in milliseconds. */
export function runningForMs(check: RunningCheck): number {
  const now = Math.trunc(performance.timeOrigin + performance.now()) & 0x7fffffff;
  return (now - check.startedAt) & 0x7fffffff;
}
