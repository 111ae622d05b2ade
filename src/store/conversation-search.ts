/**
 * The search for conversations that a page shows, the same on both stores: which conditions there are, in which order
 * rows come, and where the next page begins. Each store says how it writes a condition.
 *
 * The order is that of time: conversations by `began_at`, simultaneous ones by their row. A page looks at a limited
 * number of them, however few it finds, because others wait for the thread or the database. `latest` goes back in
 * time. The other orders sort the rows that a page may look at, and go on among them before they look at older ones:
 * the cursor keeps where they begin.
 */
import { CALLED } from '../model/called.ts';
import { LABEL_CHARACTERS_MAX } from '../model/agent-labels.ts';
import { POLARITIES, type Polarity } from '../model/feedback.ts';
import { OUTCOMES, type Outcome } from '../model/evaluation.ts';
import type { ListOrder } from '../model/list-orders.ts';
import { isGood } from '../model/severity.ts';
import { wordsOf } from '../model/search-words.ts';
import { formsOf } from '../model/word-forms.ts';
import type { ConversationRow } from './conversation-row.ts';
import { IS_LAST, isLive } from './evaluation-columns.ts';
import { type CameOutAsked, cameOutValues } from './frame-columns.ts';
import { encodedNameOf } from './sub-agents-codec.ts';
import type { Dialect, Value } from './sql.ts';

interface Sorted {
  /** An expression of `conversations c` that is never null; the largest come first. */
  readonly sql: string;
  readonly of: (row: ConversationRow) => number;
}

/** Whole numbers from 0, of the row itself. A cursor of anybody's making has larger ones than some columns hold. */
const SORTED: Readonly<Record<Exclude<ListOrder, 'latest'>, Sorted>> = {
  worst: { sql: 'CAST(c.worst_outcome AS bigint)', of: ({ worstOutcome }) => worstOutcome },
  turns: { sql: 'CAST(c.turns AS bigint)', of: ({ turns }) => turns },
  longest: {
    sql: 'coalesce(CASE WHEN c.ceased_at > c.began_at THEN c.ceased_at - c.began_at END, 0)',
    of: ({ glance: { beganAtMs: began, ceasedAtMs: ceased } }) =>
      began !== undefined && ceased !== undefined ? Math.max(0, ceased - began) : 0,
  },
};

export interface ConversationSearch {
  readonly ids?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly agentVersions?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
  readonly segments?: readonly string[] | undefined;
  /** One evaluation has to meet all that is said of evaluations. */
  readonly suites?: readonly string[] | undefined;
  readonly outcomes?: readonly Outcome[] | undefined;
  readonly failedCriteria?: readonly string[] | undefined;
  readonly subAgents?: readonly string[] | undefined;
  /** In millionths: below a million, some criterion failed. */
  readonly scoreBelow?: number | undefined;
  /** In millionths. */
  readonly decidedBelow?: number | undefined;
  readonly states?: readonly ('scored' | 'open' | 'waiting' | 'unscored')[] | undefined;
  readonly isLabelled?: boolean | undefined;
  /** Polarity of all that users said. */
  readonly feedback?: readonly Polarity[] | undefined;
  /** Chosen by the outcomes of the conversation in the world. */
  readonly cameOut?: readonly CameOutAsked[] | undefined;
  /** One reading by a person has to meet both: what it says, and the kind of failure that it names. */
  readonly readAs?: readonly ('good' | 'bad')[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  /** All suites together call it fine; one without a score never is. */
  readonly isCalledFine?: boolean | undefined;
  /** All of these are among its facts (`facts.ts`). */
  readonly facts?: readonly string[] | undefined;
  /** When the conversation began, in milliseconds; `until` is not in it. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /**
   * All, in any form, have to be in what was said or in the id (spoken-words.ts). Where words are not kept, each has to be in the id,
   * the first question or the last answer, and only the case of a to z does not matter.
   */
  readonly words?: readonly string[] | undefined;
  readonly order: ListOrder;
  readonly limit: number;
  readonly cursor?: SearchCursor | undefined;
}

/** In the order of time. */
export interface Place {
  /** When the conversation began. */
  readonly at: number;
  readonly row: number;
}

export interface SearchCursor {
  /** Conversations before this place. */
  readonly before: Place;
  /** The last conversation that was shown of the rows that are sorted. */
  readonly last?: (Place & { readonly value: number }) | undefined;
}

export interface FoundConversations {
  readonly rows: readonly ConversationRow[];
  /** Undefined at the end. */
  readonly next: SearchCursor | undefined;
  readonly lookedAt: number;
  /** All that match, those of other pages too; undefined where an index does not give few to look at. */
  readonly total?: number | undefined;
}

const WORDS_ASKED_MAX = 20;

interface AskedWords {
  /** The forms of each word: a conversation has one form of each. */
  readonly forms: readonly (readonly string[])[];
  /** The last word may still be being typed. */
  readonly beginning: string;
}

/** The words that an index is asked for; undefined where none are. They have letters and digits only. */
export function askedWords({ words }: ConversationSearch): AskedWords | undefined {
  const asked = words === undefined ? [] : wordsOf(words.join(' '), WORDS_ASKED_MAX);
  const beginning = asked.at(-1);
  return beginning === undefined ? undefined : { forms: asked.map(formsOf), beginning };
}

/** Conversations that may match, as an index gives them: no others do. */
export interface CandidateRows {
  /** Condition, for conversations whose rows lie between these. */
  readonly isOneOf: (rows: Ends) => Condition;
  /** How many there are; undefined where a page looks at as many conversations as without them. */
  readonly count: number | undefined;
  /** There may be more before this place; undefined where these are all. */
  readonly last?: Place | undefined;
  /** They are of conversations with the words, which need not be looked for in what a list shows. */
  readonly hasWords?: true;
}

/** How a store writes the conditions of a search. */
export interface SearchDialect extends Dialect {
  /** Evaluations are no older than their conversation, which leaves the partitions of earlier days out. */
  readonly inItsDays: string;
  readonly failedAmong: string;
  readonly contains: (text: string) => string;
}

export interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

export interface RowLimits {
  /** Where the row itself decides. */
  readonly lookedAt: number;
  /** Where each row takes a search among its evaluations, or all are sorted. */
  readonly searched: number;
}

/** First and last row; both are in it. */
export interface Ends {
  readonly first: number;
  readonly last: number;
}

/** Conversations of one page, of which the latest are looked at first: most pages are full of them. */
export function nearMax({ limit }: ConversationSearch): number {
  return Math.max(NEAR, 2 * limit);
}

const NEAR = 1_000;

/** Conversations from one place on, and before another one. */
export interface Stretch {
  readonly from: Place;
  readonly before: Place;
}

export const EVERYWHERE: Ends = { first: 0, last: Number.MAX_SAFE_INTEGER };

const SHOWN_TEXT = `lower(c.conversation_id || ' ' || coalesce(c.asked, '') || ' ' || coalesce(c.answered, ''))`;

/** All that a page may look at, if there were no limit. */
export function stretchOf({
  since = 0,
  until,
  cursor,
}: Pick<ConversationSearch, 'since' | 'until' | 'cursor'>): Stretch {
  const end = { at: until ?? Number.MAX_SAFE_INTEGER, row: 0 };
  const before = cursor !== undefined && isBefore(cursor.before, end) ? cursor.before : end;
  return { from: { at: since, row: 0 }, before };
}

export function isBefore(one: Place, other: Place): boolean {
  return one.at < other.at || (one.at === other.at && one.row < other.row);
}

export function placeOf({ row, glance, lastClosedAt }: ConversationRow): Place {
  return { at: glance.beganAtMs ?? lastClosedAt, row };
}

/** The most conversations that one page looks at. */
export function lookedAtMax(search: ConversationSearch, { searched, lookedAt }: RowLimits): number {
  return search.order !== 'latest' || takesSearches(search) ? searched : lookedAt;
}

/** Condition that a conversation lies in a stretch. */
export function inStretch({ from, before }: Stretch, alias = 'c.'): Condition {
  const place = `(${alias}began_at, ${alias}id)`;
  return { sql: `${place} >= (?, ?) AND ${place} < (?, ?)`, values: [from.at, from.row, before.at, before.row] };
}

/**
 * The statement that finds a page's rows, and what is known once they are there: the cursor of the next page, and the
 * stretch that was looked at. `window` is that of the page; `hasOlder` says that there are conversations before it.
 */
export function searchPlan(
  dialect: SearchDialect,
  search: ConversationSearch,
  window: Stretch & { readonly hasOlder: boolean; readonly rows: Ends },
  candidates?: CandidateRows,
) {
  const last = search.cursor?.last;
  const sorted = search.order === 'latest' ? undefined : SORTED[search.order];
  const after = sorted === undefined || last === undefined ? [] : [afterLast(sorted, last)];
  const all = [inStretch(window), ...conditionsOf(dialect, search, window.rows, candidates), ...after];
  return {
    conditions: all.map(({ sql }) => sql),
    values: all.flatMap(({ values }) => values),
    order: `${sorted === undefined ? '' : `${sorted.sql} DESC, `}c.began_at DESC, c.id DESC`,
    found: (rows: readonly ConversationRow[]): { readonly next: SearchCursor | undefined; readonly seen: Stretch } => {
      const end = rows.length === search.limit ? rows.at(-1) : undefined;
      const older = window.hasOlder ? { before: window.from } : undefined;
      if (end === undefined) return { next: older, seen: window };
      if (sorted === undefined)
        return { next: { before: placeOf(end) }, seen: { from: placeOf(end), before: window.before } };
      const next = { before: window.before, last: { value: sorted.of(end), ...placeOf(end) } };
      return { next, seen: window };
    },
  };
}

function afterLast({ sql }: Sorted, { value, at, row }: NonNullable<SearchCursor['last']>): Condition {
  return {
    sql: `(${sql} < ? OR (${sql} = ? AND (c.began_at, c.id) < (?, ?)))`,
    values: [value, value, at, row],
  };
}

function takesSearches({ states, isLabelled, ...search }: ConversationSearch): boolean {
  const { suites, outcomes, failedCriteria, subAgents, scoreBelow, decidedBelow } = search;
  const asked = [suites, outcomes, failedCriteria, subAgents, scoreBelow, decidedBelow, states, isLabelled];
  return asked.some((one) => one !== undefined);
}

function conditionsOf(
  dialect: SearchDialect,
  search: ConversationSearch,
  rows: Ends,
  candidates: CandidateRows | undefined,
): readonly Condition[] {
  const { agents, agentVersions, environments, segments, feedback, cameOut, isCalledFine } = search;
  const conditions: Condition[] = [
    ...named(dialect, 'c.agent', agents),
    ...named(dialect, 'c.agent_version', agentVersions),
    ...named(dialect, 'c.environment', environments),
    ...named(dialect, 'c.segment', segments),
    ...among(dialect, 'c.feedback', placesOf(feedback, POLARITIES)),
    ...among(dialect, 'coalesce(c.came_out, -1)', cameOut && cameOutValues(cameOut)),
    ...among(dialect, 'coalesce(c.called, 0)', isCalledFine === undefined ? undefined : calledAs(isCalledFine)),
  ];
  if (candidates !== undefined) conditions.push(candidates.isOneOf(rows));
  for (const word of candidates?.hasWords === true ? [] : (search.words ?? []))
    conditions.push({ sql: dialect.contains(SHOWN_TEXT), values: [dialect.toStored(lowered(word))] });
  for (const fact of search.facts ?? []) conditions.push(factCondition(dialect, fact));
  conditions.push(...readingCondition(dialect, search));
  if (search.isLabelled !== undefined)
    conditions.push({ sql: `${search.isLabelled ? '' : 'NOT '}${isLabelled(dialect)}`, values: [] });
  if (search.states !== undefined) conditions.push({ sql: statesSql(dialect, search.states), values: [] });
  const evaluation = evaluationCondition(dialect, search);
  return evaluation === undefined ? conditions : [...conditions, evaluation];
}

/** A whole line of the column. */
function factCondition({ contains, toStored }: SearchDialect, fact: string): Condition {
  return { sql: contains("('\n' || c.facts || '\n')"), values: [`\n${toStored(fact)}\n`] };
}

/** Nothing where no reading is asked for. */
export function readingCondition(dialect: Dialect, { readAs, kinds }: ConversationSearch): readonly Condition[] {
  const { key, toStored } = dialect;
  const said = readAs?.map((answer) => answer === 'good');
  const parts = [...among(dialect, 'good', said), ...among(dialect, 'kind', kinds?.map(toStored))];
  if (parts.length === 0) return [];
  const all = parts.map(({ sql }) => sql).join(' AND ');
  const sql = `c.${key} IN (SELECT ${key} FROM readings WHERE source = 'person' AND ${all})`;
  return [{ sql, values: parts.flatMap(({ values }) => values) }];
}

function among(
  dialect: Dialect,
  column: string,
  values?: readonly (string | number | boolean)[],
): readonly Condition[] {
  return values === undefined ? [] : [{ sql: dialect.among(column), values: [values] }];
}

/** Names as figures have them, which cut long ones. */
function named(dialect: Dialect, column: string, names: readonly string[] | undefined): readonly Condition[] {
  const isCut = names?.some((name) => [...name].length === LABEL_CHARACTERS_MAX) === true;
  return among(dialect, isCut ? `substr(${column}, 1, ${LABEL_CHARACTERS_MAX})` : column, names?.map(dialect.toStored));
}

/** Where they stand in a list, as a column has them. */
export function placesOf<T>(asked: readonly T[] | undefined, list: readonly T[]): readonly number[] | undefined {
  return asked?.map((one) => list.indexOf(one));
}

function calledAs(isFine: boolean): readonly number[] {
  return CALLED.flatMap((called, place) => (isGood(called) === isFine ? [place] : []));
}

function evaluationCondition(
  dialect: SearchDialect,
  { suites, outcomes, failedCriteria, subAgents, scoreBelow, decidedBelow }: ConversationSearch,
): Condition | undefined {
  const parts: Condition[] = [
    ...among(dialect, 'e.suite', suites?.map(dialect.toStored)),
    ...among(dialect, 'e.outcome', placesOf(outcomes, OUTCOMES)),
  ];
  if (scoreBelow !== undefined) parts.push({ sql: 'e.score < ?', values: [scoreBelow] });
  if (decidedBelow !== undefined) parts.push({ sql: 'e.decided_share < ?', values: [decidedBelow] });
  if (failedCriteria !== undefined)
    parts.push({ sql: dialect.failedAmong, values: [failedCriteria.map(dialect.toStored)] });
  if (subAgents !== undefined)
    parts.push({
      sql: `(${subAgents.map(() => dialect.contains('e.sub_agents')).join(' OR ')})`,
      values: subAgents.map(encodedNameOf),
    });
  if (parts.length === 0) return undefined;
  return {
    sql: `${evaluated(dialect)} AND ${parts.map(({ sql }) => sql).join(' AND ')})`,
    values: parts.flatMap(({ values }) => values),
  };
}

/** See `stateOf`, which says it of one row. */
function statesSql(dialect: SearchDialect, states: NonNullable<ConversationSearch['states']>): string {
  const isWaiting = `EXISTS (SELECT 1 FROM waiting_evaluations w WHERE w.conversation = c.id AND ${isLive('w')})`;
  const hasOutcome = `${evaluated(dialect)} AND e.outcome <> ${OUTCOMES.indexOf('unscored')})`;
  const ofState = {
    open: 'c.due_at IS NOT NULL',
    waiting: `(c.due_at IS NULL AND ${isWaiting})`,
    scored: `(c.due_at IS NULL AND NOT ${isWaiting} AND ${hasOutcome})`,
    unscored: `(c.due_at IS NULL AND NOT ${isWaiting} AND NOT ${hasOutcome})`,
  };
  return `(${[...new Set(states)].map((state) => ofState[state]).join(' OR ')})`;
}

/** Begins a search among a conversation's last evaluations by live suites: more conditions may follow. */
function evaluated({ inItsDays }: SearchDialect): string {
  return `EXISTS (SELECT 1 FROM evaluations e WHERE e.conversation = c.id AND ${inItsDays} AND ${isLive('e')} AND ${IS_LAST}`;
}

function isLabelled({ key, labelKey }: SearchDialect): string {
  return `EXISTS (SELECT 1 FROM labels l WHERE l.${labelKey} = c.${key})`;
}

/** As the databases do it whatever their locale: a to z only. */
function lowered(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
