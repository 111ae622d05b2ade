/** A view of one agent where none has conversations in the chosen time: when the newest began, and a time that has it. */
import type { ConversationList } from '../../api/conversation-list.ts';
import { serviceNow } from '../api/service-clock.ts';
import { useReply } from '../api/use-reply.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import { type Filter, FilterBar } from './filter-bar.tsx';
import { Here } from './here.tsx';
import { addressOf, type Place, withChanges } from './place.ts';

interface NoAgentProps {
  readonly place: Place;
  /** Title of the view. */
  readonly title: string;
  readonly filters: readonly Filter[];
}

const NEWEST = new URLSearchParams({ limit: '1' });
const LONGEST_MS = 90 * 86_400_000;

export function NoAgent({ place, title, filters }: NoAgentProps) {
  const newest = useReply<ConversationList>('/api/v1/conversations', { query: NEWEST });
  return (
    <>
      <h1 class="only-heard">{title}</h1>
      <FilterBar place={place} filters={filters} />
      <section class="problem">
        <h2>No agent has evaluated conversations in this time</h2>
        <Here of={newest}>{({ conversations: [one] }) => one !== undefined && <Newest place={place} {...one} />}</Here>
      </section>
    </>
  );
}

type Conversation = ConversationList['conversations'][number];

function Newest({ place, agent, began_at: at }: Pick<Conversation, 'agent' | 'began_at'> & { readonly place: Place }) {
  const isOlder = serviceNow() - Date.parse(at) > LONGEST_MS;
  const longer = withChanges(place.query, { agent, since: isOlder ? at : '90d', until: undefined });
  return (
    <>
      <p role="status">
        {'The newest conversation began '}
        <Time at={at} />
        {', and is of '}
        <SpanText text={agent} charactersMax={80} />
        {'.'}
      </p>
      <p>
        <a href={addressOf(place.view, longer)}>{isOlder ? 'Show all since then' : 'Show the last 90 days'}</a>
      </p>
    </>
  );
}
