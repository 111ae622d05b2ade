/** Questions to judges in the store of one machine (rules/questions.ts), for `src/ask` and inside the engine's transaction. */
import type { WaitingQuestions } from '../question-store.ts';
import { QUESTIONS, outcomeOf, type QuestionDialect, waitFor } from '../rules/questions.ts';
import { bound, change, given, type Rule, rows } from '../sql.ts';
import { DIALECT } from './dialect.ts';
import type { OwnTransaction } from './own-transaction.ts';
import { SqliteSql } from './sqlite-sql.ts';
import type { Statements } from './statements.ts';

const ASKING: QuestionDialect = {
  ...DIALECT,
  // By the two partial indexes.
  forgettable: `q.id IN (SELECT id FROM questions WHERE answered = 0
    UNION ALL SELECT id FROM questions WHERE answered = 1 AND ended_at < ?)`,
  keepQuestions: () => given(undefined),
  ended: () => given(undefined),
};

export type QuestionRows = ReturnType<typeof questionRows>;

export function questionRows(statements: Statements, own: OwnTransaction) {
  const sql = new SqliteSql(ASKING, statements, own);
  const inside: WaitingQuestions = {
    waitFor: (waiter, requests, at) => sql.inside(waitFor(ASKING, waiter, requests, at)),
    outcomeOf: (key, waiter) => sql.inside(outcomeOf(ASKING, key, waiter)),
    endedWaiters: (limit) => sql.inside(endedWaiters(limit)),
    leave: (waiter) => void sql.inside(change(LEAVE, [waiter])),
  };
  return { ...bound(sql, QUESTIONS), ...inside };
}

const ENDED = {
  name: 'ended-waiters',
  sql: `SELECT waiter FROM judge_waits JOIN questions ON id = question
    WHERE waiter > 0 GROUP BY waiter HAVING count(*) = count(outcome) ORDER BY waiter LIMIT ?`,
};
const LEAVE = { name: 'leave', sql: 'DELETE FROM judge_waits WHERE waiter = ?' };

function* endedWaiters(limit: number): Rule<readonly number[]> {
  return (yield* rows<{ waiter: number }>(ENDED, [limit])).map(({ waiter }) => waiter);
}
