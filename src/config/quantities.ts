/**
 * Durations and sizes as people write them. `10s`, `5m`, `1.5h`, `30d`; `64MiB`, `2GB`, `512KiB`. A bare number is seconds
 * or bytes. Inside, everything is milliseconds and bytes.
 */
import { z } from 'zod';

const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIZE_UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};
const QUANTITY = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/;

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** To whole milliseconds. */
export function durationMs(bounds: Bounds) {
  const expected = `a duration such as 10s, 5m or 2h, from ${formatDuration(bounds.min)} to ${formatDuration(bounds.max)}`;
  return quantity(expected, bounds, DURATION_UNITS, 's');
}

/** To whole bytes. */
export function sizeBytes(bounds: Bounds) {
  const expected = `a size such as 64MiB or 2GB, from ${formatSize(bounds.min)} to ${formatSize(bounds.max)}`;
  return quantity(expected, bounds, SIZE_UNITS, 'B');
}

function quantity(expected: string, { min, max }: Bounds, units: Readonly<Record<string, number>>, bare: string) {
  return z.union([z.string(), z.number()], expected).transform((written, context) => {
    const [, digits = '', unit = ''] = QUANTITY.exec(String(written).trim()) ?? [];
    const factor = units[unit === '' ? bare : unit];
    const amount = digits === '' || factor === undefined ? Number.NaN : Math.round(Number(digits) * factor);
    if (amount >= min && amount <= max) return amount;
    context.addIssue({ code: 'custom', message: expected });
    return z.NEVER;
  });
}

export function formatDuration(ms: number): string {
  return format(ms, DURATION_UNITS, ['d', 'h', 'm', 's', 'ms']);
}

function formatSize(bytes: number): string {
  return format(bytes, SIZE_UNITS, ['TiB', 'GiB', 'MiB', 'KiB', 'B']);
}

/** In the largest unit that gives a whole number. */
function format(amount: number, units: Readonly<Record<string, number>>, largestFirst: readonly string[]): string {
  const unit = largestFirst.find((candidate) => amount % (units[candidate] ?? 1) === 0 && amount > 0);
  const chosen = unit ?? largestFirst.at(-1) ?? '';
  return `${amount / (units[chosen] ?? 1)}${chosen}`;
}
