/**
 * The row of a list that the keys are at. Keys may come faster than the page is drawn: a second press goes on from the row
 * that the first one reached.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface ActiveRow {
  /** As it is drawn; undefined before a row was chosen. */
  readonly active: number | undefined;
  /** The row that was reached, drawn or not; the first before one was chosen. */
  readonly reached: () => number;
  readonly setActive: (index: number) => void;
  /** Goes on by so many rows, within the list. Undefined where the list is empty. */
  readonly move: (by: number, count: number) => number | undefined;
}

/** `open` is the row that is shown beside or below the list; -1 for none. */
export function useActiveRow(open: number): ActiveRow {
  const [active, setDrawn] = useState<number | undefined>();
  const latest = useRef<number | undefined>(undefined);
  const setActive = (index: number) => {
    latest.current = index;
    setDrawn(index);
  };
  // With the drawing itself: later, it would take back what a key has reached meanwhile.
  useLayoutEffect(() => {
    if (open >= 0) setActive(open);
  }, [open]);
  const move = (by: number, count: number) => {
    const next = rowAfter(latest.current, by, count);
    if (next !== undefined) setActive(next);
    return next;
  };
  return { active, reached: () => latest.current ?? 0, setActive, move };
}

/** The first row where none was chosen yet, in either direction. */
export function rowAfter(row: number | undefined, by: number, count: number): number | undefined {
  if (count === 0) return undefined;
  return row === undefined ? 0 : Math.min(Math.max(row + by, 0), count - 1);
}
