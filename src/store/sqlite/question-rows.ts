/** The rows of questions to judges: what waits, who waits for it, votes, outcomes, calls under way and money. See `question-store.ts`. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { JudgeOutcome, JudgeRequest } from '../../model/judging.ts';
import type { EndedCall, PlannedCall, Reservation, Spent, Vote, WaitingQuestion } from '../../model/questions.ts';
import type {
  JudgingState,
  OverdueQuestions,
  WaitingQuestions,
  QuestionStore,
  WaitingCount,
} from '../question-store.ts';
import { exhaustedBy, minuteOf, windowsAt } from '../spending.ts';
import type { OwnTransaction } from './own-transaction.ts';
import type { Statements } from './statements.ts';

type Row = Record<string, unknown>;

const COUNT_WAITING = `SELECT judge, count(*) AS questions, min(asked_at) AS oldest FROM questions
  WHERE outcome IS NULL AND EXISTS (SELECT 1 FROM judge_waits WHERE question = id) GROUP BY judge`;
const SPENT_SINCE = 'SELECT coalesce(sum(nanos), 0) AS nanos FROM judge_spending WHERE minute >= ?';

/** For readers of the page. */
export function judgingState(statements: Statements, at: number): JudgingState {
  return { spent: spentIn(statements.of(SPENT_SINCE), at), waiting: waitingIn(statements.of(COUNT_WAITING)) };
}

function spentIn(spentSince: StatementSync, at: number): Spent {
  const { hour, day } = windowsAt(at);
  const since = (minute: number) => Number(rowOf(spentSince.get(minute)).nanos);
  return { hourNanos: since(hour), dayNanos: since(day) };
}

function waitingIn(count: StatementSync): ReadonlyMap<string, WaitingCount> {
  return new Map(
    count
      .all()
      .map(({ judge, questions, oldest }) => [
        String(judge),
        { questions: Number(questions), oldestAt: Number(oldest) },
      ]),
  );
}

export class QuestionRows implements WaitingQuestions, QuestionStore {
  readonly #own: OwnTransaction;
  readonly #ask: StatementSync;
  readonly #askAgain: StatementSync;
  readonly #find: StatementSync;
  readonly #wait: StatementSync;
  readonly #waits: StatementSync;
  readonly #stopWaiting: StatementSync;
  readonly #isWaitedFor: StatementSync;
  readonly #ended: StatementSync;
  readonly #waiting: StatementSync;
  readonly #late: StatementSync;
  readonly #excess: StatementSync;
  readonly #count: StatementSync;
  readonly #votes: StatementSync;
  readonly #addVote: StatementSync;
  readonly #forgetVotes: StatementSync;
  readonly #end: StatementSync;
  readonly #reserve: StatementSync;
  readonly #call: StatementSync;
  readonly #forgetCall: StatementSync;
  readonly #spend: StatementSync;
  readonly #spentSince: StatementSync;
  readonly #forget: StatementSync;
  readonly #forgetSpent: StatementSync;
  readonly #forgetCalls: StatementSync;
  readonly #leave: StatementSync;
  readonly #forgetAsked: StatementSync;
  readonly #noteAsked: StatementSync;
  readonly #beside: StatementSync;

  constructor(database: DatabaseSync, own: OwnTransaction) {
    this.#own = own;
    const prepare = (sql: string) => database.prepare(sql);
    this.#ask = prepare(
      `INSERT INTO questions (key, judge, priority, asked_at, request) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET priority = max(priority, excluded.priority) WHERE outcome IS NULL
       RETURNING id`,
    );
    this.#askAgain = prepare(
      `UPDATE questions SET priority = ?, asked_at = ?, request = ?, outcome = NULL, ended_at = NULL
       WHERE id = ? AND answered = 0`,
    );
    this.#find = prepare('SELECT id, outcome, answered FROM questions WHERE key = ?');
    this.#wait = prepare('INSERT OR IGNORE INTO judge_waits (question, waiter) VALUES (?, ?)');
    this.#waits = prepare('SELECT question FROM judge_waits WHERE waiter = ?');
    this.#stopWaiting = prepare('DELETE FROM judge_waits WHERE question = ? AND waiter = ?');
    this.#isWaitedFor = prepare('SELECT 1 FROM judge_waits WHERE question = ? LIMIT 1');
    this.#ended = prepare(
      `SELECT waiter FROM judge_waits JOIN questions ON id = question
       WHERE waiter > 0 GROUP BY waiter HAVING count(*) = count(outcome) ORDER BY waiter LIMIT ?`,
    );
    this.#waiting = prepare(
      `SELECT id, asked_at, request FROM questions
       WHERE judge = ? AND outcome IS NULL AND EXISTS (SELECT 1 FROM judge_waits WHERE question = id)
       ORDER BY priority DESC, id LIMIT ?`,
    );
    this.#late = prepare(
      `SELECT key FROM questions WHERE judge = ? AND outcome IS NULL AND asked_at < ? AND EXISTS (SELECT 1 FROM judge_waits WHERE question = id)
       ORDER BY asked_at LIMIT ?`,
    );
    this.#excess = prepare(
      `SELECT key FROM questions WHERE judge = ? AND outcome IS NULL AND EXISTS (SELECT 1 FROM judge_waits WHERE question = id)
       ORDER BY priority DESC, id LIMIT ? OFFSET ?`,
    );
    this.#count = prepare(COUNT_WAITING);
    this.#votes = prepare('SELECT vote FROM judge_votes WHERE question = ? ORDER BY id');
    this.#addVote = prepare('INSERT INTO judge_votes (question, vote) VALUES (?, ?)');
    this.#forgetVotes = prepare('DELETE FROM judge_votes WHERE question = ?');
    // The request is of no use any more, and is most of the row.
    this.#end = prepare(
      `UPDATE questions SET outcome = ?, answered = ?, ended_at = ?, request = '' WHERE id = ? AND outcome IS NULL`,
    );
    this.#reserve = prepare('INSERT INTO judge_calls (question, minute, nanos) VALUES (?, ?, ?) RETURNING id');
    this.#call = prepare('SELECT minute, nanos FROM judge_calls WHERE id = ?');
    this.#forgetCall = prepare('DELETE FROM judge_calls WHERE id = ?');
    this.#spend = prepare(
      `INSERT INTO judge_spending (minute, nanos) VALUES (?, ?)
       ON CONFLICT (minute) DO UPDATE SET nanos = nanos + excluded.nanos`,
    );
    this.#spentSince = prepare(SPENT_SINCE);
    this.#forget = prepare(
      `DELETE FROM questions WHERE NOT EXISTS (SELECT 1 FROM judge_waits WHERE question = id)
         AND id IN (SELECT id FROM questions WHERE answered = 0
           UNION ALL SELECT id FROM questions WHERE answered = 1 AND ended_at < ?) RETURNING id`,
    );
    this.#forgetSpent = prepare('DELETE FROM judge_spending WHERE minute < ?');
    this.#forgetCalls = prepare('DELETE FROM judge_calls WHERE minute < ?');
    this.#forgetAsked = prepare('DELETE FROM asked_for WHERE question = ?');
    this.#noteAsked = prepare('INSERT OR IGNORE INTO asked_for (conversation, question) VALUES (?, ?)');
    this.#beside = prepare('SELECT DISTINCT waiter FROM judge_waits WHERE waiter < 0');
    this.#leave = prepare('DELETE FROM judge_waits WHERE waiter = ?');
  }

  waitFor(waiter: number, requests: readonly JudgeRequest[], at: number): readonly JudgeRequest[] {
    const before = new Set(this.#waits.all(waiter).map(({ question }) => Number(question)));
    const now = new Set<number>();
    const joined: JudgeRequest[] = [];
    for (const request of requests) {
      const { id, isAskedAgain } = this.#questionOf(request, at, before);
      now.add(id);
      if (before.has(id)) continue;
      if (!isAskedAgain && this.#isWaitedFor.get(id) !== undefined) joined.push(request);
      this.#wait.run(id, waiter);
    }
    for (const question of before) if (!now.has(question)) this.#stopWaiting.run(question, waiter);
    return joined;
  }

  /** The waiter is the conversation, below 0. */
  askBeside(questions: readonly { readonly conversation: number; readonly request: JudgeRequest }[], at: number): void {
    const byWaiter = Map.groupBy(questions, ({ conversation }) => -conversation);
    this.#own('questions beside evaluations', () => {
      for (const { waiter } of this.#beside.all()) if (!byWaiter.has(Number(waiter))) this.leave(Number(waiter));
      for (const [waiter, asked] of byWaiter) {
        const requests = asked.map(({ request }) => request);
        this.waitFor(waiter, requests, at);
        for (const { question } of this.#waits.all(waiter)) this.#noteAsked.run(-waiter, question ?? null);
      }
    });
  }

  outcomeOf(key: string, waiter: number | undefined): JudgeOutcome | 'waiting' {
    const found = this.#find.get(bytesOf(key));
    if (found === undefined || found.outcome === null) return 'waiting';
    if (found.answered !== 1 && (waiter === undefined || !this.#waitsFor(waiter, Number(found.id)))) return 'waiting';
    // The cast holds because `end` wrote it.
    return JSON.parse(String(found.outcome)) as JudgeOutcome;
  }

  endedWaiters(limit: number): readonly number[] {
    return this.#ended.all(limit).map(({ waiter }) => Number(waiter));
  }

  leave(waiter: number): void {
    this.#leave.run(waiter);
  }

  waiting(judge: string, limit: number): readonly WaitingQuestion[] {
    return this.#waiting.all(judge, limit).map(({ id, asked_at, request }) => ({
      // The casts hold because `ask` and `record` wrote them.
      request: JSON.parse(String(request)) as JudgeRequest,
      askedAt: Number(asked_at),
      votes: this.#votes.all(Number(id)).map(({ vote }) => JSON.parse(String(vote)) as Vote),
    }));
  }

  overdue({ judge, before, keep, limit }: OverdueQuestions): readonly string[] {
    const rows = [...this.#late.all(judge, before, limit), ...this.#excess.all(judge, limit, keep)];
    return [...new Set(rows.map(({ key }) => keyOf(key)))];
  }

  countWaiting(): ReadonlyMap<string, WaitingCount> {
    return waitingIn(this.#count);
  }

  reserve({ key, nanos, at, limits }: PlannedCall): Reservation {
    return this.#own('a reservation', () => {
      const exhausted = exhaustedBy(nanos, limits, this.spent(at));
      if (exhausted !== undefined) return { reserved: false, exhausted };
      const minute = minuteOf(at);
      this.#spend.run(minute, nanos);
      // A question that has gone meanwhile is told so when the call is recorded; the money must be there all the same.
      const question = Number(this.#find.get(bytesOf(key))?.id ?? 0);
      return { reserved: true, call: Number(rowOf(this.#reserve.get(question, minute, nanos)).id) };
    });
  }

  record({ call, key, nanos, at, vote, outcome }: EndedCall): void {
    this.#own('the end of a call', () => {
      const reserved = this.#call.get(call);
      if (reserved === undefined) return;
      this.#forgetCall.run(call);
      this.#spend.run(Number(reserved.minute), nanos - Number(reserved.nanos));
      const question = this.#find.get(bytesOf(key));
      if (question === undefined || question.outcome !== null) return;
      if (outcome !== undefined) this.#endOne(Number(question.id), outcome, at);
      else if (vote !== undefined) this.#addVote.run(Number(question.id), JSON.stringify(vote));
    });
  }

  end(ends: readonly { readonly key: string; readonly outcome: JudgeOutcome }[], at: number): void {
    this.#own('the end of questions', () => {
      for (const { key, outcome } of ends) {
        const question = this.#find.get(bytesOf(key));
        if (question !== undefined) this.#endOne(Number(question.id), outcome, at);
      }
    });
  }

  spent(at: number): Spent {
    return spentIn(this.#spentSince, at);
  }

  forget({ answeredAt, spentAt }: { readonly answeredAt: number; readonly spentAt: number }): number {
    return this.#own('the forgetting of questions', () => {
      this.#forgetSpent.run(minuteOf(spentAt));
      this.#forgetCalls.run(minuteOf(spentAt));
      const gone = this.#forget.all(answeredAt);
      for (const { id } of gone) {
        this.#forgetVotes.run(Number(id));
        this.#forgetAsked.run(Number(id));
      }
      return gone.length;
    });
  }

  /** One that failed is asked again, unless it is still waited for by who asks. */
  #questionOf(request: JudgeRequest, at: number, waitedFor: ReadonlySet<number>) {
    const key = bytesOf(request.key);
    const text = JSON.stringify(request);
    const asked = this.#ask.get(key, request.judge, request.priority, at, text);
    if (asked !== undefined) return { id: Number(asked.id), isAskedAgain: false };
    const id = Number(rowOf(this.#find.get(key)).id);
    if (waitedFor.has(id)) return { id, isAskedAgain: false };
    return { id, isAskedAgain: Number(this.#askAgain.run(request.priority, at, text, id).changes) > 0 };
  }

  #waitsFor(waiter: number, question: number): boolean {
    return this.#waits.all(waiter).some((row) => Number(row.question) === question);
  }

  #endOne(id: number, outcome: JudgeOutcome, at: number): void {
    this.#end.run(JSON.stringify(outcome), outcome.is === 'answered' ? 1 : 0, at, id);
    this.#forgetVotes.run(id);
  }
}

function rowOf(row: Row | undefined): Row {
  if (row === undefined) throw new Error('store: a row of a question is missing');
  return row;
}

function keyOf(bytes: unknown): string {
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : '';
}

function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'hex');
}
