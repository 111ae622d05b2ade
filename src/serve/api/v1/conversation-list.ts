/** `GET /api/v1/conversations`: a page of conversations, as the page in the browser lists them. */
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import {
  type ConversationList,
  type ConversationListQuery,
  conversationList,
  conversationListQuery,
} from '../../../api/conversation-list.ts';
import type { ConversationReader } from '../../../store/conversation-reader.ts';
import type { ConversationSearch } from '../../../store/conversation-search.ts';
import { conversationItemOf } from './conversation-item.ts';
import { cursorOf, cursorText } from './cursor-text.ts';
import { v1Read } from './v1-read.ts';

const MILLION = 1_000_000;
const WORDS_MAX = 8;

interface ListSide {
  readonly reader: Pick<ConversationReader, 'pages' | 'find'>;
  readonly suites: () => readonly SuiteOutline[];
}

export const listConversations = v1Read({
  path: '/api/v1/conversations',
  summary: `?agent= &agent_version= &environment= &segment= &suite= &outcome= &criterion= (that failed)
&sub_agent= &score_below= &decided_below= &state= &labelled= &feedback=positive|neutral|negative
&came_out=good|bad|unknown &read=good|bad &kind= (of failure) &called_fine= &fact= &conversation_id= &since=24h &until= &order=latest|worst|turns|longest &words= &limit= &cursor=
a page of conversations with first question, last answer and failed criteria: docs/reference/api.md`,
  query: conversationListQuery,
  answer: conversationList,
  read: async ({ reader, suites }: ListSide, query): Promise<ConversationList> => {
    const { rows, next, lookedAt, total } = await reader.pages.search(await searchOf(reader, query));
    const evaluations = await reader.pages.evaluations(rows, { revisions: 'last', of: 'live' });
    return {
      conversations: rows.map((row) => conversationItemOf(row, evaluations.get(row.row) ?? [], suites())),
      next: next === undefined ? null : cursorText(next),
      ...(total === undefined ? {} : { total }),
      looked_at: lookedAt,
    };
  },
});

/** Words that are the id of a conversation find it alone: the words of an id are in others, too. */
export async function searchOf(
  reader: Pick<ConversationReader, 'find'>,
  query: ConversationListQuery,
): Promise<ConversationSearch> {
  const id = query.words?.trim() ?? '';
  if (query.conversation_id === undefined && id !== '' && (await reader.find(id)) !== undefined)
    return { ...filtersOf(query), words: undefined, ids: [id] };
  return filtersOf(query);
}

function filtersOf(query: ConversationListQuery): ConversationSearch {
  return {
    agents: query.agent,
    agentVersions: query.agent_version,
    environments: query.environment,
    segments: query.segment,
    suites: query.suite,
    outcomes: query.outcome,
    failedCriteria: query.criterion,
    subAgents: query.sub_agent,
    scoreBelow: query.score_below === undefined ? undefined : Math.round(query.score_below * MILLION),
    decidedBelow: query.decided_below === undefined ? undefined : Math.round(query.decided_below * MILLION),
    states: query.state,
    isLabelled: query.labelled === undefined ? undefined : query.labelled === 'true',
    feedback: query.feedback,
    cameOut: query.came_out,
    isCalledFine: query.called_fine === undefined ? undefined : query.called_fine === 'true',
    readAs: query.read,
    kinds: query.kind,
    facts: query.fact,
    ids: query.conversation_id,
    since: query.since,
    until: query.until,
    words: query.words?.split(/\s+/).filter(Boolean).slice(0, WORDS_MAX),
    order: query.order,
    limit: query.limit,
    cursor: query.cursor === undefined ? undefined : cursorOf(query.cursor),
  };
}
