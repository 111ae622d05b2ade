/**
 * The time that retention goes by: the wall clock, as long as it agrees with the time that has passed.
 *
 *   trusted --differs by more than a day--> held     nothing is deleted beyond the last trusted time
 *   held    --agrees again-----------------> trusted
 *   held    --the new time stood for a day-> trusted  by the new time
 *
 * A wrong answer of a time server, or a machine that wakes with a wrong clock, looks like 100 days of waiting. So does a
 * long down time, which cannot be told from it: what it made old is deleted a day later. A day of difference is allowed
 * because short down times are common, and because it deletes no more than a day early.
 */
export interface ClockState {
  /** Wall-clock time in milliseconds. */
  readonly trusted: number;
  /** Undefined while the clock is trusted. */
  readonly held: { readonly wall: number; readonly forMs: number } | undefined;
}

export interface ClockReading {
  readonly state: ClockState;
  /** Never later than the wall clock. */
  readonly now: number;
  /** By how much the wall clock differs, while it is not trusted. */
  readonly jumpMs: number | undefined;
}

const TRUSTED_DIFFERENCE_MS = 86_400_000;
const HELD_MS = 86_400_000;

/** `elapsedMs` is what a clock that does not jump says since the reading before; 0 for the first of a process. */
export function readClock(
  before: ClockState | undefined,
  { wall, elapsedMs }: { readonly wall: number; readonly elapsedMs: number },
): ClockReading {
  // A clock that does not jump gives fractions of a millisecond, and databases take none.
  const trusted = Math.floor((before?.trusted ?? wall) + elapsedMs);
  const trust = (): ClockReading => ({ state: { trusted: wall, held: undefined }, now: wall, jumpMs: undefined });
  if (before === undefined || isNear(wall, trusted)) return trust();
  const { held } = before;
  const isSame = held !== undefined && isNear(wall, held.wall + elapsedMs);
  const forMs = isSame ? held.forMs + elapsedMs : 0;
  if (forMs >= HELD_MS) return trust();
  return { state: { trusted, held: { wall, forMs } }, now: Math.min(wall, trusted), jumpMs: wall - trusted };
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= TRUSTED_DIFFERENCE_MS;
}
