/** The contract of every store for words that were said: what a search by them finds, and what goes with a conversation. */
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationId } from '../../src/model/ids.ts';
import { wordsIn } from '../../src/model/search-words.ts';
import type { ConversationSearch } from '../../src/store/conversation-search.ts';
import { absorbConversation } from '../../src/engine/conversation-closing.ts';
import { joinTurn, type StoreUnderTest, storeTurn } from './contract.ts';

interface Spoken {
  readonly id: string;
  readonly said: string;
}

const SAID: readonly Spoken[] = [
  { id: 'c1', said: 'Where is my order ORD-4711?' },
  { id: 'c2', said: 'Die Straße in Zürich, bitte: order 12' },
  { id: 'c3', said: '明日の会議を予約して' },
  { id: 'c4', said: 'Orderly people' },
];

export function holdWordsToContract(name: string, open: () => Promise<StoreUnderTest>): void {
  async function filled(): Promise<StoreUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    for (const [index, { id, said }] of SAID.entries()) await say(under, { id, said, number: index + 1 });
    return under;
  }

  /** One more turn of the conversation, in which that is said. */
  async function say(
    under: StoreUnderTest,
    { id, said, number }: Spoken & { readonly number: number },
    more: (row: number) => void = () => undefined,
  ): Promise<void> {
    const turn = { number, conversation: id, at: 1000 * number };
    await under.transact({ turns: [turn], until: turn.at }, () => {
      const { row } = joinTurn(under.store, turn, { dueNow: 'end_marker' });
      storeTurn(under.store, turn, row);
      under.store.words.add(id as ConversationId, wordsIn(said, 100));
      more(row);
    });
  }

  async function idsBy(under: StoreUnderTest, words: string, more: Partial<ConversationSearch> = {}) {
    const reader = await under.reader();
    const { rows } = await reader.pages.search({ order: 'latest', limit: 50, words: words.split(' '), ...more });
    return rows.map(({ conversationId }) => conversationId);
  }

  test(`${name}: a search by words finds conversations that have them all, the last one as a beginning`, async () => {
    const under = await filled();
    expect(await idsBy(under, 'order')).toEqual(['c4', 'c2', 'c1']);
    expect(await idsBy(under, 'order 12')).toEqual(['c2']);
    expect(await idsBy(under, 'ord-4711')).toEqual(['c1']);
    expect(await idsBy(under, 'ZURICH strasse')).toEqual([]);
    expect(await idsBy(under, 'zurich straße')).toEqual(['c2']);
    expect(await idsBy(under, 'ordering')).toEqual(['c2', 'c1']);
    expect(await idsBy(under, 'ordered 12')).toEqual(['c2']);
    expect(await idsBy(under, '会議')).toEqual(['c3']);
    expect(await idsBy(under, '会')).toEqual(['c3']);
    expect(await idsBy(under, 'order', { agents: ['nobody'] })).toEqual([]);
    expect(await idsBy(under, `"orderly' & ! people*`)).toEqual(['c4']);
  });

  test(`${name}: pages of a search by words follow one another`, async () => {
    const under = await filled();
    const reader = await under.reader();
    const first = await reader.pages.search({ order: 'latest', limit: 2, words: ['order'] });
    const second = await reader.pages.search({ order: 'latest', limit: 2, words: ['order'], cursor: first.next });
    expect([...first.rows, ...second.rows].map(({ conversationId }) => conversationId)).toEqual(['c4', 'c2', 'c1']);
    expect(second.next).toBeUndefined();
    expect([first.total, second.total]).toEqual([3, undefined]);
    expect((await reader.pages.search({ order: 'latest', limit: 1, words: ['order'], since: 2000 })).total).toBe(2);
    expect((await reader.pages.search({ order: 'latest', limit: 9, words: ['12'] })).total).toBe(1);
    expect((await reader.pages.search({ order: 'latest', limit: 1 })).total).toBeUndefined();
  });

  test(`${name}: words of later turns are added, and a crash adds none`, async () => {
    const under = await filled();
    await say(under, { id: 'c1', said: 'And a refund?', number: 11 });
    const turn = { number: 12, conversation: 'c1', at: 12_000 };
    await under.crash({ turns: [turn], until: turn.at }, () => {
      joinTurn(under.store, turn, { dueNow: 'end_marker' });
      under.store.words.add('c1' as ConversationId, 'zylophant');
    });
    expect(await idsBy(under, 'refund 4711')).toEqual(['c1']);
    expect(await idsBy(under, 'zylophant')).toEqual([]);
  });

  test(`${name}: words of a conversation that is over are found, also with those of a turn that comes then`, async () => {
    const under = await filled();
    const turn = { number: 11, conversation: 'c1', at: 11_000 };
    const close = () => under.store.words.close('c1' as ConversationId);
    await under.transact({ turns: [turn], until: turn.at }, () => {
      joinTurn(under.store, turn, { dueNow: 'end_marker' });
      close();
    });
    expect(await idsBy(under, 'ord-4711')).toEqual(['c1']);
    await say(under, { id: 'c1', said: 'And a refund?', number: 12 });
    expect(await idsBy(under, 'refund 4711')).toEqual(['c1']);
    await say(under, { id: 'c1', said: 'Never mind the refunds', number: 13 }, close);
    expect(await idsBy(under, '4711 refunds mind refund')).toEqual(['c1']);
    expect(await idsBy(under, 'order')).toEqual(['c4', 'c2', 'c1']);
  });

  test(`${name}: words go where their conversation goes`, async () => {
    const under = await filled();
    const turn = { number: 9, conversation: 'c2', at: 9000 };
    await under.transact({ turns: [turn], until: turn.at }, () => {
      const { row } = joinTurn(under.store, turn, { dueNow: 'end_marker' });
      storeTurn(under.store, turn, row);
      const from = under.store.conversations.find('c1' as ConversationId);
      if (from === undefined) return expect.unreachable();
      absorbConversation(under.store, from.row, row);
    });
    expect(await idsBy(under, '4711 zurich')).toEqual(['c2']);
    expect(await idsBy(under, '4711')).toEqual(['c2']);
  });
}
