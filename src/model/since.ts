/** A time that a person writes as the start of a range: `2026-11-21T08:00:00Z`, or a stretch back from now (`15m`, `24h`, `7d`). */
const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A hundred years: beyond it a date can't be made. */
const STRETCH_MAX_MS = 100 * 365 * 86_400_000;

/** Undefined for text that is neither. */
export function timeSince(text: string, now: number): number | undefined {
  const ago = /^(\d{1,9})([smhd])$/.exec(text);
  if (ago !== null) {
    // The cast holds: the pattern allows these units only.
    const stretch = Number(ago[1]) * UNITS_MS[ago[2] as keyof typeof UNITS_MS];
    return stretch > 0 && stretch <= STRETCH_MAX_MS ? now - stretch : undefined;
  }
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
