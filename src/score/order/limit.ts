/** How far apart two steps may be: `3 steps`, `500ms`, `30s`, `2m`, `1h`. */
export type Limit =
  | { readonly of: 'steps'; readonly steps: number; readonly words: string }
  | { readonly of: 'time'; readonly ms: number; readonly words: string };

export const LIMIT_EXPECTED = 'a number of steps such as `3 steps`, or a time such as `500ms`, `30s`, `2m`';

const STEPS = /^\s*(\d{1,6})\s+steps?\s*$/;
const TIME = /^\s*(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|m|h)\s*$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export function tryParseLimit(text: string): Limit | undefined {
  const words = text.trim();
  const steps = Number(STEPS.exec(text)?.[1]);
  if (steps > 0) return { of: 'steps', steps, words };
  const [, amount, unit] = TIME.exec(text) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  return ms > 0 ? { of: 'time', ms, words } : undefined;
}
