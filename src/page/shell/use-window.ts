/**
 * Keeps the rows of a long list out of the document until they come into sight. Rows have one height, which the style
 * sheet gives, so that nothing has to be measured and the scroll bar is right from the beginning.
 */
import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';

interface WindowOptions {
  readonly count: number;
  /** Custom property that has the height, in pixels. */
  readonly rowHeight: `--${string}`;
}

interface RowWindow {
  readonly first: number;
  /** One after the last row that is in the document. */
  readonly last: number;
  /** Gives the list the height of all rows. */
  readonly heightOf: {
    (count: number): (element: HTMLElement | null) => void;
    /** Puts a row in its place. */
    readonly place: (index: number) => (element: HTMLElement | null) => void;
  };
  readonly scrollTo: (index: number) => void;
}

/** Rows beyond the edges of what is in sight. */
const BEYOND = 8;

export function useWindow(frame: RefObject<HTMLElement | null>, { count, rowHeight }: WindowOptions): RowWindow {
  const [seen, setSeen] = useState({ height: 48, top: 0, size: 800 });
  const measure = useCallback(() => {
    const { current } = frame;
    if (current === null) return;
    const height = Number.parseFloat(getComputedStyle(current).getPropertyValue(rowHeight)) || 48;
    setSeen((now) => {
      const next = { height, top: current.scrollTop, size: current.clientHeight };
      return now.height === next.height && now.top === next.top && now.size === next.size ? now : next;
    });
  }, [frame, rowHeight]);
  useLayoutEffect(measure);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const resized = new ResizeObserver(measure);
    resized.observe(current);
    current.addEventListener('scroll', measure, { passive: true });
    return () => {
      resized.disconnect();
      current.removeEventListener('scroll', measure);
    };
  }, [frame, measure]);
  const first = Math.max(0, Math.min(Math.floor(seen.top / seen.height) - BEYOND, count - 1));
  const last = Math.min(count, Math.ceil((seen.top + seen.size) / seen.height) + BEYOND);
  const place = (index: number) => (element: HTMLElement | null) => {
    element?.style.setProperty('transform', `translateY(${index * seen.height}px)`);
  };
  const heightOf = Object.assign(
    (rows: number) => (element: HTMLElement | null) => element?.style.setProperty('height', `${rows * seen.height}px`),
    { place },
  );
  return {
    first,
    last,
    heightOf,
    scrollTo: (index) => scrollIntoSight(frame.current, index * seen.height, seen.height),
  };
}

/** As little as needed. */
function scrollIntoSight(frame: HTMLElement | null, top: number, height: number): void {
  if (frame === null) return;
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (top + height > frame.scrollTop + frame.clientHeight) frame.scrollTop = top + height - frame.clientHeight;
}
