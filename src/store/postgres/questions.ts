/**
 * Questions to judges on the shared store: what `src/ask` needs, a transaction for each call. Two owners at once (one has not heard yet that it is none
 * any more) ask some questions twice and spend no more than there is: money is reserved under a lock that all share.
 */
import type { JudgeOutcome, JudgeRequest } from '../../model/judging.ts';
import type { EndedCall, PlannedCall, Reservation, Spent, Vote, WaitingQuestion } from '../../model/questions.ts';
import type { JudgingState, OverdueQuestions, QuestionStore, WaitingCount } from '../question-store.ts';
import { exhaustedBy, minuteOf, windowsAt } from '../spending.ts';
import { lockKey } from './advisory-locks.ts';
import type { Link } from './link.ts';
import type { Session } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';
import { askBeside, reviseAnswered } from './waiting.ts';

const SPENDING = { begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('spending')})` };
/** A transaction that makes an evaluation wait takes it as well, shared. */
const FORGETTING = { begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('questions')})` };

export class QuestionRows implements QuestionStore {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async waiting(judge: string, limit: number): Promise<readonly WaitingQuestion[]> {
    return this.#link.use(async (session) => {
      const rows = await session.rows<{ id: number; askedAt: number; request: string }>(WAITING, [judge, limit]);
      const ids = rows.map(({ id }) => id);
      const votes = ids.length === 0 ? [] : await session.rows<{ question: number; vote: string }>(VOTES, [ids]);
      const byQuestion = Map.groupBy(votes, ({ question }) => question);
      return rows.map(({ id, askedAt, request }) => ({
        // The casts hold because whoever asked and `record` wrote them.
        request: JSON.parse(fromStorable(request)) as JudgeRequest,
        askedAt,
        votes: (byQuestion.get(id) ?? []).map(({ vote }) => JSON.parse(fromStorable(vote)) as Vote),
      }));
    });
  }

  async overdue({ judge, before, keep, limit }: OverdueQuestions): Promise<readonly string[]> {
    return this.#link.use(async (session) => {
      const late = await session.rows<{ key: Buffer }>(LATE, [judge, before, limit]);
      const excess = await session.rows<{ key: Buffer }>(EXCESS, [judge, limit, keep]);
      return [...new Set([...late, ...excess].map(({ key }) => key.toString('hex')))];
    });
  }

  async countWaiting(): Promise<ReadonlyMap<string, WaitingCount>> {
    return this.#link.use(waitingIn);
  }

  async reserve({ key, nanos, at, limits }: PlannedCall): Promise<Reservation> {
    return this.#link.transaction(async (session): Promise<Reservation> => {
      const exhausted = exhaustedBy(nanos, limits, await spentBy(session, at));
      if (exhausted !== undefined) return { reserved: false, exhausted };
      const minute = minuteOf(at);
      await session.run(SPEND, [minute, nanos]);
      const [row] = await session.rows<{ id: number }>(RESERVE, [bytesOf(key), minute, nanos]);
      if (row === undefined) throw new Error('store: a reservation was not written');
      return { reserved: true, call: row.id };
    }, SPENDING);
  }

  /** Where the answer to a commit was lost it may be called again: the call is gone then, and nothing happens. */
  async record({ call, key, nanos, at, vote, outcome }: EndedCall): Promise<void> {
    await this.#link.transaction(async (session) => {
      const [reserved] = await session.rows<{ minute: number; nanos: number }>(END_CALL, [call]);
      if (reserved === undefined) return;
      await session.run(SPEND, [reserved.minute, nanos - reserved.nanos]);
      if (outcome !== undefined) await end(session, [{ key, outcome }], at);
      else if (vote !== undefined) await session.run(ADD_VOTE, [bytesOf(key), toStorable(JSON.stringify(vote))]);
    });
  }

  async askBeside(...[questions, at]: Parameters<QuestionStore['askBeside']>): Promise<void> {
    await this.#link.transaction((session) => askBeside(session, questions, at));
  }

  async end(ends: readonly { readonly key: string; readonly outcome: JudgeOutcome }[], at: number): Promise<void> {
    if (ends.length > 0) await this.#link.transaction((session) => end(session, ends, at));
  }

  async spent(at: number): Promise<Spent> {
    return this.#link.use((session) => spentBy(session, at));
  }

  async forget({ answeredAt, spentAt }: { readonly answeredAt: number; readonly spentAt: number }): Promise<number> {
    return this.#link.transaction(async (session) => {
      await session.run(FORGET_SPENT, [minuteOf(spentAt)]);
      await session.run(FORGET_CALLS, [minuteOf(spentAt)]);
      const gone = await session.rows<{ id: number }>(FORGET, [answeredAt]);
      if (gone.length > 0) {
        await session.run(FORGET_VOTES, [gone.map(({ id }) => id)]);
        await session.run(FORGET_ASKED, [gone.map(({ id }) => id)]);
      }
      return gone.length;
    }, FORGETTING);
  }
}

/** In the order of their keys, so that transactions that end some of the same wait for each other in one direction. */
async function end(
  session: Session,
  ends: readonly { readonly key: string; readonly outcome: JudgeOutcome }[],
  at: number,
): Promise<void> {
  const ended: number[] = [];
  for (const { key, outcome } of ends.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const text = toStorable(JSON.stringify(outcome));
    const rows = await session.rows<{ id: number }>(END, [bytesOf(key), text, outcome.is === 'answered', at]);
    ended.push(...rows.map(({ id }) => id));
  }
  if (ended.length === 0) return;
  await session.run(FORGET_VOTES, [ended]);
  await reviseAnswered(session, ended);
}

/** For readers of the page. */
export async function judgingState(session: Session, at: number): Promise<JudgingState> {
  return { spent: await spentBy(session, at), waiting: await waitingIn(session) };
}

async function waitingIn(session: Session): Promise<ReadonlyMap<string, WaitingCount>> {
  const rows = await session.rows<{ judge: string; questions: number; oldestAt: number }>(COUNT);
  return new Map(rows.map(({ judge, questions, oldestAt }) => [judge, { questions, oldestAt }]));
}

async function spentBy(session: Session, at: number): Promise<Spent> {
  const { hour, day } = windowsAt(at);
  const [row] = await session.rows<Spent>(SPENT, [hour, day]);
  return row ?? { hourNanos: 0, dayNanos: 0 };
}

function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'hex');
}

const IS_WAITED_FOR = 'EXISTS (SELECT 1 FROM judge_waits w WHERE w.question = q.id)';
const WAITING = {
  name: 'waiting-questions',
  sql: `SELECT q.id, q.asked_at AS "askedAt", q.request FROM questions q WHERE q.judge = $1 AND q.outcome IS NULL AND ${IS_WAITED_FOR}
    ORDER BY q.priority DESC, q.id LIMIT $2`,
};
const VOTES = {
  name: 'judge-votes',
  sql: 'SELECT question, vote FROM judge_votes WHERE question = ANY($1::bigint[]) ORDER BY id',
};
const LATE = {
  name: 'late-questions',
  sql: `SELECT q.key FROM questions q WHERE q.judge = $1 AND q.outcome IS NULL AND q.asked_at < $2 AND ${IS_WAITED_FOR}
    ORDER BY q.asked_at LIMIT $3`,
};
const EXCESS = {
  name: 'excess-questions',
  sql: `SELECT q.key FROM questions q WHERE q.judge = $1 AND q.outcome IS NULL AND ${IS_WAITED_FOR}
    ORDER BY q.priority DESC, q.id LIMIT $2 OFFSET $3`,
};
const COUNT = {
  name: 'count-questions',
  sql: `SELECT q.judge, count(*) AS questions, min(q.asked_at) AS "oldestAt" FROM questions q
    WHERE q.outcome IS NULL AND ${IS_WAITED_FOR} GROUP BY q.judge`,
};
const RESERVE = {
  name: 'reserve-call',
  // A question that has gone meanwhile is told so when the call is recorded; the money must be there all the same.
  sql: `INSERT INTO judge_calls (question, minute, nanos) VALUES (coalesce((SELECT id FROM questions WHERE key = $1), 0), $2, $3)
    RETURNING id`,
};
const SPEND = {
  name: 'spend',
  sql: `INSERT INTO judge_spending (minute, nanos) VALUES ($1, $2)
    ON CONFLICT (minute) DO UPDATE SET nanos = judge_spending.nanos + excluded.nanos`,
};
const SPENT = {
  name: 'spent',
  sql: `SELECT coalesce(sum(nanos) FILTER (WHERE minute >= $1), 0)::bigint AS "hourNanos", coalesce(sum(nanos), 0)::bigint AS "dayNanos"
    FROM judge_spending WHERE minute >= $2`,
};
const END_CALL = { name: 'end-call', sql: 'DELETE FROM judge_calls WHERE id = $1 RETURNING minute, nanos' };
const ADD_VOTE = {
  name: 'add-vote',
  sql: 'INSERT INTO judge_votes (question, vote) SELECT id, $2 FROM questions WHERE key = $1 AND outcome IS NULL',
};
/** The request is of no use any more, and is most of the row. */
const END = {
  name: 'end-question',
  sql: `UPDATE questions SET outcome = $2, answered = $3, ended_at = $4, request = '' WHERE key = $1 AND outcome IS NULL RETURNING id`,
};
const FORGET_VOTES = { name: 'forget-votes', sql: 'DELETE FROM judge_votes WHERE question = ANY($1::bigint[])' };
const FORGET_ASKED = { name: 'forget-asked', sql: 'DELETE FROM asked_for WHERE question = ANY($1::bigint[])' };
const FORGET = {
  name: 'forget-questions',
  sql: `DELETE FROM questions q WHERE NOT ${IS_WAITED_FOR} AND (NOT q.answered OR q.ended_at < $1) RETURNING q.id`,
};
const FORGET_SPENT = { name: 'forget-spent', sql: 'DELETE FROM judge_spending WHERE minute < $1' };
const FORGET_CALLS = { name: 'forget-calls', sql: 'DELETE FROM judge_calls WHERE minute < $1' };
