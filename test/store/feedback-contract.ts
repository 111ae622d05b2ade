/** The contract of every store for feedback of the agent's users. */
import { expect, onTestFinished, test } from 'vitest';
import { absorbConversation, closeConversation } from '../../src/engine/conversation-closing.ts';
import { FEEDBACK_LIMITS, type Feedback } from '../../src/model/feedback.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import type { FeedbackStore } from '../../src/store/feedback-store.ts';
import { joinTurn, type StoreUnderTest, storeTurn, traceIdOf } from './contract.ts';

export interface FeedbackUnderTest extends StoreUnderTest {
  readonly feedbackRows: FeedbackStore;
}

const TURN = { number: 1, conversation: 'c1', at: 1000 };
const ID = 'c1' as ConversationId;

function feedback(id: string, more: Partial<Feedback> = {}): Feedback {
  return {
    id,
    conversationId: ID,
    name: 'user_feedback',
    label: 'bad',
    comment: 'ü\u0000 <b>',
    atMs: 5000,
    polarity: 'negative',
    way: 'api',
    ...more,
  };
}

export function holdFeedbackToContract(name: string, open: () => Promise<FeedbackUnderTest>): void {
  async function withTurn(): Promise<FeedbackUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    await under.transact({ turns: [TURN], until: 1000 }, () => {
      const { row } = joinTurn(under.store, TURN, { dueNow: 'end_marker' });
      storeTurn(under.store, TURN, row);
      closeConversation(under.store.conversations, row, {
        revision: 1,
        cause: 'end_marker',
        turns: 1,
        unscoredBecause: undefined,
      });
    });
    return under;
  }

  const idsOf = (under: FeedbackUnderTest) =>
    under.store.feedback.find(ID).map(({ feedback: { id }, isCounted }) => `${id} ${isCounted}`);

  /** The conversations that are to be re-evaluated, each with the ids of its feedback. */
  async function revisited(under: FeedbackUnderTest, at = 1000): Promise<readonly (readonly string[])[]> {
    const { result } = await under.transact({ until: at }, () =>
      under.store.revisits.take(at).map(() => {
        const ids = idsOf(under);
        under.store.feedback.counted(ID);
        return ids;
      }),
    );
    return result;
  }

  test(`${name}: feedback on a scored conversation has it scored again; feedback sent twice is stored and counted once`, async () => {
    const under = await withTurn();

    expect(await under.feedbackRows.put([feedback('a'), feedback('a'), feedback('b')])).toEqual([
      'kept',
      'known',
      'kept',
    ]);
    await under.reopen();
    expect(await revisited(under)).toEqual([['a false', 'b false']]);
    expect(await under.feedbackRows.put([feedback('a', { label: 'good', polarity: 'positive' })])).toEqual(['known']);
    const asked = [feedback('none'), feedback('a', { polarity: 'positive' }), feedback('b')];
    expect(await under.feedbackRows.stored(asked)).toEqual([undefined, feedback('a'), feedback('b')]);
    expect(await under.feedbackRows.put([feedback('c')])).toEqual(['kept']);
    await under.reopen();
    expect(await revisited(under)).toEqual([['a true', 'b true', 'c false']]);

    const reader = await under.reader();
    const row = await reader.find('c1');
    const read = row === undefined ? [] : await reader.feedbackOf(row);
    expect(read.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0]).toEqual(feedback('a'));
  });

  test(`${name}: feedback waits for a conversation that is not known, as many as there may be`, async () => {
    const under = await open();
    onTestFinished(() => under.close());
    const many = Array.from({ length: FEEDBACK_LIMITS.perConversation + 1 }, (_, at) => feedback(`f-${at}`));
    const fates = await under.feedbackRows.put(many);
    expect([fates.filter((fate) => fate === 'waiting').length, fates.at(-1)]).toEqual([
      FEEDBACK_LIMITS.perConversation,
      'too_many',
    ]);

    const { result } = await under.transact(
      { turns: [TURN], until: 1000 },
      () => under.store.feedback.find(joinTurn(under.store, TURN).id).length,
    );
    expect(result).toBe(FEEDBACK_LIMITS.perConversation);
  });

  test(`${name}: the engine's own feedback is seen at once, counted in its transaction, and lost with a crash`, async () => {
    const under = await withTurn();
    const late = { ...TURN, number: 2, at: 2000 };
    await under.crash({ turns: [late], until: 2000 }, () => {
      under.store.feedback.put([feedback('a', { way: 'span' })], { asks: false });
      under.store.feedback.counted(ID);
    });
    const { result } = await under.transact({ until: 2000 }, () => {
      const before = idsOf(under);
      const fates = under.store.feedback.put([feedback('a', { way: 'span' }), feedback('a')], { asks: false });
      under.store.feedback.counted(ID);
      const { row } = joinTurn(under.store, late, { dueNow: 'end_marker' });
      storeTurn(under.store, late, row);
      under.store.conversations.change(row, { feedback: 'negative' });
      return { before, fates, after: idsOf(under) };
    });
    expect(result).toEqual({ before: [], fates: ['kept', 'known'], after: ['a true'] });
    expect(await under.feedbackRows.put([feedback('a')])).toEqual(['known']);

    const reader = await under.reader();
    const found = await reader.pages.search({ feedback: ['negative'], order: 'latest', limit: 10 });
    expect(found.rows.map(({ conversationId, feedback: said }) => [conversationId, said])).toEqual([
      ['c1', 'negative'],
    ]);
    expect((await reader.pages.search({ feedback: ['positive'], order: 'latest', limit: 10 })).rows).toEqual([]);
  });

  test(`${name}: feedback goes with a conversation that turns out to be a part of another`, async () => {
    const under = await open();
    onTestFinished(() => under.close());
    const lonely = { number: 3, conversation: undefined, at: 1000, has: ['k'], wants: [] };
    const synthetic = `trace:${traceIdOf(3)}` as ConversationId;
    await under.feedbackRows.put([feedback('a', { conversationId: synthetic })]);
    const named = { ...TURN, at: 1000, has: [], wants: ['k'] };
    await under.transact({ turns: [lonely, named], until: 1000 }, () => {
      const from = joinTurn(under.store, lonely);
      const into = joinTurn(under.store, named);
      absorbConversation(under.store, from.row, into.row);
      expect(idsOf(under)).toEqual(['a false']);
    });
    const reader = await under.reader();
    const row = await reader.find('c1');
    expect(row === undefined ? [] : (await reader.feedbackOf(row)).map(({ id }) => id)).toEqual(['a']);
  });
}
