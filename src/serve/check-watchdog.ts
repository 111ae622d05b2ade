/**
 * Watches from the main thread whether a check has run past its limit, and remembers what must not run again: first for the turn or
 * conversation on which it hung, after some times for everybody. Ending the thread is the owner's business.
 *
 * It counts the time between its own looks, and of a long gap only a little: when the whole process was asleep or had no
 * processor, no check is to blame, and an evaluation must not depend on it.
 */
import {
  MATCHING,
  makeWatchBuffer,
  type RunningCheck,
  runningCheck,
  runningForMs,
  type StoppedCheck,
  WHOLE_SUITE,
} from '../engine/check-watch.ts';

/** As much of a suite as is needed to name a check. */
interface NamedSuite {
  readonly name: string;
  readonly criteria: readonly { readonly name: string }[];
}

export interface CheckLimits {
  readonly checkTimeoutMs: number;
}

export interface WatchedChecks {
  readonly suites: readonly NamedSuite[];
  readonly checks: CheckLimits;
}

interface HangingCheck {
  readonly suite: string;
  readonly criterion: string;
  readonly suspended: boolean;
  readonly because: string;
}

/** A criterion that had to be stopped this often is not run again until the next start or reload. */
const STOPS_UNTIL_SUSPENDED = 3;
const STOPPED_REMEMBERED = 1000;
/** Its owner looks every 50 ms. */
const LOOK_COUNTS_MAX_MS = 100;

export class CheckWatchdog {
  /** Parts that it was made of. */
  readonly of: WatchedChecks;
  readonly #suites: readonly NamedSuite[];
  readonly #timeoutMs: number;
  #stopped: StoppedCheck[] = [];
  readonly #stops = new Map<string, number>();
  #buffer = makeWatchBuffer();
  /** The check that ran at the last look. */
  #seen: { readonly sequence: number; readonly ranMs: number; readonly at: number } | undefined;

  constructor(options: WatchedChecks) {
    this.of = options;
    this.#suites = options.suites;
    this.#timeoutMs = options.checks.checkTimeoutMs;
  }

  /** For the next thread: a buffer that nothing has been noted in, and what it must not run. */
  nextThread(): { readonly watch: SharedArrayBuffer; readonly stopped: readonly StoppedCheck[] } {
    this.#buffer = makeWatchBuffer();
    this.#seen = undefined;
    return { watch: this.#buffer, stopped: this.#stopped };
  }

  /** The check that hangs, if one does. It is barred from here on: the thread has to be ended and another started. */
  takeHanging(now: number = performance.now()): HangingCheck | undefined {
    const running = runningCheck(this.#buffer);
    if (running === undefined || this.#ranMs(running, now) <= this.#timeoutMs) return undefined;
    this.#seen = undefined;
    const named = this.#criterionName(running.suite, running.criterion);
    // It was barred and the thread hangs all the same: something else in the suite never returns.
    const isBarred = this.#stopped.some(
      ({ suite, subject, criterion }) =>
        suite === running.suite && criterion === named && (subject === undefined || subject === running.subject),
    );
    const criterion = isBarred ? WHOLE_SUITE : named;
    const key = `${running.suite}/${criterion}`;
    const stops = (this.#stops.get(key) ?? 0) + 1;
    this.#stops.set(key, stops);
    const suspended = stops >= STOPS_UNTIL_SUSPENDED;
    const limit = `${this.#timeoutMs} ms`;
    this.#stopped = [
      ...this.#stopped.slice(-STOPPED_REMEMBERED),
      {
        suite: running.suite,
        subject: suspended ? undefined : running.subject,
        criterion,
        reason: suspended
          ? `The check ran past its limit of ${limit} ${stops} times and is suspended until the next start or reload.`
          : `The check ran past its limit of ${limit} and was stopped.`,
      },
    ];
    return { suite: running.suite, criterion, suspended, because: `${key} ran past its limit of ${limit}` };
  }

  #ranMs(running: RunningCheck, now: number): number {
    const seen = this.#seen?.sequence === running.sequence ? this.#seen : undefined;
    const since = seen === undefined ? runningForMs(running) : now - seen.at;
    const ranMs = (seen?.ranMs ?? 0) + Math.min(since, LOOK_COUNTS_MAX_MS);
    this.#seen = { sequence: running.sequence, ranMs, at: now };
    return ranMs;
  }

  #criterionName(suite: string, index: number): string {
    if (index === MATCHING) return WHOLE_SUITE;
    return this.#suites.find(({ name }) => name === suite)?.criteria[index]?.name ?? `#${index}`;
  }
}
