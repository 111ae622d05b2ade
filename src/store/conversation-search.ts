/**
 * The search for conversations that a page shows, the same on both stores: which conditions there are, in which order
 * rows come, and where the next page begins. Each store says how it writes a condition.
 *
 * A page looks at a limited number of rows (page.ts). `latest` goes down the rows. `worst` sorts the rows that a page may
 * look at, and goes on among them before it looks at older ones: the cursor keeps where they begin.
 */
import { POLARITIES, type Polarity } from '../model/feedback.ts';
import { OUTCOMES, type Outcome } from '../model/evaluation.ts';
import { wordsOf } from '../model/search-words.ts';
import type { ConversationRow } from './conversation-row.ts';
import { nextPage, pageWindow } from './page.ts';

export interface ConversationSearch {
  readonly agents?: readonly string[] | undefined;
  readonly agentVersions?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
  readonly segments?: readonly string[] | undefined;
  /** One evaluation has to meet all that is said of evaluations. */
  readonly suites?: readonly string[] | undefined;
  readonly outcomes?: readonly Outcome[] | undefined;
  readonly failedCriteria?: readonly string[] | undefined;
  /** In millionths: below a million, some criterion failed. */
  readonly scoreBelow?: number | undefined;
  /** In millionths. */
  readonly decidedBelow?: number | undefined;
  readonly states?: readonly ('scored' | 'open' | 'waiting' | 'unscored')[] | undefined;
  readonly isLabelled?: boolean | undefined;
  /** Polarity of all that users said. */
  readonly feedback?: readonly Polarity[] | undefined;
  /** Wall-clock times in milliseconds; `until` is not in it. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /**
   * All have to be in what was said or in the id (spoken-words.ts). Where words are not kept, each has to be in the id,
   * the first question or the last answer, and only the case of a to z does not matter.
   */
  readonly words?: readonly string[] | undefined;
  readonly order: 'latest' | 'worst';
  readonly limit: number;
  readonly cursor?: SearchCursor | undefined;
}

export interface SearchCursor {
  /** Rows before this one. */
  readonly before: number;
  /** The last conversation that was shown of the rows that are sorted. */
  readonly last?: { readonly severity: number; readonly row: number } | undefined;
}

export interface FoundConversations {
  readonly rows: readonly ConversationRow[];
  /** Undefined at the end. */
  readonly next: SearchCursor | undefined;
  readonly lookedAt: number;
}

const WORDS_ASKED_MAX = 20;

/** The words that an index is asked for; undefined where none are. The last one may still be being typed. */
export function askedWords({ words }: ConversationSearch): readonly string[] | undefined {
  const asked = words === undefined ? [] : wordsOf(words.join(' '), WORDS_ASKED_MAX);
  return asked.length === 0 ? undefined : asked;
}

/** Rows of conversations that may match, latest first, as an index gives them: no others do. */
export interface CandidateRows {
  readonly rows: readonly number[];
  /** There may be more before the last one. */
  readonly hasMore: boolean;
  /** They are of conversations with the words, which need not be looked for in what a list shows. */
  readonly hasWords?: true;
  /** A page that is full of them looks at the rows at which it would look without them. */
  readonly isOfWindow?: true;
}

/** How a store writes conditions; `?` stands for one value. */
export interface SearchDialect<Value> {
  readonly among: (column: string) => string;
  readonly texts: (values: readonly string[]) => Value;
  readonly numbers: (values: readonly number[]) => Value;
  readonly text: (value: string) => Value;
  readonly number: (value: number) => Value;
  /** Begins a search among a conversation's last evaluations by live suites: more conditions may follow. */
  readonly evaluated: string;
  readonly failedAmong: string;
  readonly isWaiting: string;
  readonly isLabelled: string;
  readonly contains: (text: string) => string;
}

interface Condition<Value> {
  readonly sql: string;
  readonly values: readonly Value[];
}

interface SearchStatement<Value> {
  readonly conditions: readonly string[];
  readonly values: readonly Value[];
  readonly order: string;
}

interface RowLimits {
  /** Where the row itself decides. */
  readonly lookedAt: number;
  /** Where each row takes a search among its evaluations, or all are sorted. */
  readonly searched: number;
}

const SHOWN_TEXT = `lower(c.conversation_id || ' ' || coalesce(c.asked, '') || ' ' || coalesce(c.answered, ''))`;

/** The rows that one page looks at, and the statement that finds them. */
export function searchPlan<Value>(
  dialect: SearchDialect<Value>,
  search: ConversationSearch,
  ends: { readonly first: number; readonly last: number },
  limits: RowLimits,
  candidates?: CandidateRows,
) {
  const conditions = conditionsOf(dialect, search, candidates);
  const window =
    candidates === undefined || candidates.isOfWindow === true
      ? searchWindow(search, ends, limits)
      : windowOf(candidates, ends, search);
  const last = search.cursor?.last;
  const after =
    search.order !== 'worst' || last === undefined
      ? []
      : [
          {
            sql: '(c.worst_outcome < ? OR (c.worst_outcome = ? AND c.id < ?))',
            values: [last.severity, last.severity, last.row].map(dialect.number),
          },
        ];
  const between = { sql: 'c.id >= ? AND c.id < ?', values: [window.from, window.before].map(dialect.number) };
  const all = [between, ...conditions, ...after];
  const statement: SearchStatement<Value> = {
    conditions: all.map(({ sql }) => sql),
    values: all.flatMap(({ values }) => values),
    order: search.order === 'worst' ? 'c.worst_outcome DESC, c.id DESC' : 'c.id DESC',
  };
  const found = (rows: readonly ConversationRow[]): FoundConversations => {
    const begins = Math.max(window.from, ends.first);
    const shown = rows.at(-1);
    if (search.order === 'worst') {
      const lookedAt = Math.max(0, window.before - begins);
      if (rows.length === search.limit && shown !== undefined)
        return {
          rows,
          next: { before: window.before, last: { severity: shown.worstOutcome, row: shown.row } },
          lookedAt,
        };
      return { rows, next: window.hasOlder ? { before: window.from } : undefined, lookedAt };
    }
    const before = nextPage(rows, search.limit, window);
    const isFull = rows.length === search.limit && shown !== undefined;
    return {
      rows,
      next: before === undefined ? undefined : { before },
      lookedAt: Math.max(0, window.before - (isFull ? shown.row : begins)),
    };
  };
  return { statement, found };
}

/** Rows that a page may look at. */
export function searchWindow(
  search: ConversationSearch,
  ends: { readonly first: number; readonly last: number },
  { searched, lookedAt }: RowLimits,
): ReturnType<typeof pageWindow> {
  const max = search.order === 'worst' || takesSearches(search) ? searched : lookedAt;
  return pageWindow(ends, { before: search.cursor?.before }, max);
}

/** An index has looked at all rows, down to the last one that it gives. */
function windowOf(
  { rows, hasMore }: CandidateRows,
  ends: { readonly first: number; readonly last: number },
  { cursor }: ConversationSearch,
): { readonly from: number; readonly before: number; readonly hasOlder: boolean } {
  const before = Math.min(cursor?.before ?? Number.MAX_SAFE_INTEGER, ends.last + 1);
  return { from: hasMore ? (rows.at(-1) ?? ends.first) : ends.first, before, hasOlder: hasMore };
}

function takesSearches(search: ConversationSearch): boolean {
  const { suites, outcomes, failedCriteria, scoreBelow, decidedBelow, states, isLabelled } = search;
  return [suites, outcomes, failedCriteria, scoreBelow, decidedBelow, states, isLabelled].some(
    (one) => one !== undefined,
  );
}

function conditionsOf<Value>(
  dialect: SearchDialect<Value>,
  search: ConversationSearch,
  candidates: CandidateRows | undefined,
): readonly Condition<Value>[] {
  const conditions: Condition<Value>[] = [];
  const among = (column: string, values: readonly string[] | undefined) => {
    if (values !== undefined) conditions.push({ sql: dialect.among(column), values: [dialect.texts(values)] });
  };
  among('c.agent', search.agents);
  among('c.agent_version', search.agentVersions);
  among('c.environment', search.environments);
  among('c.segment', search.segments);
  if (search.feedback !== undefined)
    conditions.push({
      sql: dialect.among('c.feedback'),
      values: [dialect.numbers(search.feedback.map((one) => POLARITIES.indexOf(one)))],
    });
  if (search.since !== undefined) conditions.push({ sql: 'c.updated_at >= ?', values: [dialect.number(search.since)] });
  if (search.until !== undefined) conditions.push({ sql: 'c.updated_at < ?', values: [dialect.number(search.until)] });
  if (candidates !== undefined)
    conditions.push({ sql: dialect.among('c.id'), values: [dialect.numbers(candidates.rows)] });
  for (const word of candidates?.hasWords === true ? [] : (search.words ?? []))
    conditions.push({ sql: dialect.contains(SHOWN_TEXT), values: [dialect.text(lowered(word))] });
  if (search.isLabelled !== undefined)
    conditions.push({ sql: `${search.isLabelled ? '' : 'NOT '}${dialect.isLabelled}`, values: [] });
  if (search.states !== undefined) conditions.push({ sql: statesSql(dialect, search.states), values: [] });
  const evaluation = evaluationCondition(dialect, search);
  return evaluation === undefined ? conditions : [...conditions, evaluation];
}

function evaluationCondition<Value>(
  dialect: SearchDialect<Value>,
  { suites, outcomes, failedCriteria, scoreBelow, decidedBelow }: ConversationSearch,
): Condition<Value> | undefined {
  const parts: Condition<Value>[] = [];
  if (suites !== undefined) parts.push({ sql: dialect.among('e.suite'), values: [dialect.texts(suites)] });
  if (outcomes !== undefined)
    parts.push({
      sql: dialect.among('e.outcome'),
      values: [dialect.numbers(outcomes.map((one) => OUTCOMES.indexOf(one)))],
    });
  if (scoreBelow !== undefined) parts.push({ sql: 'e.score < ?', values: [dialect.number(scoreBelow)] });
  if (decidedBelow !== undefined) parts.push({ sql: 'e.decided_share < ?', values: [dialect.number(decidedBelow)] });
  if (failedCriteria !== undefined) parts.push({ sql: dialect.failedAmong, values: [dialect.texts(failedCriteria)] });
  if (parts.length === 0) return undefined;
  return {
    sql: `${dialect.evaluated} AND ${parts.map(({ sql }) => sql).join(' AND ')})`,
    values: parts.flatMap(({ values }) => values),
  };
}

/** See `stateOf`, which says it of one row. */
function statesSql<Value>(
  { evaluated, isWaiting }: SearchDialect<Value>,
  states: NonNullable<ConversationSearch['states']>,
): string {
  const hasOutcome = `${evaluated} AND e.outcome <> ${OUTCOMES.indexOf('unscored')})`;
  const ofState = {
    open: 'c.due_at IS NOT NULL',
    waiting: `(c.due_at IS NULL AND ${isWaiting})`,
    scored: `(c.due_at IS NULL AND NOT ${isWaiting} AND ${hasOutcome})`,
    unscored: `(c.due_at IS NULL AND NOT ${isWaiting} AND NOT ${hasOutcome})`,
  };
  return `(${[...new Set(states)].map((state) => ofState[state]).join(' OR ')})`;
}

/** As the databases do it whatever their locale: a to z only. */
function lowered(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
