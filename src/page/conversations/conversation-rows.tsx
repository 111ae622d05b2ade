/**
 * Rows of the list. Only those in sight are in the document, however long the list is; it goes on by itself as somebody
 * reads towards its end.
 */
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ConversationItem } from '../../api/conversation-list.ts';
import { writtenOut } from '../../model/visible-text.ts';
import { wordFinder } from '../../model/word-forms.ts';
import { useWindow } from '../shell/use-window.ts';
import { addressOf } from '../shell/place.ts';
import type { Choice } from './chosen-rows.tsx';
import type { ColumnName } from './columns.tsx';
import { ConversationRow } from './conversation-row.tsx';
import type { LoadedList } from './use-conversations.ts';

interface RowsProps {
  readonly list: LoadedList;
  readonly choice: Choice;
  /** The row that the keys are at. */
  readonly active: number | undefined;
  /** The id of the conversation that is shown beside the list. */
  readonly open: string | undefined;
  readonly query: URLSearchParams;
  readonly columns: readonly ColumnName[];
  readonly onActive: (index: number) => void;
}

/** Rows before the end at which the next page is asked for. */
const AHEAD = 15;
/** More of them take lines of their own on a narrow screen. */
const FEW_COLUMNS = 6;
/** In characters. */
const NAME_WIDTHS = { least: 5, most: 20 };

export function ConversationRows({ list, choice, active, open, query, columns, onActive }: RowsProps) {
  const { rows, hasMore, more } = list;
  const frame = useRef<HTMLDivElement>(null);
  const { first, last, heightOf, scrollTo } = useWindow(frame, { count: rows.length, rowHeight: '--list-row' });
  useEffect(() => {
    if (hasMore && last >= rows.length - AHEAD && rows.length > 0) more();
  });
  useLayoutEffect(() => {
    if (active !== undefined) scrollTo(active);
  }, [active, open]);
  const shown = rows.slice(first, last);
  // Rows of the question before would all be asked for a place that they do not have.
  const words = list.isCurrent ? query.get('words') : null;
  const search = useMemo(() => (words === null ? undefined : { words, isFound: wordFinder(words) }), [words]);
  // Each row is a grid of its own: columns of names are as wide as the longest of all rows.
  useLayoutEffect(() => {
    const widest = (of: (row: ConversationItem) => string) =>
      `${Math.min(NAME_WIDTHS.most, Math.max(NAME_WIDTHS.least, ...rows.map((row) => of(row).length)))}ch`;
    frame.current?.style.setProperty(
      '--version-width',
      widest((row) => row.agent_version),
    );
    frame.current?.style.setProperty(
      '--agent-width',
      widest((row) => row.agent),
    );
  }, [rows]);
  return (
    <div
      ref={frame}
      class={frameClass({ isWide: columns.length > FEW_COLUMNS, isChoosing: choice.ids !== undefined })}
      tabIndex={-1}
    >
      <ol class="rows" ref={heightOf(rows.length)}>
        {shown.map((row, offset) => {
          const index = first + offset;
          return (
            <li
              key={row.conversation_id}
              ref={heightOf.place(index)}
              class={rowClass({ isActive: index === active, isOpen: row.conversation_id === open })}
              aria-setsize={hasMore ? -1 : rows.length}
              aria-posinset={index + 1}
            >
              {choice.ids !== undefined && (
                <input
                  type="checkbox"
                  class="row-choice"
                  aria-label={`Choose ${writtenOut(row.asked ?? row.conversation_id)}`}
                  checked={choice.ids.has(row.conversation_id)}
                  onClick={({ shiftKey }) => choice.toggle(index, shiftKey)}
                />
              )}
              <ConversationRow
                row={row}
                href={addressOf('conversations', query, row.conversation_id)}
                isOpen={row.conversation_id === open}
                suites={query.getAll('suite')}
                columns={columns}
                search={search}
                onFocus={() => onActive(index)}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function frameClass({ isWide, isChoosing }: { readonly isWide: boolean; readonly isChoosing: boolean }): string {
  return ['row-frame', isWide ? 'many-columns' : '', isChoosing ? 'choosing' : '']
    .filter((one) => one !== '')
    .join(' ');
}

function rowClass({ isActive, isOpen }: { readonly isActive: boolean; readonly isOpen: boolean }): string {
  return ['row', isActive ? 'active' : '', isOpen ? 'open' : ''].filter((one) => one !== '').join(' ');
}
