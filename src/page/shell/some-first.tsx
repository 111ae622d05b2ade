/** The first rows of a list that may be long: the rest comes into the document when somebody asks for it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { countText } from '../text/format.ts';

interface SomeFirstProps<Row> {
  readonly of: readonly Row[];
  readonly atATime: number;
  /** Shows the rows, in the list that they need. */
  readonly children: (shown: readonly Row[]) => ComponentChildren;
}

export function SomeFirst<Row>({ of: rows, atATime, children }: SomeFirstProps<Row>) {
  const [count, setCount] = useState(atATime);
  const left = rows.length - count;
  return (
    <>
      {children(rows.slice(0, count))}
      {left > 0 && (
        <p class="aside">
          {`${countText(left)} more `}
          <button type="button" class="quiet" onClick={() => setCount(count + atATime)}>
            {`Show ${countText(Math.min(left, atATime))} more`}
          </button>
        </p>
      )}
    </>
  );
}
