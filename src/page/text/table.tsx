/** A table of the page. One with a label is as wide as it needs, and scrolls within its frame. */
import type { ComponentChildren } from 'preact';

interface TableProps {
  /** The class of each column, by the words of its head; a head of the class `only-heard` is not seen. */
  readonly heads: Readonly<Record<string, string>>;
  readonly class?: string;
  readonly label?: string;
  /** The rows. */
  readonly children: ComponentChildren;
}

export function Table({ heads, class: name, label, children }: TableProps) {
  const table = (
    <table class={name}>
      <thead>
        <tr>
          {Object.entries(heads).map(([head, kind]) => (
            <th key={head} scope="col" class={kind === 'only-heard' ? undefined : kind}>
              {kind === 'only-heard' ? <span class="only-heard">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
  if (label === undefined) return table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to scroll by the keyboard as well
    <section class="table-frame" tabIndex={0} aria-label={label}>
      {table}
    </section>
  );
}
