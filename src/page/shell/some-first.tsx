/** The first rows of a list that may be long: the rest comes into the document when somebody asks for it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { countText } from '../text/format.ts';

interface SomeFirst<Row> {
  readonly shown: readonly Row[];
  /** The button that shows more; null where all is shown. */
  readonly more: JSX.Element | null;
}

export function useSomeFirst<Row>(rows: readonly Row[], atATime: number): SomeFirst<Row> {
  const [count, setCount] = useState(atATime);
  const left = rows.length - count;
  const onClick = () => setCount(count + atATime);
  return {
    shown: left > 0 ? rows.slice(0, count) : rows,
    more:
      left > 0 ? (
        <p class="aside">
          {`${countText(left)} more `}
          <button
            type="button"
            class="quiet"
            onClick={onClick}
          >{`Show ${countText(Math.min(left, atATime))} more`}</button>
        </p>
      ) : null,
  };
}
