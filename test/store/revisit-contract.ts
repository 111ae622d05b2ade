/**
 * The contract of every store for re-evaluated conversations: truth from outside, and evaluations that wait for
 * verdicts.
 */
import { expect, onTestFinished, test } from 'vitest';
import type { Evaluation } from '../../src/model/evaluation.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import type { JudgeOutcome } from '../../src/model/judging.ts';
import { absorbConversation, closeConversation } from '../../src/engine/conversation-closing.ts';
import type { QuestionStore } from '../../src/store/question-store.ts';
import type { TruthStore } from '../../src/store/truth-store.ts';
import { judgeRequest } from '../ask/requests.ts';
import { COUNTED, evaluationOf, joinTurn, type StoreUnderTest, storeTurn } from './contract.ts';

export interface RevisitsUnderTest extends StoreUnderTest {
  readonly truths: TruthStore;
  readonly questions: QuestionStore;
}

const TURN = { number: 1, conversation: 'c1', at: 1000 };
const KEY = { suite: 'pack', turnId: undefined };
const YES: JudgeOutcome = {
  is: 'answered',
  model: 'm-1',
  answers: [{ criterion: 'kind', pass: true, reason: 'It was.', quotes: [], votes: { yes: 1, of: 1 } }],
};

export function holdRevisitsToContract(name: string, open: () => Promise<RevisitsUnderTest>): void {
  async function withTurn(): Promise<RevisitsUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    await under.transact({ turns: [TURN], until: 1000 }, () => {
      const { row } = joinTurn(under.store, TURN, { dueNow: 'end_marker' });
      storeTurn(under.store, TURN, row);
      evaluated(under, row);
    });
    return under;
  }

  function evaluated(under: RevisitsUnderTest, row: number): void {
    closeConversation(under.store.conversations, row, {
      revision: 1,
      cause: 'end_marker',
      turns: 1,
      unscoredBecause: undefined,
    });
  }

  /** The requested re-evaluations, with what `look` finds for each. */
  async function revisited<T>(under: RevisitsUnderTest, look: (row: number) => T, at = 1000): Promise<readonly T[]> {
    const { result } = await under.transact({ until: at }, () => under.store.revisits.take(at).map(look));
    return result;
  }

  function waits(under: RevisitsUnderTest, row: number, ...names: readonly string[]): void {
    const evaluation: Evaluation = { ...evaluationOf({ conversation: 'c1' }), waitsFor: ['right'] };
    const place = { conversation: row, trace: 0, labels: COUNTED };
    const requests = names.map((name) => judgeRequest(name));
    under.store.waiting.put({ evaluation, place, counted: ['polite'], requests });
  }

  async function withWaiting(...names: readonly string[]): Promise<RevisitsUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    await under.transact({ turns: [TURN], until: 1000 }, () => {
      const { row } = joinTurn(under.store, TURN, { dueNow: 'end_marker' });
      storeTurn(under.store, TURN, row);
      evaluated(under, row);
      waits(under, row, ...names);
    });
    return under;
  }

  const ended = (under: RevisitsUnderTest, outcome: JudgeOutcome, ...names: readonly string[]) =>
    under.questions.end(
      names.map((one) => ({ key: judgeRequest(one).key, outcome })),
      2000,
    );

  test(`${name}: truth that comes later has the conversation looked at again, once`, async () => {
    const under = await withTurn();

    expect(await under.truths.put('c1', { participants: ['ana', 'ü\u0000'] })).toBe(true);
    await under.reopen();

    const seen = await revisited(under, (row) => under.store.truths.find(under.store.conversations.at(row).id));
    expect(seen).toEqual([{ participants: ['ana', 'ü\u0000'] }]);
    expect(await under.truths.put('c1', { participants: ['ana', 'ü\u0000'] })).toBe(false);
    expect(await under.truths.put('c1', undefined)).toBe(true);
    expect(await revisited(under, (row) => under.store.truths.find(under.store.conversations.at(row).id))).toEqual([
      undefined,
    ]);
  });

  test(`${name}: truth may be there before the conversation`, async () => {
    const under = await open();
    onTestFinished(() => under.close());
    await under.truths.put('c1', { right: true });

    const { result } = await under.transact({ turns: [TURN], until: 1000 }, () =>
      under.store.truths.find(joinTurn(under.store, TURN).id),
    );

    expect(result).toEqual({ right: true });
  });

  test(`${name}: a crash while it is looked at leaves it asked for`, async () => {
    const under = await withTurn();
    await under.truths.put('c1', { right: true });

    await under.crash({ until: 1000 }, () => {
      expect(under.store.revisits.take(1000)).toHaveLength(1);
    });

    expect(await revisited(under, () => 'seen')).toEqual(['seen']);
  });

  /** Conversations due for a revisit while another turn is scored: a store need not begin where nothing is due. */
  async function besidesTurn(under: RevisitsUnderTest, number: number, at: number): Promise<readonly string[]> {
    const turn = { number, conversation: `other ${number}`, at };
    const { result } = await under.transact({ turns: [turn], until: at }, () => {
      const { row } = joinTurn(under.store, turn, { dueNow: 'end_marker' });
      storeTurn(under.store, turn, row);
      evaluated(under, row);
      return under.store.revisits.take(at).map((asked) => under.store.conversations.at(asked).id);
    });
    return result;
  }

  test(`${name}: a conversation that is to be looked at later is looked at then, once, over a restart too`, async () => {
    const under = await open();
    onTestFinished(() => under.close());
    await under.transact({ turns: [TURN], until: 1000 }, () => {
      const { row } = joinTurn(under.store, TURN, { dueNow: 'end_marker' });
      storeTurn(under.store, TURN, row);
      evaluated(under, row);
      under.store.revisits.ask(row, 5000);
      under.store.revisits.ask(row, 9000);
    });
    await under.reopen();

    expect(await besidesTurn(under, 2, 4999)).toEqual([]);
    await under.crash({ until: 5000 }, () => {
      expect(under.store.revisits.take(5000)).toHaveLength(1);
    });
    expect(await revisited(under, () => 'seen', 5000)).toEqual(['seen']);
    expect(await besidesTurn(under, 3, 9000)).toEqual([]);
  });

  test(`${name}: one that is looked at before asks again, and truth does not wait for it`, async () => {
    const under = await withTurn();
    const askAgain = (row: number) => under.store.revisits.ask(row, 5000);
    await under.truths.put('c1', { right: true });
    expect(await revisited(under, askAgain)).toHaveLength(1);
    expect(await besidesTurn(under, 2, 2000)).toEqual([]);

    await under.truths.put('c1', { right: false });

    expect(await revisited(under, askAgain, 2000)).toHaveLength(1);
    expect(await besidesTurn(under, 3, 4999)).toEqual([]);
    expect(await revisited(under, () => 'seen', 5000)).toEqual(['seen']);
  });

  test(`${name}: an evaluation that waits is shown as it stands, and is looked at when its last question has come to its end`, async () => {
    const under = await withWaiting('a', 'b');
    const reader = await under.reader();
    const [shown] = await reader.evaluations((await reader.find('c1')) ?? expect.unreachable(), { revisions: 'last' });
    expect(shown).toMatchObject({ conversationId: 'c1', suite: 'pack', revision: 1, waitsFor: ['right'] });

    await ended(under, YES, 'a');
    await ended(under, { is: 'failed', failure: 'timeout', reason: 'Late.' }, 'b');

    const seen = await revisited(under, (conversation) => {
      const key = { ...KEY, conversation };
      const held = under.store.waiting.find(key);
      const outcomes = ['a', 'b', 'c'].map((one) => under.store.waiting.outcomeOf(judgeRequest(one).key, key)?.is);
      under.store.waiting.drop(key);
      return {
        counted: held?.counted,
        labels: held?.place.labels,
        outcomes,
        after: under.store.waiting.find(key),
      };
    });
    expect(seen).toEqual([
      { counted: ['polite'], labels: COUNTED, outcomes: ['answered', 'failed', undefined], after: undefined },
    ]);
    expect(await reader.evaluations((await reader.find('c1')) ?? expect.unreachable(), { revisions: 'last' })).toEqual(
      [],
    );
  });

  test(`${name}: what waits for something new goes on waiting`, async () => {
    const under = await withWaiting('a');
    await ended(under, YES, 'a');

    expect(await revisited(under, (row) => waits(under, row, 'b'))).toHaveLength(1);
    await ended(under, YES, 'b');

    expect(
      await revisited(under, (conversation) => under.store.waiting.find({ ...KEY, conversation })?.counted),
    ).toEqual([['polite']]);
  });

  test(`${name}: an answer that is there already is not waited for long`, async () => {
    const under = await withWaiting('a');
    await ended(under, YES, 'a');
    await revisited(under, (conversation) => under.store.waiting.drop({ ...KEY, conversation }));
    const second = { number: 2, conversation: 'c2', at: 2000 };
    await under.transact({ turns: [second], until: 2000 }, () => {
      const { row } = joinTurn(under.store, second, { dueNow: 'end_marker' });
      storeTurn(under.store, second, row);
      evaluated(under, row);
      waits(under, row, 'a');
    });

    const { result } = await under.transact({ until: 2000 }, () => {
      const [conversation = 0] = under.store.revisits.take(1000);
      return under.store.waiting.outcomeOf(judgeRequest('a').key, { ...KEY, conversation });
    });

    expect(result).toEqual(YES);
  });

  test(`${name}: what can't be completed is let go once it is answered`, async () => {
    const under = await withWaiting('a');
    await ended(under, YES, 'a');

    const left = await revisited(under, (conversation) => {
      under.store.waiting.dropAnswered(conversation);
      return under.store.waiting.find({ ...KEY, conversation });
    });

    expect(left).toEqual([undefined]);
  });

  test(`${name}: where two conversations turn out to be one, what waits for a turn goes with it`, async () => {
    const under = await open();
    onTestFinished(() => under.close());
    const [one, two] = [
      { number: 1, conversation: undefined, at: 1000, has: ['x'] },
      { number: 2, conversation: 'c2', at: 1000, wants: ['x'] },
    ];
    const turnId = 'turn-1' as NonNullable<Evaluation['turnId']>;
    await under.transact({ turns: [one, two], until: 1000 }, () => {
      const [from, to] = [joinTurn(under.store, one), joinTurn(under.store, two)];
      const trace = storeTurn(under.store, one, from.row);
      storeTurn(under.store, two, to.row);
      const evaluation: Evaluation = { ...evaluationOf({ conversation: from.id, turnId }), waitsFor: ['right'] };
      const place = { conversation: from.row, trace, labels: COUNTED };
      under.store.waiting.put({ evaluation, place, counted: [], requests: [judgeRequest('a')] });
      absorbConversation(under.store, from.row, to.row);
    });
    await ended(under, YES, 'a');

    const seen = await revisited(under, (conversation) => [
      under.store.conversations.at(conversation).id,
      under.store.waiting.find({ conversation, suite: 'pack', turnId })?.evaluation.waitsFor,
    ]);

    expect(seen).toEqual([['c2' as ConversationId, ['right']]]);
  });
}
