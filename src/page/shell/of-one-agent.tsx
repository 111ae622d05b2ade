/**
 * A view of one agent. It says when the newest conversation began, and links to a time that has it, if there is none in
 * the chosen time.
 */
import type { JSX } from 'preact';
import type { ConversationList } from '../../api/conversation-list.ts';
import { serviceNow } from '../api/service-clock.ts';
import { useReply } from '../api/use-reply.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import { type Filter, FilterBar, sinceFilter } from './filter-bar.tsx';
import { Here } from './here.tsx';
import { oneAgent } from './one-agent.ts';
import { addressOf, type Place, withChanges } from './place.ts';
import type { ViewProps } from './view-props.ts';

interface NoAgentProps {
  readonly place: Place;
  /** Title of the view. */
  readonly title: string;
  readonly filters: readonly Filter[];
}

const NEWEST = new URLSearchParams({ limit: '1' });
const LONGEST_MS = 90 * 86_400_000;

export interface AgentViewProps {
  readonly place: Place;
  readonly query: URLSearchParams;
  readonly filters: readonly Filter[];
}

interface OfOneAgentProps extends ViewProps {
  readonly title: string;
  /** Filters besides the time, by name; all of them unless given. */
  readonly only?: readonly string[];
  readonly view: (props: AgentViewProps) => JSX.Element;
}

export function OfOneAgent({ place, facets, title, only, view: View }: OfOneAgentProps) {
  const { query, filters: all } = oneAgent(place, facets);
  const own = all.filter(({ name }) => only === undefined || only.includes(name));
  const filters = [...own, sinceFilter(place, 'last 7 days', '7d')];
  if (!query.has('agent')) return <NoAgent place={place} title={title} filters={filters} />;
  return <View place={place} query={query} filters={filters} />;
}

function NoAgent({ place, title, filters }: NoAgentProps) {
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
