/** Reads the shared store for people: the API, `assay explain` and the tests. On a connection of its own, and nothing is ever written. */
import { feedbackFrom, truthFrom } from '../said-of-conversation.ts';
import type { Evaluation, Verdict } from '../../model/evaluation.ts';
import type { ConversationId } from '../../model/ids.ts';
import type { JudgeOutcome } from '../../model/judging.ts';
import { namesOf } from '../column.ts';
import type {
  ConversationReader,
  EvaluationsOptions,
  EvaluationSummary,
  StoredTotal,
  TraceRow,
} from '../conversation-reader.ts';
import type { ConversationRow } from '../conversation-row.ts';
import type { TraceContent } from '../engine-store.ts';
import {
  type EvaluationCells,
  evaluationFrom,
  SHOWN_COLUMNS,
  type SummaryCells,
  summaryFrom,
} from '../evaluation-columns.ts';
import {
  type EvaluationScanner,
  LATEST_PAGE,
  type LatestBasis,
  type ScannedEvaluation,
  type ScanQuery,
} from '../evaluation-scan.ts';
import type { Labelled, LabelReader } from '../label-store.ts';
import { evaluationBeside, scanSql, toScanned, verdictsOf } from './evaluation-scan.ts';
import { readLabelled } from './labels.ts';
import type { NamedOutcome } from '../../model/validity.ts';
import type { OutcomeLabelReader, OutcomeName } from '../outcome-label-store.ts';
import { OUTCOME_CELLS, type OutcomeCells, outcomeFrom } from './outcome-labels.ts';
import { Link, type LinkOptions, type PostgresAddress } from './link.ts';
import { textKey } from './row-keys.ts';
import { readWaiting, readWaitingSummaries } from './waiting.ts';
import { PostgresPages } from './page-reads.ts';
import { HEAD, type HeadRow, readContent, readTraces, toConversationRow } from './read-conversation.ts';
import { numbered, type Session, type Value } from './session.ts';
import {
  type HistoryCells,
  type HistoryQuery,
  type HistoryRow,
  type HistorySumQuery,
  historyRowFrom,
  historyStatement,
  type SummedCells,
  type SummedHistory,
  summedFrom,
} from '../history.ts';
import { fromStorable, toStorable } from './storable-text.ts';

const FETCHED = 1_000;
const STATEMENT_MS = 60_000;

export class PostgresReader implements ConversationReader, LabelReader, OutcomeLabelReader, EvaluationScanner {
  readonly #address: PostgresAddress;
  readonly #statementMs: number;
  readonly #link: Link;
  readonly pages: PostgresPages;

  private constructor(address: PostgresAddress, statementMs: number) {
    this.#address = address;
    this.#statementMs = statementMs;
    // A search by evaluations would otherwise be planned as a join with all of them.
    this.#link = linkTo(address, { statementMs, plans: 'look-ups' });
    this.pages = new PostgresPages(this.#link);
  }

  /** Connects when it is first asked: for who knows that there is a store, though it may be away just now. */
  static of(
    address: PostgresAddress,
    { statementMs }: { readonly statementMs: number } = { statementMs: STATEMENT_MS },
  ): PostgresReader {
    return new PostgresReader(address, statementMs);
  }

  static async open(address: PostgresAddress): Promise<PostgresReader> {
    const reader = PostgresReader.of(address);
    try {
      await reader.#link.use((session) => session.once('SELECT version FROM schema_version'));
    } catch (error) {
      reader.#link.destroy();
      throw new Error('no store of Assay is in this database and schema, or it may not be read', { cause: error });
    }
    return reader;
  }

  async find(conversationId: string): Promise<ConversationRow | undefined> {
    const [row] = await this.#rows<HeadRow>(
      `SELECT ${HEAD} FROM conversations c WHERE c.key = $1 AND c.first_closed_at IS NOT NULL`,
      [textKey(conversationId)],
    );
    return row === undefined ? undefined : toConversationRow(row);
  }

  async evaluations(
    conversation: ConversationRow,
    { revisions, of = 'live' }: EvaluationsOptions,
  ): Promise<readonly Evaluation[]> {
    const rows = await this.#rows<EvaluationCells>(
      `SELECT ${EVALUATION} FROM evaluations e WHERE e.conversation = $1 AND ${of === 'live' ? IS_LIVE : `NOT ${IS_LIVE}`}
       ${revisions === 'last' ? `AND ${IS_LAST}` : ''} ORDER BY e.id`,
      [conversation.row],
    );
    const waiting = await this.#link.use((session) => readWaiting(session, [conversation], of));
    return [
      ...rows.map((row) => evaluationFrom(conversation.conversationId, row, fromStorable)),
      ...waiting.map((one) => one.waiting),
    ];
  }

  async summaries(
    conversations: readonly ConversationRow[],
  ): Promise<ReadonlyMap<number, readonly EvaluationSummary[]>> {
    const ids = conversations.map(({ row }) => row);
    if (ids.length === 0) return new Map();
    const made = await this.#rows<SummaryCells & { readonly conversation: number }>(SUMMARIES, [ids]);
    const waiting = await this.#link.use((session) => readWaitingSummaries(session, ids));
    const all = [
      ...made.map((row) => ({ conversation: row.conversation, summary: summaryFrom(row, fromStorable) })),
      ...waiting,
    ];
    const byConversation = Map.groupBy(all, ({ conversation }) => conversation);
    return new Map(ids.map((id) => [id, (byConversation.get(id) ?? []).map(({ summary }) => summary)]));
  }

  async *allEvaluations(): AsyncGenerator<Evaluation> {
    const sql = `SELECT ${EVALUATION}, c.conversation_id FROM evaluations e JOIN conversations c ON c.id = e.conversation
      WHERE ${IS_LIVE} AND ${IS_LAST} ORDER BY c.conversation_id COLLATE "C", e.suite COLLATE "C", e.turn_id COLLATE "C"`;
    const link = linkTo(this.#address, { statementMs: this.#statementMs });
    try {
      // The cast is the brand: the store's writer wrote it.
      for await (const rows of eachPage<EvaluationCells & { conversation_id: string }>(link, sql))
        for (const row of rows)
          yield evaluationFrom(fromStorable(row.conversation_id) as ConversationId, row, fromStorable);
    } finally {
      await link.close();
    }
  }

  async truthOf({ conversationId }: ConversationRow): Promise<ReturnType<typeof truthFrom>> {
    const [row] = await this.#rows<{ truth: string }>('SELECT truth FROM truths WHERE key = $1', [
      textKey(conversationId),
    ]);
    return truthFrom(row?.truth);
  }

  async feedbackOf({ conversationId }: ConversationRow): Promise<ReturnType<typeof feedbackFrom>> {
    const rows = await this.#rows<{ body: string }>('SELECT body FROM feedback WHERE key = $1', [
      textKey(conversationId),
    ]);
    return feedbackFrom(
      conversationId,
      rows.map(({ body }) => fromStorable(body)),
    );
  }

  async outcomeNames(): Promise<readonly OutcomeName[]> {
    const rows = await this.#rows<{ label: string; outcomes: number }>(
      'SELECT label, count(*) AS outcomes FROM outcome_labels GROUP BY label ORDER BY label COLLATE "C"',
      [],
    );
    return rows.map(({ label, outcomes }) => ({ label: fromStorable(label), outcomes }));
  }

  async *outcomesNamed(label: string): AsyncGenerator<readonly NamedOutcome[]> {
    // A cursor takes no parameters. The key is a number's digits, whatever the text was.
    const sql = `SELECT ${OUTCOME_CELLS} FROM outcome_labels WHERE label_key = '${textKey(label)}' ORDER BY conversation_id COLLATE "C"`;
    for await (const rows of eachPage<OutcomeCells>(this.#link, sql)) yield rows.map(outcomeFrom);
  }

  async outcomesOf({ conversationId }: ConversationRow): Promise<readonly NamedOutcome[]> {
    const rows = await this.#rows<OutcomeCells>(
      `SELECT ${OUTCOME_CELLS} FROM outcome_labels WHERE key = $1 ORDER BY label COLLATE "C"`,
      [textKey(conversationId)],
    );
    return rows.map(outcomeFrom);
  }

  async traces(conversation: ConversationRow): Promise<readonly TraceRow[]> {
    return this.#link.use((session) => readTraces(session, conversation));
  }

  /** Content of a trace that `traces` returned. */
  async content(trace: TraceRow): Promise<TraceContent | undefined> {
    return this.#link.use((session) => readContent(session, trace));
  }

  async *scanEvaluations(query: ScanQuery): AsyncGenerator<readonly ScannedEvaluation[]> {
    const link = linkTo(this.#address, { statementMs: this.#statementMs });
    try {
      for await (const rows of eachPage(link, scanSql(query))) yield rows.map(toScanned);
    } finally {
      await link.close();
    }
  }

  async *latestBases(conversationsMax: number): AsyncGenerator<readonly LatestBasis[]> {
    let before = Number.MAX_SAFE_INTEGER;
    for (let lookedAt = 0; lookedAt < conversationsMax; lookedAt += LATEST_PAGE) {
      const heads = await this.#rows<{ id: number; first_day: number }>(LATEST_HEADS, [before]);
      const last = heads.at(-1)?.id;
      if (last === undefined) return;
      const firstDay = Math.min(...heads.map(({ first_day }) => first_day));
      const rows = await this.#rows<{ suite: string; suite_version: string; basis: string | null }>(BASES, [
        heads.map(({ id }) => id),
        firstDay,
      ]);
      yield rows.map(({ suite, suite_version, basis }) => ({
        suiteKey: fromStorable(suite),
        suiteVersion: fromStorable(suite_version),
        basis: basis ?? undefined,
      }));
      before = last;
    }
  }

  async besideOf(evaluation: ScannedEvaluation, suiteKey: string): Promise<ScannedEvaluation | undefined> {
    return this.#link.use((session) => evaluationBeside(session, evaluation, suiteKey));
  }

  async verdictsOf(evaluation: ScannedEvaluation): Promise<ReadonlyMap<string, Verdict>> {
    return this.#link.use((session) => verdictsOf(session, evaluation));
  }

  async conversationOf({
    conversation,
  }: Pick<ScannedEvaluation, 'conversation'>): Promise<ConversationRow | undefined> {
    const [row] = await this.#rows<HeadRow>(`SELECT ${HEAD} FROM conversations c WHERE c.id = $1`, [conversation]);
    return row === undefined ? undefined : toConversationRow(row);
  }

  async answerOf(requestKey: string): Promise<JudgeOutcome | undefined> {
    const [row] = await this.#rows<{ outcome: string }>('SELECT outcome FROM questions WHERE key = $1 AND answered', [
      Buffer.from(requestKey, 'hex'),
    ]);
    // The cast holds because whoever ended the question wrote the text.
    return row === undefined ? undefined : (JSON.parse(fromStorable(row.outcome)) as JudgeOutcome);
  }

  async labelled(...[limits, of]: Parameters<LabelReader['labelled']>): Promise<Labelled> {
    return this.#link.use((session) => readLabelled(session, limits, of));
  }

  async history({ suite, width, since, until }: HistoryQuery): Promise<readonly HistoryRow[]> {
    const rows = await this.#rows<HistoryCells>(
      'SELECT * FROM history WHERE suite = $1 AND width = $2 AND begins >= $3 AND begins < $4 ORDER BY begins',
      [toStorable(suite), width, since, until],
    );
    return rows.map((row) => historyRowFrom(row, fromStorable));
  }

  async summedHistory(query: HistorySumQuery): Promise<readonly SummedHistory[]> {
    const { sql, values } = historyStatement<Value>(
      { ...query, suite: toStorable(query.suite) },
      { among: (column) => `${column} = ANY(?)`, texts: (texts) => texts.map(toStorable) },
    );
    const rows = await this.#rows<SummedCells>(numbered(sql), values);
    return rows.map((row) => summedFrom(row, fromStorable));
  }

  async totals(): Promise<readonly StoredTotal[]> {
    const rows = await this.#rows<StoredTotal>(
      `SELECT metric, labels, sum(value) AS value FROM totals GROUP BY metric, labels
       ORDER BY metric COLLATE "C", labels COLLATE "C"`,
    );
    return rows.map(({ metric, labels, value }) => ({ metric, labels: fromStorable(labels), value }));
  }

  /** How many rows there are of each, for whoever copies or checks. */
  async counts(): Promise<{ readonly conversations: number; readonly traces: number; readonly evaluations: number }> {
    const [row] = await this.#rows<{ conversations: number; traces: number; evaluations: number }>(
      `SELECT (SELECT count(*) FROM conversations WHERE first_closed_at IS NOT NULL) AS conversations,
         (SELECT count(*) FROM traces) AS traces, (SELECT count(*) FROM evaluations) AS evaluations`,
    );
    return row ?? { conversations: 0, traces: 0, evaluations: 0 };
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  async #rows<Row extends object>(sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#link.use((session) => session.once<Row>(sql, values));
  }
}

function linkTo(address: PostgresAddress, options: Pick<LinkOptions, 'statementMs' | 'plans'>): Link {
  return new Link({ address, name: 'reader', leaseMs: 600_000, ...options });
}

/** With a cursor, so that no more than some rows are in memory. Nothing else is read on this connection meanwhile. */
async function* eachPage<Row extends object>(link: Link, sql: string): AsyncGenerator<readonly Row[]> {
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin, reject: fail } = Promise.withResolvers<Session>();
  const held = link
    .use(async (session) => {
      begin(session);
      await done;
    })
    .catch(fail);
  try {
    const session = await begun;
    await session.script(`BEGIN READ ONLY; DECLARE each_row NO SCROLL CURSOR FOR ${sql}`);
    for (;;) {
      const rows = await session.once<Row>(`FETCH ${FETCHED} FROM each_row`);
      if (rows.length > 0) yield rows;
      if (rows.length < FETCHED) break;
    }
    await session.script('COMMIT');
  } finally {
    await begun
      .then((session) => session.script('ROLLBACK'))
      .catch(() => {
        // The session is gone, and the cursor with it.
      });
    finish();
    await held;
  }
}

const EVALUATION = namesOf(SHOWN_COLUMNS, 'e');
const IS_LAST = `NOT EXISTS (
  SELECT 1 FROM evaluations n
  WHERE n.conversation = e.conversation AND n.suite = e.suite AND n.turn_id = e.turn_id AND n.revision > e.revision)`;
/** Rows of shadows are marked by their name (suite-key.ts). */
const IS_LIVE = `left(e.suite, 7) <> 'shadow:'`;
/** Evaluations are no older than their conversation, which leaves the partitions of earlier days out. */
const SUMMARIES = `SELECT e.conversation, e.suite, e.turn_id, e.score, e.outcome, e.because, e.explanation,
  e.decided_share, e.about
  FROM unnest($1::bigint[]) AS wanted (id) JOIN conversations c ON c.id = wanted.id
  JOIN evaluations e ON e.conversation = c.id AND (e.day >= c.first_day OR e.day < 0)
  WHERE ${IS_LIVE} AND ${IS_LAST} ORDER BY e.id`;
const LATEST_HEADS = `SELECT id, first_day FROM conversations WHERE id < $1 ORDER BY id DESC LIMIT ${LATEST_PAGE}`;
const BASES = `SELECT e.suite, e.suite_version, e.basis FROM evaluations e
  WHERE e.conversation = ANY($1::bigint[]) AND (e.day >= $2::int OR e.day < 0) AND ${IS_LAST}`;
