/** `since` in a query: a time (`2026-11-21T08:00:00Z`) or a stretch back from now (`15m`, `24h`, `7d`). */
import { z } from 'zod';

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const since = z.string().transform((text, context) => {
  const ago = /^(\d{1,9})([smhd])$/.exec(text);
  // The cast holds: the pattern allows these units only.
  if (ago !== null) return Date.now() - Number(ago[1]) * UNITS_MS[ago[2] as keyof typeof UNITS_MS];
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    context.addIssue({
      code: 'custom',
      message: 'expected a time such as 2026-11-21T08:00:00Z or a stretch such as 24h',
    });
    return z.NEVER;
  }
  return time;
});
