/**
 * The parts of a change of TCR as people see them: few rows, in tenths of points, that add up to the change beside them
 * to the digit. Omitted rows are summed up in one more row, and rounding is spread so that nothing is left over.
 */
interface Part {
  readonly part: string;
  readonly criterion: string;
  readonly points: number;
}

export interface ShownPart {
  readonly part: 'criterion' | 'mix' | 'others';
  readonly criterion: string;
  /** Tenths of points: -122 is 12.2 points less. */
  readonly tenths: number;
}

interface ShownParts {
  readonly tenths: number;
  readonly parts: readonly ShownPart[];
}

const TENTHS = 1000;

/** The `most` parts that moved it most, whichever way, and the rest as one. */
export function shownParts(parts: readonly Part[], most: number): ShownParts {
  const rows = rounded(parts);
  const bySize = rows.filter(({ tenths }) => tenths !== 0).toSorted((a, b) => Math.abs(b.tenths) - Math.abs(a.tenths));
  const shown = bySize.slice(0, most).toSorted((a, b) => a.tenths - b.tenths);
  const rest = sum(bySize.slice(most));
  return {
    tenths: sum(rows),
    parts: bySize.length > most ? [...shown, { part: 'others', criterion: '', tenths: rest }] : shown,
  };
}

/** To tenths whose sum is the rounded sum: those that lose most by rounding down are rounded up. */
function rounded(parts: readonly Part[]): readonly ShownPart[] {
  const whole = Math.round(parts.reduce((total, { points }) => total + points, 0) * TENTHS);
  const floors = parts.map(({ points }) => Math.floor(points * TENTHS));
  const missing = whole - floors.reduce((total, floor) => total + floor, 0);
  const raised = new Set(
    parts
      .map(({ points }, index) => ({ index, lost: points * TENTHS - (floors[index] as number) }))
      .toSorted((a, b) => b.lost - a.lost)
      .slice(0, missing)
      .map(({ index }) => index),
  );
  return parts.map(({ part, criterion }, index) => ({
    part: part === 'mix' ? 'mix' : 'criterion',
    criterion,
    tenths: (floors[index] as number) + (raised.has(index) ? 1 : 0),
  }));
}

function sum(parts: readonly ShownPart[]): number {
  return parts.reduce((total, { tenths }) => total + tenths, 0);
}

/** With its sign: `−12.2 points`. */
export function inPoints(tenths: number): string {
  const size = (Math.abs(tenths) / 10).toFixed(1);
  return `${tenths < 0 ? '−' : '+'}${size} points`;
}
