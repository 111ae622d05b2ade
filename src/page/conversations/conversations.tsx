/**
 * Conversations: a list that reads like sentences, the failed ones first or the latest, and beside it the one that is
 * open. Everything that is chosen is in the address.
 */
import type { ConversationItem } from '../../api/conversation-list.ts';
import { Conversation } from '../conversation/conversation.tsx';
import { FilterBar } from '../shell/filter-bar.tsx';
import { useKeys } from '../shell/keys.ts';
import { goTo } from '../shell/navigation.ts';
import { addressOf, onlyOf, withChanges } from '../shell/place.ts';
import { Problem } from '../shell/problem.tsx';
import { useActiveRow } from '../shell/use-active-row.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { countText, counted } from '../text/format.ts';
import { conversationFilters, FromLinks, listQueryOf, Search } from './conversation-filters.tsx';
import { ChosenBar, useChoice } from './chosen-rows.tsx';
import { ColumnMenu, columnsOf, columnsText } from './columns.tsx';
import { ConversationRows } from './conversation-rows.tsx';
import { ExportLink } from './export-link.tsx';
import { SetApart } from './set-apart.tsx';
import { type LoadedList, useConversations } from './use-conversations.ts';
import { ViewMenu } from './view-menu.tsx';
import { WentWrong } from './went-wrong.tsx';

export function Conversations({ place, facets }: ViewProps) {
  const asked = listQueryOf(place);
  const list = useConversations(asked);
  const columns = columnsOf(place, facets);
  const { conversation: open } = place;
  const choice = useChoice(list.rows);
  const position = list.rows.findIndex(({ conversation_id: id }) => id === open);
  const { active, reached, setActive, move } = useActiveRow(position);
  const query = withChanges(place.query, { verdict: undefined, turn: undefined, reading: undefined, step: undefined });
  const show = (row: ConversationItem | undefined, replaces = open !== undefined) => {
    if (row !== undefined) goTo(addressOf('conversations', query, row.conversation_id), { replaces });
  };
  const step = (by: number) => {
    const next = move(by, list.rows.length);
    if (next === undefined) return;
    if (open !== undefined) show(list.rows[next], true);
    if (next >= list.rows.length - 5) list.more();
  };
  const close = () => goTo(addressOf('conversations', query));
  useKeys([
    { key: 'j', does: 'next conversation', press: () => step(1) },
    { key: 'k', does: 'previous conversation', press: () => step(-1) },
    { key: 'enter', does: 'open it', press: () => show(list.rows[reached()]) },
    {
      key: 'esc',
      does: 'close it',
      press: () => (open !== undefined ? close() : choice.ids === undefined ? leaveField() : choice.end()),
    },
    { key: 'x', does: 'choose the row, or give it up', press: () => choice.toggle(reached()) },
    { key: '/', does: 'search', press: () => document.getElementById('words')?.focus() },
  ]);
  const row = position < 0 ? undefined : { at: position, of: list.rows.length, hasMore: list.hasMore };
  return (
    <div class={open === undefined ? 'conversations' : 'conversations with-detail'}>
      <h1 class="only-heard">Conversations</h1>
      <section class="list-pane" aria-label="List of conversations">
        <FilterBar
          place={place}
          filters={conversationFilters(place, facets)}
          shared={{ columns: columnsText(columns) }}
        >
          <div class="filter-row">
            <FromLinks place={place} />
            <Search place={place} />
          </div>
        </FilterBar>
        <SetApart place={place} />
        <div class="list-line">
          <ListState list={list} />
          <div class="list-tools">
            <WentWrong place={place} />
            <ColumnMenu place={place} facets={facets} />
            <ViewMenu place={place} />
            <button
              type="button"
              class="button quiet"
              aria-pressed={choice.ids !== undefined}
              onClick={choice.ids === undefined ? choice.begin : choice.end}
            >
              Select
            </button>
            <ExportLink asked={asked} />
          </div>
        </div>
        {choice.ids !== undefined && <ChosenBar choice={choice} query={onlyOf(place.query, ['columns'])} />}
        <ConversationRows
          list={list}
          choice={choice}
          active={active}
          open={open}
          query={query}
          columns={columns}
          onActive={setActive}
        />
      </section>
      {open !== undefined && (
        <Conversation key={open} id={open} place={place} row={row} onClose={close} onStep={step} />
      )}
    </div>
  );
}

function leaveField(): void {
  const { activeElement: field } = document;
  if (field instanceof HTMLElement) field.blur();
}

function ListState({ list }: { readonly list: LoadedList }) {
  const { rows, hasMore, isLoading, problem, lookedAt, total, fresh, showFresh, more, again } = list;
  if (problem !== undefined) return <Problem of={problem} again={again} />;
  const isEmpty = rows.length === 0 && !isLoading;
  return (
    <p class="list-state" role="status">
      {isEmpty && !hasMore && 'No conversation matches these filters. '}
      {isEmpty && !hasMore && <a href="/conversations">Show all</a>}
      {isEmpty && hasMore && `None among the ${counted(lookedAt, 'conversation')} looked at so far. `}
      {isEmpty && hasMore && (
        <button type="button" class="quiet" onClick={more}>
          Look further
        </button>
      )}
      {!isEmpty && rows.length === 0 && 'Loading …'}
      {rows.length > 0 &&
        (hasMore && total === undefined
          ? `${countText(rows.length)} or more conversations`
          : counted(total ?? rows.length, 'conversation'))}
      {fresh > 0 && ' '}
      {fresh > 0 && (
        <button type="button" class="fresh" onClick={showFresh}>{`${countText(fresh)} new or changed`}</button>
      )}
    </p>
  );
}
