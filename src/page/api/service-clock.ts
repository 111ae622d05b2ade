/**
 * The clock of the service, by what its answers say. That of a device may be hours off; ages and `today` are told by the
 * one that the times come from.
 */
export const CLOCK_FOUND_OFF = 'assay:clock';

/** Answers say the time to the second, and take a while to come. */
const TOLERATED_MS = 2 * 60_000;

let offMs = 0;

export function noteServiceTime(date: string | null): void {
  const at = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(at)) return;
  const found = at - Date.now();
  const next = Math.abs(found) > TOLERATED_MS ? found : 0;
  // Once it is off, small changes are those of the network.
  if (Math.abs(next - offMs) <= TOLERATED_MS) return;
  offMs = next;
  window.dispatchEvent(new Event(CLOCK_FOUND_OFF));
}

export function serviceNow(): number {
  return Date.now() + offMs;
}

/** Positive where the device is behind. 0 where the clocks agree. */
export function clockOffMs(): number {
  return offMs;
}
