/**
 * Whether a judge is asked at all.
 *
 *   asked    -- something that somebody has to mend ---------> stopped
 *   asked    -- nothing but failures, several in a row ------> stopped
 *   stopped  -- the pause is over ---------------------------> tried: one call, a question that waits anyway
 *   tried    -- it fails the same way -----------------------> stopped, for twice as long
 *   tried    -- the provider does its work ------------------> asked
 *
 * A crash forgets it: the first calls after it find out again. No question fails because of it; it waits, up to the limit.
 */
import type { JudgeFailure } from '../model/judging.ts';
import type { CallTrouble } from './model-error.ts';

interface Stopped {
  readonly failure: JudgeFailure;
  readonly reason: string;
}

export interface CircuitTimes {
  /** The first pause. */
  readonly firstMs: number;
  readonly mostMs: number;
}

export const CIRCUIT_TIMES: CircuitTimes = { firstMs: 10_000, mostMs: 300_000 };
const MISSES_MAX = 5;
const MISSES: ReadonlySet<JudgeFailure> = new Set(['unreachable', 'timeout', 'server-error']);

export class Circuit {
  readonly #times: CircuitTimes;
  #misses = 0;
  #stopped: (Stopped & { readonly pauses: number; readonly tryAt: number }) | undefined;
  #isTrying = false;

  constructor(times: CircuitTimes) {
    this.#times = times;
  }

  get stopped(): Stopped | undefined {
    return this.#stopped;
  }

  /** How long until a call may be made: Infinity while the one that tries is under way. */
  waitMs(now: number): number {
    if (this.#stopped === undefined) return 0;
    return this.#isTrying ? Number.POSITIVE_INFINITY : Math.max(0, this.#stopped.tryAt - now);
  }

  /** A call begins. Gives whether it is the one that tries; only that one's end says anything about a judge that is stopped. */
  begin(): boolean {
    if (this.#stopped === undefined) return false;
    this.#isTrying = true;
    return true;
  }

  /** The provider did its work, whatever it said. Gives whether the judge was stopped until now. */
  answered(isTrial: boolean): boolean {
    this.#misses = 0;
    if (this.#stopped === undefined) return false;
    if (!isTrial) return false;
    this.#isTrying = false;
    this.#stopped = undefined;
    return true;
  }

  /** Gives why the judge stops, where it does so now, and for how long. */
  failed(trouble: CallTrouble, { isTrial, now }: { readonly isTrial: boolean; readonly now: number }) {
    if (isTrial) this.#isTrying = false;
    if (MISSES.has(trouble.failure)) this.#misses += 1;
    const isDown = trouble.remedy === 'mend' || this.#misses >= MISSES_MAX;
    if (!isDown && !isTrial) return undefined;
    // Failures of calls in flight when the judge stopped are no new evidence.
    if (this.#stopped !== undefined && !isTrial) return undefined;
    const pauses = (this.#stopped?.pauses ?? 0) + 1;
    const ownMs = Math.min(this.#times.mostMs, this.#times.firstMs * 2 ** Math.min(pauses - 1, 20));
    const pauseMs = Math.max(ownMs, trouble.retryAfterMs);
    this.#stopped = { failure: trouble.failure, reason: trouble.reason, pauses, tryAt: now + pauseMs };
    return { failure: trouble.failure, reason: trouble.reason, pauseMs };
  }
}
