/**
 * `GET /api/v1/common`: what the conversations of a list have in common, against the others of the same agent and time.
 * Facts that follow from the filters themselves are no finds.
 */
import { type CommonAnswer, commonAnswer, commonQuery } from '../../../api/finds.ts';
import type { ConversationListQuery } from '../../../api/conversation-list.ts';
import { troubleText } from '../../../model/trouble-facts.ts';
import { type FactTable, factTable, membersOf } from '../../../statistics/discovery/fact-table.ts';
import { findsIn } from '../../../statistics/discovery/finds.ts';
import type { ConversationReader } from '../../../store/conversation-reader.ts';
import type { ConversationRow } from '../../../store/conversation-row.ts';
import { type ConversationSearch, placeOf, type SearchCursor } from '../../../store/conversation-search.ts';
import { searchOf } from './conversation-list.ts';
import { findJson, listLink } from './find-json.ts';
import { isoTime } from './iso-time.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const DAY_MS = 86_400_000;
const PAGE = 500;
const WITHIN_MAX = 5_000;
/** Conversations that the search looks at, and those of the window that they are compared with. */
const LOOKED_AT_MAX = 50_000;
const FINDS_MAX = 20;
const TROUBLES_MAX = 30;

type Asked = Omit<ConversationListQuery, 'order' | 'limit' | 'cursor'>;

export const getCommon = v1Read({
  path: '/api/v1/common',
  summary: `the filters of /api/v1/conversations
facts that the conversations of a list have in common, against the others of the same agent and time`,
  query: commonQuery,
  answer: commonAnswer,
  read: async ({ reader }: Pick<V1Side, 'reader'>, asked): Promise<CommonAnswer> => {
    const { rows, isCut } = await listed(reader, await searchOf(reader, { ...asked, order: 'latest', limit: PAGE }));
    const byAgent = [...Map.groupBy(rows, (row) => row.agent)].toSorted((a, b) => b[1].length - a[1].length);
    // Facts of several agents would tell the agents apart.
    const [agent, own = []] = byAgent[0] ?? [];
    const { since, until } = timeOf(own, { ...asked, isCut });
    const window = { agent: agent ?? '', since, until };
    const found =
      agent === undefined ? { conversations: [], isCut: false } : await reader.frame.factsOf(window, LOOKED_AT_MAX);
    const { conversations } = found;
    const wanted = new Set(own.map(({ row }) => row));
    const sides = Int8Array.from(conversations, ({ row }) => (wanted.has(row) ? 1 : -1));
    const within = sides.reduce((sum, side) => sum + Number(side === 1), 0);
    const table = factTable(conversations.map(({ facts }) => facts));
    const { finds, lookedAt } = findsIn(table, [{ name: 'list', sides, isTrivial: trivialIn(asked) }]);
    const linkTo = (fact: string) => listLink({ ...asked, agent, fact: [...(asked.fact ?? []), fact] });
    return {
      ...(agent === undefined ? {} : { agent }),
      agents: byAgent.length,
      ...{
        since: isoTime(since),
        until: isoTime(until),
        says: words(within, conversations.length - within, finds.length),
      },
      ...{ conversations: conversations.length, within, others: conversations.length - within },
      ...{ looked_at: lookedAt, cut: isCut || found.isCut },
      troubles: troublesOf(table, sides),
      finds: finds.slice(0, FINDS_MAX).map((find) => findJson(find, { conversations, source: 'list', linkTo })),
    };
  },
});

function troublesOf(table: FactTable, sides: Int8Array): CommonAnswer['troubles'] {
  const places = table.facts.flatMap((fact, place) => (troubleText(fact) === undefined ? [] : [place]));
  return [...membersOf(table, places)]
    .map(([place, members]) => ({
      fact: table.facts[place] ?? '',
      conversations: [...members].filter((member) => sides[member] === 1).length,
    }))
    .filter(({ conversations }) => conversations > 0)
    .toSorted((a, b) => b.conversations - a.conversations)
    .slice(0, TROUBLES_MAX);
}

function words(within: number, others: number, finds: number): string {
  const these = `these ${within.toLocaleString('en')} apart from ${others.toLocaleString('en')} of the same time`;
  return finds === 0 ? `Nothing sets ${these}.` : `What sets ${these}:`;
}

/** The latest conversations that a search finds. */
async function listed(
  { pages }: Pick<ConversationReader, 'pages'>,
  search: ConversationSearch,
): Promise<{ readonly rows: readonly ConversationRow[]; readonly isCut: boolean }> {
  const rows: ConversationRow[] = [];
  let lookedAt = 0;
  let cursor: SearchCursor | undefined;
  for (;;) {
    const page = await pages.search({ ...search, cursor });
    for (const row of page.rows) rows.push(row);
    lookedAt += page.lookedAt;
    cursor = page.next;
    if (cursor === undefined) return { rows, isCut: false };
    if (rows.length >= WITHIN_MAX || lookedAt >= LOOKED_AT_MAX) return { rows: rows.slice(0, WITHIN_MAX), isCut: true };
  }
}

/**
 * The time that was asked for, or that of the conversations: a day at least, because a few have few others beside them.
 * A window that was asked for without an end ends now: what came after the last of the list is among the others.
 */
function timeOf(
  rows: readonly ConversationRow[],
  { since, until, isCut }: Pick<Asked, 'since' | 'until'> & { readonly isCut: boolean },
): { readonly since: number; readonly until: number } {
  const times = rows.map((row) => placeOf(row).at);
  const last = times.reduce((most, at) => Math.max(most, at), 0);
  // Older ones that the list would have are no others.
  const begin = isCut ? last : Math.min(last, since ?? last - DAY_MS);
  const end = since === undefined ? last + 1 : Math.max(last + 1, Date.now());
  return { since: times.reduce((least, at) => Math.min(least, at), begin), until: until ?? end };
}

/** True by construction: what was filtered by, and facts with a name that a chosen fact has as well. */
function trivialIn(asked: Asked): (fact: string) => boolean {
  const { outcome, score_below: below, called_fine: fine, criterion, suite, segment, fact: facts = [] } = asked;
  const isByFailures = [outcome, below, fine].some((one) => one !== undefined);
  // Others have no evaluation by the suite, or it failed none of its criteria.
  const failures = criterion === undefined ? (suite ?? []).map((one) => `failed: ${one}/`) : [];
  const names = new Set(facts.flatMap(namesIn));
  const isFailure = (fact: string) =>
    isByFailures ||
    failures.some((one) => fact.startsWith(one)) ||
    (criterion ?? []).some((one) => fact.endsWith(`/${one}`));
  return (fact) =>
    (fact.startsWith('failed: ') && isFailure(fact)) ||
    (segment !== undefined && fact.startsWith('segment: ')) ||
    facts.includes(fact) ||
    namesIn(fact).some((name) => names.has(name));
}

/** Tools that a fact names: `then: search, book` names both. */
function namesIn(fact: string): readonly string[] {
  const [, kind = '', names = ''] = /^(tool|last in a turn|again|then|failed call): (.*)$/s.exec(fact) ?? [];
  return kind === 'then' ? names.split(', ') : names === '' ? [] : [names];
}
