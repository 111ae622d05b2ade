/**
 * Watches from the main thread whether a check has run past its limit, and remembers what must not run again: the turn or
 * conversation on which it hung, and after some stops the criterion, for a pause. Ending the thread is the owner's business.
 *
 * It counts the time between its own looks, and of a long gap only a little: when the whole process was asleep or had no
 * processor, no check is to blame, and an evaluation must not depend on it.
 *
 * A pause is of log time, for one agent, and for conversations at least as heavy as the lightest on which the check hung.
 * So somebody who makes heavy conversations switches the criterion off for such conversations, and for nobody else:
 *
 *   asked ──3 stops of one agent in 10 min, or 12 of all──▶ suspended 1 min ──▶ on trial, 10 min ──no stop──▶ asked
 *                                                            ▲ │ a lighter stop        │ 1 stop
 *                                                            └─┴─ 5 min, 30 min ◀──────┘
 *
 * A stop that is lighter than a pause, while that lasts or on trial, lowers it to half the weight of the stop. So
 * conversations that are a little lighter each time cost a few stops, and not one each. At worst, where a check hangs on
 * the smallest conversation, it is suspended for all, because the processor must be.
 *
 * The limit for all agents is there because an agent's name comes from spans: whoever invents names must not have a
 * stop for each.
 */
import {
  type CheckTarget,
  isBarred,
  MATCHING,
  makeWatchBuffer,
  type RunningCheck,
  runningCheck,
  runningForMs,
  type StoppedCheck,
  WHOLE_SUITE,
} from '../../engine/check-watch.ts';

/** Parts of a suite that are needed to name a check. */
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
  /** Log time until which the criterion is not asked; undefined where only this turn or conversation is barred. */
  readonly suspendedUntil: number | undefined;
  readonly because: string;
}

/** Stops of one criterion, of one agent or of all. */
interface StopRecord {
  /** Stops of the last ten minutes of log time. */
  readonly stops: readonly { readonly at: number; readonly weight: number }[];
  /** Place in `PAUSES_MS` of the last pause; −1 before the first. */
  readonly pause: number;
  readonly until: number;
  readonly weightMin: number;
}

const NEVER_STOPPED: StopRecord = { stops: [], pause: -1, until: Number.NEGATIVE_INFINITY, weightMin: 0 };
const MINUTE_MS = 60_000;
const PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
/** Time in which stops add up, and after a pause the time of trial. */
const STOPS_ADD_UP_MS = 10 * MINUTE_MS;
const STOPS_UNTIL_SUSPENDED = { ofOneAgent: 3, ofAll: 12 };
const STOPPED_REMEMBERED = 1000;
/** Agents' names come from spans. */
const RECORDS_MAX = 1000;
/** Longer than the 50 ms after which the owner looks. */
const LOOK_COUNTS_MAX_MS = 100;

export class CheckWatchdog {
  /** Parts that it was made of. */
  readonly of: WatchedChecks;
  readonly #suites: readonly NamedSuite[];
  readonly #timeoutMs: number;
  #stopped: StoppedCheck[] = [];
  /** The newest last. */
  readonly #records = new Map<string, StopRecord>();
  #buffer = makeWatchBuffer();
  /** The check that ran at the last look. */
  #seen: { readonly sequence: number; readonly ranMs: number; readonly at: number } | undefined;

  constructor(options: WatchedChecks) {
    this.of = options;
    this.#suites = options.suites;
    this.#timeoutMs = options.checks.checkTimeoutMs;
  }

  /** Start of the next thread: an empty buffer for notes, and the checks that it must not run. */
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
    const { suite, subject } = running;
    const named = this.#criterionName(suite, running.criterion);
    // True if the check was barred and the thread hangs all the same: something else in the suite never returns.
    const wasBarred = this.#stopped.some(
      (one) => one.suite === suite && one.criterion === named && isBarred(one, running),
    );
    const criterion = wasBarred ? WHOLE_SUITE : named;
    const limit = `${this.#timeoutMs} ms`;
    const reason = `The check ran past its limit of ${limit} and was stopped.`;
    this.#bar({ suite, criterion, reason, stops: { for: 'subject', subject } });
    const because = `${suite}/${criterion} ran past its limit of ${limit}`;
    return { suite, criterion, suspendedUntil: this.#suspend({ ...running, criterion }), because };
  }

  /** Gives the log time until which the criterion is suspended by this stop; undefined where it is not. */
  #suspend({
    suite,
    criterion,
    agent,
    logTime,
    weight,
  }: CheckTarget & { readonly criterion: string }): number | undefined {
    const limit = `${this.#timeoutMs} ms`;
    const pauses = [
      { agent, stopsMax: STOPS_UNTIL_SUSPENDED.ofOneAgent, of: 'of this agent' },
      { agent: undefined, stopsMax: STOPS_UNTIL_SUSPENDED.ofAll, of: 'of all agents' },
    ].flatMap(({ stopsMax, of, ...whose }) => {
      const pause = this.#record(JSON.stringify([suite, criterion, whose.agent]), { logTime, weight, stopsMax });
      if (pause === undefined) return [];
      const { until, weightMin } = pause;
      // The text is the same in every pause, so that an evaluation which is repeated in one is no new revision.
      const reason = `The check ran past its limit of ${limit} in several conversations ${of} that were not longer than this one, and is suspended for a while.`;
      this.#bar({ suite, criterion, reason, stops: { for: 'pause', ...whose, until, weightMin } });
      return [until];
    });
    return pauses.length === 0 ? undefined : Math.max(...pauses);
  }

  #record(
    key: string,
    { logTime, weight, stopsMax }: { readonly logTime: number; readonly weight: number; readonly stopsMax: number },
  ): Pick<StopRecord, 'until' | 'weightMin'> | undefined {
    const before = this.#records.get(key) ?? NEVER_STOPPED;
    const isOnTrial = logTime < before.until + STOPS_ADD_UP_MS;
    const stops = [...before.stops.filter(({ at }) => at > logTime - STOPS_ADD_UP_MS), { at: logTime, weight }];
    const isSuspended = isOnTrial || stops.length >= stopsMax;
    const pause = isSuspended ? Math.min(isOnTrial ? before.pause + 1 : 0, PAUSES_MS.length - 1) : before.pause;
    const until = isSuspended ? logTime + (PAUSES_MS[pause] ?? 0) : before.until;
    this.#records.delete(key);
    const lightest = Math.min(...stops.map((stop) => stop.weight));
    const lowered = weight < before.weightMin ? weight / 2 : before.weightMin;
    const weightMin = isOnTrial ? lowered : lightest;
    this.#records.set(key, { stops, pause, until, weightMin });
    const [oldest] = this.#records.keys();
    if (this.#records.size > RECORDS_MAX && oldest !== undefined) this.#records.delete(oldest);
    return isSuspended ? { until, weightMin } : undefined;
  }

  #bar(stopped: StoppedCheck): void {
    this.#stopped = [...this.#stopped.slice(1 - STOPPED_REMEMBERED), stopped];
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
