/** Questions to judges (question-store.ts): what waits, who waits for it, votes, outcomes, calls under way and money. */
import type { JudgeOutcome, JudgeRequest } from '../../model/judging.ts';
import type { EndedCall, PlannedCall, Reservation, Spent, Vote, WaitingQuestion } from '../../model/questions.ts';
import type { JudgingState, OverdueQuestions, QuestionStore, WaitingCount } from '../question-store.ts';
import { exhaustedBy, minuteOf, windowsAt } from '../spending.ts';
import { change, type Dialect, isTrue, type Rule, rows, type Statement, transaction } from '../sql.ts';

export interface QuestionDialect extends Dialect {
  /** Condition on `questions`: it failed, or it was answered before the time of the next parameter. */
  readonly forgettable: string;
  /** Nobody forgets a question between our finding it and our waiting for it. */
  readonly keepQuestions: () => Rule<unknown>;
  /** These have ended: evaluations that wait for nothing else are asked for again, unless the engine looks for them. */
  readonly ended: (questions: readonly number[]) => Rule<unknown>;
}

interface IdRow {
  readonly id: number;
}

const IS_WAITED_FOR = 'EXISTS (SELECT 1 FROM judge_waits w WHERE w.question = q.id)';
const WAITING: Statement = {
  name: 'waiting-questions',
  sql: `SELECT q.id, q.asked_at AS "askedAt", q.request FROM questions q
    WHERE q.judge = ? AND q.outcome IS NULL AND ${IS_WAITED_FOR} ORDER BY q.priority DESC, q.id LIMIT ?`,
};

function* waiting(dialect: Dialect, judge: string, limit: number): Rule<readonly WaitingQuestion[]> {
  const { fromStored, among } = dialect;
  const found = yield* rows<IdRow & { askedAt: number; request: string }>(WAITING, [judge, limit]);
  const ids = found.map(({ id }) => id);
  const sql = `SELECT question, vote FROM judge_votes WHERE ${among('question')} ORDER BY id`;
  const votes =
    ids.length === 0 ? [] : yield* rows<{ question: number; vote: string }>({ name: 'judge-votes', sql }, [ids]);
  const byQuestion = Map.groupBy(votes, ({ question }) => question);
  return found.map(({ id, askedAt, request }) => ({
    // The casts hold because whoever asked and `record` wrote them.
    request: JSON.parse(fromStored(request)) as JudgeRequest,
    askedAt,
    votes: (byQuestion.get(id) ?? []).map(({ vote }) => JSON.parse(fromStored(vote)) as Vote),
  }));
}

const LATE: Statement = {
  name: 'late-questions',
  sql: `SELECT q.key FROM questions q WHERE q.judge = ? AND q.outcome IS NULL AND q.asked_at < ? AND ${IS_WAITED_FOR}
    ORDER BY q.asked_at LIMIT ?`,
};
const EXCESS: Statement = {
  name: 'excess-questions',
  sql: `SELECT q.key FROM questions q WHERE q.judge = ? AND q.outcome IS NULL AND ${IS_WAITED_FOR}
    ORDER BY q.priority DESC, q.id LIMIT ? OFFSET ?`,
};

/** Keys of those that wait for too long, and of those that are too many. */
function* overdue(_: Dialect, { judge, before, keep, limit }: OverdueQuestions): Rule<readonly string[]> {
  const late = yield* rows<{ key: Uint8Array }>(LATE, [judge, before, limit]);
  const excess = yield* rows<{ key: Uint8Array }>(EXCESS, [judge, limit, keep]);
  return [...new Set([...late, ...excess].map(({ key }) => Buffer.from(key).toString('hex')))];
}

const COUNT: Statement = {
  name: 'count-questions',
  sql: `SELECT q.judge, count(*) AS questions, min(q.asked_at) AS "oldestAt" FROM questions q
    WHERE q.outcome IS NULL AND ${IS_WAITED_FOR} GROUP BY q.judge`,
};

/** By judge; those without any are not in it. */
function* countWaiting(_: Dialect): Rule<ReadonlyMap<string, WaitingCount>> {
  const found = yield* rows<WaitingCount & { readonly judge: string }>(COUNT);
  return new Map(found.map(({ judge, questions, oldestAt }) => [judge, { questions, oldestAt }]));
}

const SPENT: Statement = {
  name: 'spent',
  sql: `SELECT CAST(coalesce(sum(nanos) FILTER (WHERE minute >= ?), 0) AS bigint) AS "hourNanos",
      CAST(coalesce(sum(nanos), 0) AS bigint) AS "dayNanos"
    FROM judge_spending WHERE minute >= ?`,
};

function* spent(_: Dialect, at: number): Rule<Spent> {
  const { hour, day } = windowsAt(at);
  const [row] = yield* rows<Spent>(SPENT, [hour, day]);
  return { hourNanos: row?.hourNanos ?? 0, dayNanos: row?.dayNanos ?? 0 };
}

/** For readers of the page. */
export function* judging(dialect: Dialect, at: number): Rule<JudgingState> {
  return { spent: yield* spent(dialect, at), waiting: yield* countWaiting(dialect) };
}

const SPEND: Statement = {
  name: 'spend',
  sql: `INSERT INTO judge_spending (minute, nanos) VALUES (?, ?)
    ON CONFLICT (minute) DO UPDATE SET nanos = judge_spending.nanos + excluded.nanos`,
};
const RESERVE: Statement = {
  name: 'reserve-call',
  // A question that has gone meanwhile is told so when the call is recorded; the money must be there all the same.
  sql: `INSERT INTO judge_calls (question, minute, nanos)
    VALUES (coalesce((SELECT id FROM questions WHERE key = ?), 0), ?, ?) RETURNING id`,
};

function reserve(dialect: Dialect, { key, nanos, at, limits }: PlannedCall): Rule<Reservation> {
  return transaction({ what: 'a reservation', lock: 'spending' }, function* (): Rule<Reservation> {
    const exhausted = exhaustedBy(nanos, limits, yield* spent(dialect, at));
    if (exhausted !== undefined) return { reserved: false, exhausted };
    const minute = minuteOf(at);
    yield* change(SPEND, [minute, nanos]);
    const [row] = yield* rows<IdRow>(RESERVE, [bytesOf(key), minute, nanos]);
    if (row === undefined) throw new Error('store: a reservation was not written');
    return { reserved: true, call: row.id };
  });
}

const END_CALL: Statement = { name: 'end-call', sql: 'DELETE FROM judge_calls WHERE id = ? RETURNING minute, nanos' };
const ADD_VOTE: Statement = {
  name: 'add-vote',
  sql: 'INSERT INTO judge_votes (question, vote) SELECT id, ? FROM questions WHERE key = ? AND outcome IS NULL',
};

/** Where the answer to a commit was lost it may be called again: the call is gone then, and nothing happens. */
function record(dialect: QuestionDialect, { call, key, nanos, at, vote, outcome }: EndedCall): Rule<void> {
  return transaction({ what: 'the end of a call' }, function* () {
    const [reserved] = yield* rows<{ minute: number; nanos: number }>(END_CALL, [call]);
    if (reserved === undefined) return;
    yield* change(SPEND, [reserved.minute, nanos - reserved.nanos]);
    if (outcome !== undefined) yield* endAll(dialect, [{ key, outcome }], at);
    else if (vote !== undefined) yield* change(ADD_VOTE, [dialect.toStored(JSON.stringify(vote)), bytesOf(key)]);
  });
}

type Ends = Parameters<QuestionStore['end']>[0];

/** Without a call. Questions that have ended already stay as they are. */
function end(dialect: QuestionDialect, ends: Ends, at: number): Rule<void> {
  return transaction({ what: 'the end of questions' }, () => endAll(dialect, ends, at));
}

/** The request is of no use any more, and is most of the row. */
const END: Statement = {
  name: 'end-question',
  sql: `UPDATE questions SET outcome = ?, answered = ?, ended_at = ?, request = ''
    WHERE key = ? AND outcome IS NULL RETURNING id`,
};

/** In the order of their keys, so that transactions that end some of the same wait for each other in one direction. */
function* endAll(dialect: QuestionDialect, ends: Ends, at: number): Rule<void> {
  const ended: number[] = [];
  for (const { key, outcome } of ends.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const text = dialect.toStored(JSON.stringify(outcome));
    const found = yield* rows<IdRow>(END, [text, outcome.is === 'answered', at, bytesOf(key)]);
    ended.push(...found.map(({ id }) => id));
  }
  if (ended.length === 0) return;
  yield* change(forgetVotes(dialect), [ended]);
  yield* dialect.ended(ended);
}

function forgetVotes({ among }: Dialect): Statement {
  return { name: 'forget-votes', sql: `DELETE FROM judge_votes WHERE ${among('question')}` };
}

const FORGET_SPENT: Statement = { name: 'forget-spent', sql: 'DELETE FROM judge_spending WHERE minute < ?' };
const FORGET_CALLS: Statement = { name: 'forget-calls', sql: 'DELETE FROM judge_calls WHERE minute < ?' };

/** Answers from before that time, what nobody waits for, and money from more than a day ago. Gives how many questions went. */
function forget(
  dialect: QuestionDialect,
  { answeredAt, spentAt }: { readonly answeredAt: number; readonly spentAt: number },
): Rule<number> {
  const { among, forgettable } = dialect;
  return transaction({ what: 'the forgetting of questions', lock: 'questions' }, function* () {
    yield* change(FORGET_SPENT, [minuteOf(spentAt)]);
    yield* change(FORGET_CALLS, [minuteOf(spentAt)]);
    const sql = `DELETE FROM questions AS q WHERE NOT ${IS_WAITED_FOR} AND ${forgettable} RETURNING id`;
    const gone = (yield* rows<IdRow>({ name: 'forget-questions', sql }, [answeredAt])).map(({ id }) => id);
    if (gone.length > 0) {
      yield* change(forgetVotes(dialect), [gone]);
      yield* change({ name: 'forget-asked', sql: `DELETE FROM asked_for WHERE ${among('question')}` }, [gone]);
    }
    return gone.length;
  });
}

/** These are to be asked beside evaluations, and no others. The waiter is the conversation, below 0. */
function askBeside(
  dialect: QuestionDialect,
  questions: readonly { readonly conversation: number; readonly request: JudgeRequest }[],
  at: number,
): Rule<void> {
  return transaction({ what: 'questions beside evaluations' }, function* () {
    yield* dialect.keepQuestions();
    const byConversation = Map.groupBy(questions, ({ conversation }) => conversation);
    const sql = `DELETE FROM judge_waits WHERE waiter < 0 AND NOT (${dialect.among('waiter')})`;
    yield* change({ name: 'leave-beside', sql }, [[...byConversation.keys()].map((conversation) => -conversation)]);
    for (const [conversation, asked] of byConversation) {
      const requests = asked.map(({ request }) => request);
      yield* waitFor(dialect, -conversation, requests, at);
      yield* noteAsked({ conversation, waiter: -conversation });
    }
  });
}

const WAITS_OF: Statement = { name: 'waits-of', sql: 'SELECT question FROM judge_waits WHERE waiter = ?' };
/** Written also where it is there already, so that it is locked and does not end unseen before we wait for it. */
const ASK: Statement = {
  name: 'ask-question',
  sql: `INSERT INTO questions (key, judge, priority, asked_at, request) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET priority = CASE WHEN questions.outcome IS NULL
      AND excluded.priority > questions.priority THEN excluded.priority ELSE questions.priority END
    RETURNING id, outcome IS NOT NULL AS ended, answered,
      EXISTS (SELECT 1 FROM judge_waits w WHERE w.question = questions.id) AS waited`,
};
const ASK_AGAIN: Statement = {
  name: 'ask-question-again',
  sql: 'UPDATE questions SET priority = ?, asked_at = ?, request = ?, outcome = NULL, ended_at = NULL WHERE id = ?',
};
/** Its answer, kept for others, quotes the conversation. */
const NOTE_ASKED: Statement = {
  name: 'note-asked',
  sql: `INSERT INTO asked_for (conversation, question) SELECT ?, question FROM judge_waits WHERE waiter = ?
    ON CONFLICT DO NOTHING`,
};

/** See `WaitingQuestions.waitFor`. */
export function* waitFor(
  dialect: Dialect,
  waiter: number,
  requests: readonly JudgeRequest[],
  at: number,
): Rule<readonly JudgeRequest[]> {
  const before = new Set((yield* rows<{ question: number }>(WAITS_OF, [waiter])).map(({ question }) => question));
  const asked = new Set<number>();
  const reused: JudgeRequest[] = [];
  for (const request of requests) {
    const { id, isReused } = yield* ask(dialect, request, at, before);
    asked.add(id);
    if (isReused) reused.push(request);
  }
  const over = [...before].filter((question) => !asked.has(question));
  const stop = `DELETE FROM judge_waits WHERE waiter = ? AND ${dialect.among('question')}`;
  if (over.length > 0) yield* change({ name: 'stop-waiting', sql: stop }, [waiter, over]);
  const added = [...asked].filter((question) => !before.has(question));
  if (added.length === 0) return reused;
  const wait = `INSERT INTO judge_waits (waiter, question) SELECT ?, wanted.value FROM ${dialect.wanted}
    WHERE wanted.value > 0 ON CONFLICT DO NOTHING`;
  yield* change({ name: 'wait-for', sql: wait }, [waiter, added]);
  return reused;
}

export function noteAsked(asked: { readonly conversation: number; readonly waiter: number }): Rule<number> {
  return change(NOTE_ASKED, [asked.conversation, asked.waiter]);
}

/** One that failed is asked again, unless it is still waited for by who asks. */
function* ask(
  { toStored }: Dialect,
  request: JudgeRequest,
  at: number,
  waitedFor: ReadonlySet<number>,
): Rule<{ readonly id: number; readonly isReused: boolean }> {
  const { key, judge, priority } = request;
  const text = toStored(JSON.stringify(request));
  type Truth = boolean | number;
  type Asked = IdRow & { readonly ended: Truth; readonly answered: Truth; readonly waited: Truth };
  const [row] = yield* rows<Asked>(ASK, [bytesOf(key), judge, priority, at, text]);
  if (row === undefined) throw new Error('store: a question was not written');
  const { id } = row;
  if (waitedFor.has(id)) return { id, isReused: false };
  const isAnswered = isTrue(row.answered);
  if (isTrue(row.ended) && !isAnswered) {
    yield* change(ASK_AGAIN, [priority, at, text, id]);
    return { id, isReused: false };
  }
  return { id, isReused: isAnswered || isTrue(row.waited) };
}

const FIND: Statement = { name: 'question-outcome', sql: 'SELECT id, outcome, answered FROM questions WHERE key = ?' };

/** See `WaitingQuestions.outcomeOf`. */
export function* outcomeOf(
  { fromStored }: Dialect,
  key: string,
  waiter: number | undefined,
): Rule<JudgeOutcome | 'waiting'> {
  type Found = IdRow & { readonly outcome: string | null; readonly answered: boolean | number };
  const [found] = yield* rows<Found>(FIND, [bytesOf(key)]);
  if (found === undefined || found.outcome === null) return 'waiting';
  if (!isTrue(found.answered)) {
    if (waiter === undefined) return 'waiting';
    const waits = yield* rows<{ question: number }>(WAITS_OF, [waiter]);
    if (!waits.some(({ question }) => question === found.id)) return 'waiting';
  }
  // The cast holds because `end` wrote it.
  return JSON.parse(fromStored(found.outcome)) as JudgeOutcome;
}

function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'hex');
}

export const QUESTIONS = {
  ...{ waiting, overdue, countWaiting, spent, reserve, record, end, forget, askBeside },
};
