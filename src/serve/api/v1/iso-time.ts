/** Milliseconds as the API writes a time. A clock of a client may have said anything: what no date can hold is its nearest date. */
const DATE_MAX_MS = 8.64e15;

export function isoTime(milliseconds: number): string {
  const known = Number.isNaN(milliseconds) ? 0 : milliseconds;
  return new Date(Math.min(DATE_MAX_MS, Math.max(-DATE_MAX_MS, known))).toISOString();
}
