/** The head of a table, as all tables of the page have it. */
import { h, type JSX } from 'preact';

/** `heads` has the class of the column by its words. */
export function TableHead({ heads }: { readonly heads: Readonly<Record<string, string>> }): JSX.Element {
  return h(
    'thead',
    null,
    h(
      'tr',
      null,
      ...Object.entries(heads).map(([head, kind]) => h('th', { key: head, scope: 'col', class: kind }, head)),
    ),
  );
}
