/** Reads the evaluations of conversations, for pages and for people: those that were made, then those that wait. */
import type { Evaluation } from '../../model/evaluation.ts';
import type { ConversationId } from '../../model/ids.ts';
import type { EvaluationsOptions, EvaluationSummary } from '../conversation-reader.ts';
import type { ConversationRow } from '../conversation-row.ts';
import type { SearchDialect } from '../conversation-search.ts';
import {
  type EvaluationCells,
  evaluationFrom,
  IS_LAST,
  isLive,
  SEEN_COLUMNS,
  seenFrom,
  SHOWN_COLUMNS,
  type SummaryCells,
  summaryFrom,
} from '../evaluation-columns.ts';
import type { WhichEvaluations } from '../page-reader.ts';
import type { ReadEvaluation } from '../read-evaluation.ts';
import { isTrue, type Rule, rows, type Statement } from '../sql.ts';

export interface EvaluationsDialect extends SearchDialect {
  /** Evaluations that wait for verdicts, in the order in which they were made. */
  readonly waiting: (
    conversations: readonly WaitsOf[],
    of: 'live' | 'shadow',
  ) => Rule<readonly { readonly row: number; readonly waiting: Evaluation }[]>;
}

export interface WaitsOf {
  readonly row: number;
  readonly conversationId: ConversationId;
}

interface ReadRow extends EvaluationCells {
  readonly conversation: number;
  readonly created_at: number;
  readonly labels: string;
  readonly is_last: boolean | number;
  readonly [seen: string]: unknown;
}

const SEEN = Object.values(SEEN_COLUMNS);
const READ = [{ name: 'conversation' }, { name: 'created_at' }, { name: 'labels' }, ...SHOWN_COLUMNS, ...SEEN];

/** By row. */
export function* readEvaluations(
  dialect: EvaluationsDialect,
  conversations: readonly ConversationRow[],
  { revisions, of }: WhichEvaluations,
): Rule<ReadonlyMap<number, readonly ReadEvaluation[]>> {
  if (conversations.length === 0) return new Map();
  const wanted = `${of === 'live' ? '' : 'NOT '}${isLive('e')} ${revisions === 'last' ? `AND ${IS_LAST}` : ''}`;
  const statement: Statement = {
    name: `evaluations-${of}-${revisions}`,
    sql: `SELECT ${dialect.columns('e', READ)}, ${IS_LAST} AS is_last ${ofWanted(dialect)} AND ${wanted} ORDER BY e.id`,
  };
  const made = yield* rows<ReadRow>(statement, [conversations.map(({ row }) => row)]);
  const waiting = yield* dialect.waiting(conversations, of);
  const madeOf = Map.groupBy(made, ({ conversation }) => conversation);
  const waitingOf = Map.groupBy(waiting, ({ row }) => row);
  return new Map(
    conversations.map(({ row, conversationId }) => [
      row,
      [
        ...(madeOf.get(row) ?? []).map((cells) =>
          toRead(cells, evaluationFrom(conversationId, cells, dialect.fromStored)),
        ),
        ...(waitingOf.get(row) ?? []).map((one) => ({ ...UNMADE, evaluation: one.waiting })),
      ],
    ]),
  );
}

const UNMADE = { madeAt: undefined, seen: undefined, labels: undefined, isLast: true };

function toRead(row: ReadRow, evaluation: Evaluation): ReadEvaluation {
  return {
    evaluation,
    madeAt: row.created_at,
    seen: seenFrom(SEEN.map(({ name }) => row[name])),
    labels: row.labels,
    isLast: isTrue(row.is_last),
  };
}

/** The last revision of each suite and turn, or all of them. */
export function* evaluationsOf(
  dialect: EvaluationsDialect,
  conversation: ConversationRow,
  { revisions, of = 'live' }: EvaluationsOptions,
): Rule<readonly Evaluation[]> {
  const read = yield* readEvaluations(dialect, [conversation], { revisions, of });
  return [...read.values()].flat().map(({ evaluation }) => evaluation);
}

/** By row: the last revision of each live suite and turn. */
export function* summaries(
  dialect: EvaluationsDialect,
  conversations: readonly ConversationRow[],
): Rule<ReadonlyMap<number, readonly EvaluationSummary[]>> {
  if (conversations.length === 0) return new Map();
  const statement: Statement = {
    name: 'evaluation-summaries',
    sql: `SELECT e.conversation, e.suite, e.turn_id, e.score, e.outcome, e.because, e.explanation, e.decided_share, e.about
      ${ofWanted(dialect)} AND ${isLive('e')} AND ${IS_LAST} ORDER BY e.id`,
  };
  const made = yield* rows<SummaryCells & { readonly conversation: number }>(statement, [
    conversations.map(({ row }) => row),
  ]);
  const waiting = yield* dialect.waiting(conversations, 'live');
  const all = [
    ...made.map((row) => ({ row: row.conversation, summary: summaryFrom(row, dialect.fromStored) })),
    ...waiting.map((one) => ({ row: one.row, summary: one.waiting })),
  ];
  const byRow = Map.groupBy(all, ({ row }) => row);
  return new Map(conversations.map(({ row }) => [row, (byRow.get(row) ?? []).map(({ summary }) => summary)]));
}

/** The evaluations `e` of a list of conversations. Joined in this order: SQLite takes CROSS at its word. */
export function ofWanted({ wanted, inItsDays }: SearchDialect): string {
  return `FROM ${wanted} CROSS JOIN conversations c CROSS JOIN evaluations e
    WHERE c.id = wanted.value AND e.conversation = c.id AND ${inItsDays}`;
}
