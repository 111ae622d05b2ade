/** The way to all that the list finds, as a file. A link sends no token: there, a command does. */
import { h, type JSX } from 'preact';
import { keptToken } from '../api/token.ts';
import { withChanges } from '../shell/place.ts';
import { Copy } from '../text/copy.ts';

export function ExportLink({ asked }: { readonly asked: URLSearchParams }): JSX.Element {
  const query = withChanges(asked, { order: undefined }).toString();
  const address = query === '' ? '/api/v1/export' : `/api/v1/export?${query}`;
  if (keptToken() === undefined)
    return h(
      'a',
      { class: 'button quiet', href: address, download: 'conversations.jsonl', title: 'All of them, as lines of JSON' },
      'Export',
    );
  const url = new URL(address, location.href).href.replaceAll("'", '%27');
  return h(Copy, {
    label: 'Copy export command',
    text: `curl -fs -H "authorization: Bearer $ASSAY_TOKEN" -o conversations.jsonl '${url}'`,
  });
}
