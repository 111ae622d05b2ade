/**
 * When a conversation happened: its `began_at`, at which its first turn began by the clock of its spans. Lists, ranges,
 * trends and comparisons go by it, and an evaluation of a turn by the time at which that turn began. So a history that
 * is read in today is shown on its own days. Log time, which is about arrival, stays inside the pipeline: it closes
 * turns and conversations, and detection observes by it.
 *
 * Clocks of spans may be wrong. A time that cannot be true gives way to that of arrival, which is counted
 * (`assay_turns_clock_wrong_total`) and noted on the conversation. The earliest of several times stays, so neither the
 * order of arrival nor a re-evaluation changes it, except for a turn that began before those that were known.
 */
import type { WrongClock } from '../model/events/scoring-events.ts';
import type { StoredConversation } from '../store/engine-store.ts';
import type { SeenConversation } from '../store/evaluation-columns.ts';

export { timeOf } from '../store/evaluation-columns.ts';

/** No spans of agents are older. A clock that was never set says 1970. */
export const EARLIEST_MS = Date.UTC(2000, 0, 1);
/** Clocks of machines that nobody synchronizes differ by minutes. */
export const AHEAD_MAX_MS = 10 * 60_000;

/** How a time of spans is wrong that arrived then, in log time; undefined if it can be true. */
export function wrongClock(time: number, arrivedAt: number): WrongClock | undefined {
  if (!(time >= EARLIEST_MS)) return 'before_2000';
  if (time <= arrivedAt + AHEAD_MAX_MS) return undefined;
  // Log time is behind the wall clock for a while after a start, and a recording may have none.
  return time > Date.now() + AHEAD_MAX_MS ? 'future' : undefined;
}

/** The time in whole milliseconds if it can be true, otherwise that of arrival. A number of nanoseconds is not exact. */
export function believed(time: number, arrivedAt: number): number {
  return wrongClock(time, arrivedAt) === undefined ? Math.round(time) : arrivedAt;
}

/** The time of an evaluation that is made now: of a turn, whose own time is given, or of a conversation. */
export function timeOfNew(
  { glance, lastClosedAt }: Pick<StoredConversation, 'glance' | 'lastClosedAt'>,
  {
    own,
    logTime,
    before,
  }: { readonly own: number | undefined; readonly logTime: number; readonly before: SeenConversation | undefined },
): number {
  // A re-evaluation comes later than the turn arrived.
  const arrivedAt = Math.min(logTime, lastClosedAt);
  const began = own === undefined ? (glance.beganAtMs ?? arrivedAt) : believed(own, arrivedAt);
  return Math.min(began, before?.beganAt ?? began);
}
