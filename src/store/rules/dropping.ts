/** All that goes with a conversation, by retention or because somebody asked for it, inside a transaction of the caller. */
import { HISTORY_WIDTHS } from '../history.ts';
import type { SaidCounts } from '../said-counts.ts';
import { forgetArchived } from './archive.ts';
import { change, type Dialect, type Rule, rows, type Statement, type Value } from '../sql.ts';

export interface DroppingDialect extends Dialect {
  /** Condition that a column has the number of one that was chosen; `?1` is its value, if it takes one. */
  readonly isChosen: (column: string) => string;
  /** Tables that the other database does not have: by the key of a conversation, and by its number. */
  readonly byKey: readonly string[];
  readonly byNumber: readonly string[];
  /** Text of a column as JSON. */
  readonly json: (column: string) => string;
}

/** Tables of what somebody said of a conversation: it may be there before the conversation, and goes with it. */
const SAID_FROM_OUTSIDE = ['truths', 'readings', 'feedback'];
/** The same, kept after retention has deleted the conversation, because judges are compared with it. */
const LABELS = ['labels', 'labelled_verdicts'];
const BY_NUMBER = ['asked_for', 'waiting_evaluations', 'revisits', 'conversation_keys'];

/** Deletes chosen conversations. Running totals stay: a counter never goes down. */
export function* dropConversations(dialect: DroppingDialect, chosen: readonly Value[]): Rule<void> {
  const { isChosen, byKey, byNumber, key } = dialect;
  const drop = (table: string, condition: string) =>
    change({ name: 'drop-rows', sql: `DELETE FROM ${table} WHERE ${condition}`, varies: true }, chosen);
  const waiters = `SELECT id FROM waiting_evaluations WHERE ${isChosen('conversation')}
    UNION ALL SELECT -id FROM conversations WHERE ${isChosen('id')}`;
  yield* drop('judge_waits', `waiter IN (${waiters})`);
  // A question that nobody else waits for; its answer would quote what is deleted.
  const asked = `SELECT question FROM asked_for a WHERE ${isChosen('conversation')}
    AND NOT EXISTS (SELECT 1 FROM judge_waits w WHERE w.question = a.question)`;
  yield* drop('judge_votes', `question IN (${asked})`);
  yield* drop('questions', `id IN (${asked})`);
  const keys = `SELECT ${key} FROM conversations WHERE ${isChosen('id')}`;
  for (const table of [...SAID_FROM_OUTSIDE, ...byKey]) yield* drop(table, `${key} IN (${keys})`);
  for (const table of [...BY_NUMBER, ...byNumber]) yield* drop(table, isChosen('conversation'));
  yield* drop('conversations', isChosen('id'));
}

/** Counts what was said of these, whether they are there or not. */
export function* countSaid(dialect: Dialect, conversations: readonly string[]): Rule<SaidCounts> {
  const { key, labelKey, keyOf, among } = dialect;
  const count = (table: string, column: string) =>
    `(SELECT count(*) FROM ${table} WHERE ${among(column).replace('?', '?1')})`;
  const sql = `SELECT ${count('truths', key)} AS truths, ${count('readings', key)} AS readings,
    ${count('feedback', key)} AS feedback, ${count('labels', labelKey)} AS labels`;
  const [counts] = yield* rows<SaidCounts>({ name: 'count-said', sql }, [conversations.map(keyOf)]);
  return { truths: 0, readings: 0, labels: 0, feedback: 0, ...counts };
}

/** Nothing stays that was said of these, or quotes them, or that these users said. */
export function* forgetSaid(
  dialect: DroppingDialect,
  { conversations, users }: { readonly conversations: readonly string[]; readonly users: readonly string[] },
): Rule<void> {
  const { key, labelKey, keyOf, among, toStored, json, askAgain } = dialect;
  const ofUsers = [users.map(toStored)];
  // Conversations that others have as well: their polarity and their criteria are decided again.
  const revisit: Statement = {
    name: 'revisit-without-feedback',
    sql: `INSERT INTO revisits (conversation) SELECT DISTINCT c.id FROM feedback f
        JOIN conversations c ON c.${key} = f.${key} WHERE ${among('f.user_id')}
      ON CONFLICT (conversation) DO UPDATE SET ${askAgain}`,
  };
  yield* change(revisit, ofUsers);
  yield* change({ name: 'forget-users', sql: `DELETE FROM feedback WHERE ${among('user_id')}` }, ofUsers);
  const said = (table: string, column: string): Statement => ({
    name: `forget-${table}`,
    sql: `DELETE FROM ${table} WHERE ${among(column)}`,
  });
  const keys = [conversations.map(keyOf)];
  for (const table of SAID_FROM_OUTSIDE) yield* change(said(table, key), keys);
  for (const table of LABELS) yield* change(said(table, labelKey), keys);
  const quoted = `${json('payload')} -> 'evaluation' ->> 'conversation_id'`;
  const results = { name: 'forget-waiting-results', sql: `DELETE FROM result_queue WHERE ${among(`(${quoted})`)}` };
  yield* change(results, [conversations.map(toStored)]);
  yield* forgetArchived(dialect, { conversations, users });
}

/** Ground truth, outcomes and feedback of conversations that never arrived. */
export function* dropLonely({ key }: Dialect, before: number): Rule<void> {
  for (const table of SAID_FROM_OUTSIDE) {
    const sql = `DELETE FROM ${table} AS t
      WHERE put_at < ? AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.${key} = t.${key})`;
    yield* change({ name: `lonely-${table}`, sql }, [before]);
  }
}

const OLD_HISTORY = { name: 'old-history', sql: 'DELETE FROM history WHERE width = ? AND begins < ?' };

/** `now` is retention's clock. */
export function* dropHistory(_: Dialect, now: number): Rule<void> {
  for (const { ms, keptMs } of HISTORY_WIDTHS) yield* change(OLD_HISTORY, [ms, now - keptMs]);
}
