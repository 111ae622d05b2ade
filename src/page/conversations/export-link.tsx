/** The way to all that the list finds, as a file. A link sends no token: there, a command does. */
import { keptToken } from '../api/token.ts';
import { withChanges } from '../shell/place.ts';
import { Copy } from '../text/copy.tsx';

export function ExportLink({ asked }: { readonly asked: URLSearchParams }) {
  const query = withChanges(asked, { order: undefined }).toString();
  const address = query === '' ? '/api/v1/export' : `/api/v1/export?${query}`;
  if (keptToken() === undefined)
    return (
      <a class="button quiet" href={address} download="conversations.jsonl" title="All of them, as lines of JSON">
        Export
      </a>
    );
  const url = new URL(address, location.href).href.replaceAll("'", '%27');
  return (
    <Copy
      label="Copy export command"
      text={`curl -fs -H "authorization: Bearer $ASSAY_TOKEN" -o conversations.jsonl '${url}'`}
    />
  );
}
