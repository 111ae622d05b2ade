/**
 * Rows that somebody chose, and what can be done with them: a link to just these, and a file of cases for a dataset. The
 * choice is of this tab, and outlives what the list is asked; a link keeps it.
 */
import { useState } from 'preact/hooks';
import type { ConversationItem } from '../../api/conversation-list.ts';
import { askText } from '../api/ask.ts';
import { addressOf, withChanges } from '../shell/place.ts';
import { Copy } from '../text/copy.tsx';
import { counted } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';

/** The API lists as many by their ids. */
const CHOSEN_MAX = 50;

export interface Choice {
  /** Undefined while nobody chooses. */
  readonly ids: ReadonlySet<string> | undefined;
  /** Chooses the row or gives it up; with `isRange` all from the one before to it are chosen. */
  readonly toggle: (index: number, isRange?: boolean) => void;
  readonly begin: () => void;
  readonly end: () => void;
}

export function useChoice(rows: readonly ConversationItem[]): Choice {
  const [ids, setIds] = useState<ReadonlySet<string>>();
  const [from, setFrom] = useState<string>();
  const toggle = (index: number, isRange = false) => {
    const id = rows[index]?.conversation_id;
    if (id === undefined) return;
    const before = rows.findIndex((row) => row.conversation_id === from);
    const chosen = new Set(ids);
    if (isRange && before >= 0)
      for (const row of rows.slice(Math.min(before, index), Math.max(before, index) + 1))
        chosen.add(row.conversation_id);
    else if (!chosen.delete(id)) chosen.add(id);
    setFrom(id);
    setIds(new Set([...chosen].slice(0, CHOSEN_MAX)));
  };
  return { ids, toggle, begin: () => setIds(new Set()), end: () => setIds(undefined) };
}

/** `query` has what is shown besides the filters, such as columns. */
export function ChosenBar({ choice, query }: { readonly choice: Choice; readonly query: URLSearchParams }) {
  const ids = [...(choice.ids ?? [])];
  const address = addressOf('conversations', withChanges(query, { conversation_id: ids }));
  return (
    <section class="chosen-bar" aria-label="Chosen conversations">
      <span role="status">
        {ids.length === 0
          ? 'Choose rows, by their boxes or with x'
          : `${counted(ids.length, 'conversation')} chosen${ids.length === CHOSEN_MAX ? ', which is the most' : ''}`}
      </span>
      {ids.length > 0 && (
        <>
          <a class="button quiet" href={address}>
            Show only these
          </a>
          <Copy label="Copy link to these" text={new URL(address, location.href).href} />
          <SaveCases key={ids.join()} ids={ids} />
        </>
      )}
      <button type="button" class="quiet" onClick={choice.end}>
        Done<kbd>esc</kbd>
      </button>
    </section>
  );
}

/** A file for a folder of datasets. A conversation that cannot be run again is left out, and the reason is said. */
function SaveCases({ ids }: { readonly ids: readonly string[] }) {
  const [said, setSaid] = useState<string>();
  const save = async () => {
    const lines: string[] = [];
    const reasons = new Set<string>();
    for (const [done, id] of ids.entries()) {
      setSaid(`${done + 1} of ${ids.length} …`);
      const reply = await askText(`/api/v1/case/${encodeURIComponent(id)}`);
      if (reply.is === 'here') lines.push(reply.value);
      else reasons.add(reply.why);
    }
    if (lines.length > 0) saveFile('cases.jsonl', lines.join(''));
    const left = ids.length - lines.length;
    const saved = `${counted(lines.length, 'case')} saved`;
    setSaid(left === 0 ? saved : `${saved}, ${left} left out: ${[...reasons].join('; ')}`);
  };
  return (
    <>
      <button type="button" class="quiet" title="For assay run: docs/score/datasets.md" onClick={() => void save()}>
        Save as dataset cases
      </button>
      <span role="status">{said !== undefined && <SpanText text={said} charactersMax={400} />}</span>
    </>
  );
}

function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
