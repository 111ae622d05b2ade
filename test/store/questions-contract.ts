/**
 * The contract of every store for questions to judges: they wait once, end once, survive a crash, and the budget is
 * never exceeded.
 */
import { expect, onTestFinished, test } from 'vitest';
import type { JudgeOutcome, JudgeRequest } from '../../src/model/judging.ts';
import type { PlannedCall, Vote } from '../../src/model/questions.ts';
import type { WaitingQuestions, QuestionStore } from '../../src/store/question-store.ts';
import { judgeRequest } from '../ask/requests.ts';

export interface QuestionsUnderTest {
  /**
   * Whether an existing answer is found before an evaluation waits for it; otherwise it is found once the evaluation
   * waits.
   */
  readonly answersAtOnce: boolean;
  readonly store: QuestionStore;
  /** A transaction with these two waiting evaluations. */
  transact<T>(work: (desk: WaitingQuestions, waiters: readonly [number, number]) => T): Promise<T>;
  /** Judges whose answers were reused in the last transaction, each as often as that happened. */
  readonly reused: readonly string[];
  /** Closes and opens again, in the state that a crash would leave. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const NO_LIMIT = { hourNanos: Number.POSITIVE_INFINITY, dayNanos: Number.POSITIVE_INFINITY };
const NOW = 1_790_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const YES: JudgeOutcome = {
  is: 'answered',
  model: 'm-1',
  answers: [{ criterion: 'kind', pass: true, reason: 'It was.', quotes: ['please'], votes: { yes: 1, of: 1 } }],
};
const DOWN: JudgeOutcome = { is: 'failed', failure: 'unreachable', reason: 'Nobody answered.' };
const VOTE: Vote = {
  is: 'said',
  model: 'm-1',
  answers: [{ criterion: 'kind', pass: true, reason: 'It was.', quotes: [] }],
};

function plan(request: JudgeRequest, options: Partial<PlannedCall> = {}): PlannedCall {
  return { key: request.key, nanos: 0, at: NOW, limits: NO_LIMIT, ...options };
}

async function reserved(store: QuestionStore, call: PlannedCall): Promise<number> {
  const reservation = await store.reserve(call);
  if (!reservation.reserved) throw new Error(`nothing was reserved: the ${reservation.exhausted} has no more`);
  return reservation.call;
}

const ended = { nanos: 0, at: NOW, vote: undefined, outcome: undefined };

export function holdQuestionsToContract(name: string, open: () => Promise<QuestionsUnderTest>): void {
  async function opened(): Promise<QuestionsUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    return under;
  }
  const keysOf = async (under: QuestionsUnderTest, judge = 'default') =>
    (await under.store.waiting(judge, 10)).map(({ request }) => request.key);

  test(`${name}: what waits is as it was asked, by priority and then by age, each judge's own`, async () => {
    const under = await opened();
    const [a, b, c, other] = [
      judgeRequest('a'),
      judgeRequest('b', { priority: 55 }),
      judgeRequest('c', { material: 'naïve \u0000 𝕊 "quoted"' }),
      judgeRequest('d', { judge: 'other' }),
    ];
    await under.transact((desk, [first]) => desk.waitFor(first, [a, b, c, other], NOW));
    await under.reopen();

    expect(await keysOf(under)).toEqual([b.key, a.key, c.key]);
    const [, , third] = await under.store.waiting('default', 3);
    expect(third).toEqual({ request: c, askedAt: NOW, votes: [] });
    expect(await under.store.waiting('default', 1)).toHaveLength(1);
    expect([...(await under.store.countWaiting())].toSorted()).toEqual([
      ['default', { questions: 3, oldestAt: NOW }],
      ['other', { questions: 1, oldestAt: NOW }],
    ]);
  });

  test(`${name}: two that ask alike have one question, with the higher priority, and both find its end`, async () => {
    const under = await opened();
    const question = judgeRequest('a');
    const urgent = { ...question, priority: 59 };
    const rows = await under.transact((desk, both) => {
      desk.waitFor(both[0], [judgeRequest('b', { priority: 55 }), question], NOW);
      desk.waitFor(both[1], [urgent], NOW + 1);
      return both;
    });
    expect(await keysOf(under)).toEqual([question.key, judgeRequest('b').key]);

    const call = await reserved(under.store, plan(question));
    await under.store.record({ ...ended, call, key: question.key, vote: VOTE, outcome: YES });

    expect(await keysOf(under)).toEqual([judgeRequest('b').key]);
    const found = await under.transact((desk) => ({
      ended: desk.endedWaiters(10),
      outcomes: rows.map((row) => desk.outcomeOf(question.key, row)),
    }));
    // The first still waits for the other one.
    expect(found.ended).toEqual([rows[1]]);
    expect(found.outcomes).toEqual([YES, YES]);
  });

  test(`${name}: questions beside evaluations wait behind theirs, wake nobody, and go when others are asked`, async () => {
    const under = await opened();
    const [own, beside, late] = [
      judgeRequest('a'),
      judgeRequest('b', { priority: -1 }),
      judgeRequest('c', { priority: -1 }),
    ];
    const [first] = await under.transact((desk, both) => {
      desk.waitFor(both[0], [own], NOW);
      return both;
    });
    const asked = [
      { conversation: 1, request: beside },
      { conversation: 2, request: late },
      { conversation: 2, request: own },
    ];
    await under.store.askBeside(asked, NOW);
    await under.store.askBeside(asked, NOW);
    await under.reopen();
    expect(await keysOf(under)).toEqual([own.key, beside.key, late.key]);

    await under.store.end([{ key: beside.key, outcome: YES }], NOW);
    await under.store.askBeside([{ conversation: 1, request: beside }], NOW);
    await under.store.forget({ answeredAt: NOW - HOUR, spentAt: NOW });

    expect(await keysOf(under)).toEqual([own.key]);
    const found = await under.transact((desk) => {
      const before = desk.endedWaiters(10);
      desk.leave(first);
      return before;
    });
    expect(found).toEqual([]);
  });

  test(`${name}: an answer is for whoever asks later, too; a failure only for those who waited`, async () => {
    const under = await opened();
    const [answered, failed] = [judgeRequest('a'), judgeRequest('b')];
    await under.transact((desk, [first]) => desk.waitFor(first, [answered, failed], NOW));
    await under.store.end(
      [
        { key: answered.key, outcome: YES },
        { key: failed.key, outcome: DOWN },
      ],
      NOW,
    );

    const seen = await under.transact((desk, [first, second]) => ({
      first: [desk.outcomeOf(answered.key, first), desk.outcomeOf(failed.key, first)],
      second: [desk.outcomeOf(answered.key, second), desk.outcomeOf(failed.key, second)],
    }));
    expect(seen).toEqual({ first: [YES, DOWN], second: [under.answersAtOnce ? YES : 'waiting', 'waiting'] });
    expect(await keysOf(under)).toEqual([]);

    // The first keeps its answer; the second has the question asked again.
    await under.transact((desk, [first]) => desk.waitFor(first, [failed], NOW + 1));
    expect(await keysOf(under)).toEqual([]);
    await under.transact((desk, [, second]) => desk.waitFor(second, [failed], NOW + 5));
    expect(await under.store.waiting('default', 10)).toEqual([{ request: failed, askedAt: NOW + 5, votes: [] }]);
  });

  test(`${name}: who joins a question that others wait for costs nothing, who waits on or asks again is not counted`, async () => {
    const under = await opened();
    const [a, b, c] = [judgeRequest('a'), judgeRequest('b', { judge: 'strict' }), judgeRequest('c')];
    const reusedBy = async (waiter: 0 | 1, ...requests: readonly JudgeRequest[]) => {
      await under.transact((desk, waiters) => desk.waitFor(waiters[waiter], requests, NOW));
      return under.reused.toSorted();
    };

    expect(await reusedBy(0, a, b)).toEqual([]);
    expect(await reusedBy(0, a, b)).toEqual([]);
    expect(await reusedBy(1, a, b, c)).toEqual(['default', 'strict']);
    expect(await reusedBy(1, a, b, c)).toEqual([]);
    await under.store.end([{ key: c.key, outcome: DOWN }], NOW);
    expect(await reusedBy(0, a, b, c)).toEqual([]);
    // No evaluation waits for it, so the next one is the first again.
    expect(await reusedBy(0, a)).toEqual([]);
    expect(await reusedBy(1, a)).toEqual([]);
    expect(await reusedBy(0, a, b)).toEqual([]);
  });

  test(`${name}: both in one transaction are one question`, async () => {
    const under = await opened();
    const question = judgeRequest('a');

    await under.transact((desk, waiters) => {
      for (const waiter of waiters) desk.waitFor(waiter, [question], NOW);
    });

    expect(under.reused).toEqual(['default']);
  });

  test(`${name}: overdue is what waits for too long, and what is too many`, async () => {
    const under = await opened();
    const [a, b, c] = [judgeRequest('a', { priority: 52 }), judgeRequest('b'), judgeRequest('c', { priority: 51 })];
    await under.transact((desk, [first]) => desk.waitFor(first, [a], NOW));
    await under.transact((desk, [, second]) =>
      desk.waitFor(second, [b, c, judgeRequest('d', { judge: 'other' })], NOW + 10),
    );
    const overdue = { judge: 'default', before: 0, keep: 9, limit: 9 };

    expect(await under.store.overdue(overdue)).toEqual([]);
    expect(await under.store.overdue({ ...overdue, before: NOW + 1 })).toEqual([a.key]);
    expect(await under.store.overdue({ ...overdue, keep: 1 })).toEqual([c.key, b.key]);
    expect(await under.store.overdue({ ...overdue, before: NOW + 99, keep: 0, limit: 1 })).toEqual([a.key]);
  });

  test(`${name}: what nobody waits for any more is not asked, and goes`, async () => {
    const under = await opened();
    const [a, b] = [judgeRequest('a'), judgeRequest('b')];
    await under.transact((desk, [first]) => desk.waitFor(first, [a, b], NOW));
    await under.transact((desk, [first]) => desk.waitFor(first, [b], NOW));

    expect(await keysOf(under)).toEqual([b.key]);
    const overdue = { judge: 'default', before: NOW + 1, keep: 9, limit: 9 };
    expect(await under.store.overdue(overdue)).toEqual([b.key]);
    expect((await under.store.countWaiting()).get('default')?.questions).toBe(1);
    expect(await under.store.forget({ answeredAt: 0, spentAt: 0 })).toBe(1);
    expect(await keysOf(under)).toEqual([b.key]);
  });

  test(`${name}: answers stay until they are old and nobody waits; failures until nobody waits`, async () => {
    const under = await opened();
    const [answered, failed] = [judgeRequest('a'), judgeRequest('b')];
    await under.transact((desk, [first]) => desk.waitFor(first, [answered, failed], NOW));
    const ends = [
      { key: answered.key, outcome: YES },
      { key: failed.key, outcome: DOWN },
    ];
    await under.store.end(ends, NOW);

    expect(await under.store.forget({ answeredAt: NOW + 1, spentAt: 0 })).toBe(0);
    await under.transact((desk, [first]) => desk.waitFor(first, [], NOW));
    expect(await under.store.forget({ answeredAt: NOW, spentAt: 0 })).toBe(1);
    if (under.answersAtOnce)
      expect(await under.transact((desk, [first]) => desk.outcomeOf(answered.key, first))).toEqual(YES);
    expect(await under.store.forget({ answeredAt: NOW + 1, spentAt: 0 })).toBe(1);
    expect(await under.transact((desk, [first]) => desk.outcomeOf(answered.key, first))).toBe('waiting');
  });

  test(`${name}: a vote that was settled is there after a crash, and gone with the end`, async () => {
    const under = await opened();
    const question = judgeRequest('a');
    await under.transact((desk, [first]) => desk.waitFor(first, [question], NOW));
    const refused: Vote = { is: 'failed', failure: 'refused', reason: 'No.' };
    for (const vote of [VOTE, refused, undefined]) {
      const call = await reserved(under.store, plan(question));
      await under.store.record({ ...ended, call, key: question.key, vote });
    }
    await reserved(under.store, plan(question));
    await under.reopen();

    const [waiting] = await under.store.waiting('default', 1);
    expect(waiting?.votes).toEqual([VOTE, refused]);

    await under.store.end([{ key: question.key, outcome: DOWN }], NOW);
    await under.transact((desk, [, second]) => desk.waitFor(second, [question], NOW));
    expect((await under.store.waiting('default', 1))[0]?.votes).toEqual([]);
  });

  test(`${name}: an end is the end: what comes after it changes nothing but the money`, async () => {
    const under = await opened();
    const question = judgeRequest('a');
    await under.transact((desk, [first]) => desk.waitFor(first, [question], NOW));
    const late = await reserved(under.store, plan(question, { nanos: 100 }));
    await under.store.end([{ key: question.key, outcome: DOWN }], NOW);
    await under.store.end([{ key: question.key, outcome: YES }], NOW);

    await under.store.record({ ...ended, call: late, key: question.key, nanos: 70, vote: VOTE, outcome: YES });
    await under.store.record({ ...ended, call: late, key: question.key, nanos: 70, vote: VOTE, outcome: YES });

    expect(await under.transact((desk, [first]) => desk.outcomeOf(question.key, first))).toEqual(DOWN);
    expect(await under.store.spent(NOW)).toEqual({ hourNanos: 70, dayNanos: 70 });
  });

  test(`${name}: no more is reserved than the hour and the day have, and what was in flight at a crash counts`, async () => {
    const under = await opened();
    const question = judgeRequest('a');
    const limits = { hourNanos: 100, dayNanos: 250 };
    const of = (nanos: number, at: number) => plan(question, { nanos, at, limits });

    const first = await reserved(under.store, of(60, NOW));
    expect(await under.store.reserve(of(41, NOW))).toEqual({ reserved: false, exhausted: 'hour' });
    await under.store.record({ ...ended, call: first, key: question.key, nanos: 10 });
    await reserved(under.store, of(90, NOW));
    await under.reopen();
    expect(await under.store.spent(NOW)).toEqual({ hourNanos: 100, dayNanos: 100 });
    expect(await under.store.reserve(of(1, NOW + 59 * MINUTE))).toEqual({ reserved: false, exhausted: 'hour' });

    await reserved(under.store, of(100, NOW + HOUR + MINUTE));
    await reserved(under.store, of(50, NOW + 2 * (HOUR + MINUTE)));
    expect(await under.store.reserve(of(1, NOW + 3 * (HOUR + MINUTE)))).toEqual({ reserved: false, exhausted: 'day' });
    expect(await under.store.reserve(of(0, NOW + 3 * (HOUR + MINUTE)))).toMatchObject({ reserved: true });
    await reserved(under.store, of(1, NOW + 24 * HOUR + MINUTE));
  });

  test(`${name}: money from long ago is forgotten, and nothing younger`, async () => {
    const under = await opened();
    const question = judgeRequest('a');
    await reserved(under.store, plan(question, { nanos: 5 }));
    await reserved(under.store, plan(question, { nanos: 7, at: NOW + MINUTE }));

    await under.store.forget({ answeredAt: 0, spentAt: NOW + MINUTE });

    expect(await under.store.spent(NOW + MINUTE)).toEqual({ hourNanos: 7, dayNanos: 7 });
  });
}
