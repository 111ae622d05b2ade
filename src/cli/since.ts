/** A time that a person gives: `2026-11-21T08:00:00Z`, or a stretch back from now, as `15m`, `24h`, `7d`. */
import { CommandFailure, EXIT } from './exit-codes.ts';
import { safe } from './terminal.ts';

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A hundred years. */
const STRETCH_MAX_MS = 100 * 365 * 86_400_000;

export function sinceOf(text: string | undefined, now: number = Date.now()): number | undefined {
  if (text === undefined) return undefined;
  const ago = /^(\d{1,9})([smhd])$/.exec(text);
  // The cast holds: the pattern allows these units only.
  const stretch = ago === null ? undefined : Number(ago[1]) * UNITS_MS[ago[2] as keyof typeof UNITS_MS];
  if (stretch !== undefined && stretch > 0 && stretch <= STRETCH_MAX_MS) return now - stretch;
  const time = stretch === undefined ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new CommandFailure(
    `--since ${safe(text, 60)}: expected a stretch such as 24h or 7d, or a time such as 2026-11-21T08:00:00Z`,
    EXIT.usage,
  );
}
