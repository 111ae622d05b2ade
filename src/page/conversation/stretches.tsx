/**
 * A long list as stretches: the first one is shown, and the one with the row that was asked for. A button in each gap
 * shows the next stretch of it, so that the beginning is never out of reach, and the document stays small.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { countText } from '../text/format.ts';

interface StretchesProps<Row> {
  readonly of: readonly Row[];
  readonly atATime: number;
  /** Index of the row that has to be there; -1 for none. */
  readonly wanted: number;
  /** A row in the plural, such as `turns`. */
  readonly name: string;
  /** Element around rows and buttons that may hold both. */
  readonly children: (row: Row, index: number) => ComponentChildren;
}

export function Stretches<Row>({ of: rows, atATime, wanted, name, children }: StretchesProps<Row>) {
  const [asked, setAsked] = useState<ReadonlySet<number>>(new Set([0]));
  const isShown = (stretch: number) => asked.has(stretch) || (wanted >= 0 && Math.floor(wanted / atATime) === stretch);
  const stretches = Array.from({ length: Math.ceil(rows.length / atATime) }, (_, index) => index);
  return (
    <>
      {stretches.map((stretch) => {
        const from = stretch * atATime;
        if (isShown(stretch)) return rows.slice(from, from + atATime).map((row, index) => children(row, from + index));
        if (!isShown(stretch - 1)) return null;
        const end = stretches.find((later) => later > stretch && isShown(later));
        const hidden = Math.min((end ?? stretches.length) * atATime, rows.length) - from;
        const next = Math.min(atATime, hidden);
        return (
          <li key={`gap ${stretch}`} class="gap">
            <button type="button" class="quiet" onClick={() => setAsked(new Set([...asked, stretch]))}>
              {`Show ${name} ${countText(from + 1)} to ${countText(from + next)}`}
            </button>
            {next < hidden && <span class="aside">{`${countText(hidden)} are not shown here`}</span>}
          </li>
        );
      })}
    </>
  );
}
