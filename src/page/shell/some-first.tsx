/** The first rows of a list that may be long: the rest comes into the document when somebody asks for it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { countText } from '../text/format.ts';

interface SomeFirstProps<Row> {
  readonly of: readonly Row[];
  readonly atATime: number;
  /** Shows all that are left at once, in place of some more. */
  readonly next?: 'all';
  /** Shows the rows, in the list that they need. */
  readonly children: (shown: readonly Row[]) => ComponentChildren;
}

export function SomeFirst<Row>({ of: rows, atATime, next, children }: SomeFirstProps<Row>) {
  const [count, setCount] = useState(atATime);
  const left = rows.length - count;
  const more = next === 'all' ? left : Math.min(left, atATime);
  return (
    <>
      {children(rows.slice(0, count))}
      {left > 0 && (
        <p class="aside">
          {`${countText(left)} more `}
          <button type="button" class="quiet" onClick={() => setCount(count + more)}>
            {next === 'all' ? 'Show all' : `Show ${countText(more)} more`}
          </button>
        </p>
      )}
    </>
  );
}
