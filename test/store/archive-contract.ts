/** The contract of every store for the archive: what waits, the batch that is written, who writes it, and its index. */
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationId } from '../../src/model/ids.ts';
import type { ArchiveStore } from '../../src/store/archive-store.ts';
import { archivedKey, beginningOf, mayHold, packKeys } from '../../src/store/archived-keys.ts';
import { joinTurn, type StoreUnderTest, storeTurn } from './contract.ts';

export interface ArchiveUnderTest extends StoreUnderTest {
  readonly archive: ArchiveStore;
}

const ODD = "c\0\uE0A5\u{1F600}'; DROP";
const NOW = { limit: 10, everyMs: 0 };

export function holdArchiveToContract(name: string, open: () => Promise<ArchiveUnderTest>): void {
  async function opened(): Promise<ArchiveUnderTest> {
    const under = await open();
    onTestFinished(() => under.close());
    return under;
  }

  /** Evaluates conversations, as the engine does. */
  async function evaluate(under: ArchiveUnderTest, number: number, conversations: readonly string[]): Promise<void> {
    const turn = { number, conversation: `c${number}`, at: number * 1_000 };
    await under.transact({ turns: [turn], until: turn.at + 500 }, () => {
      storeTurn(under.store, turn, joinTurn(under.store, turn).row);
      for (const id of conversations) under.store.archive.add(id as ConversationId);
    });
  }

  const plan = async (under: ArchiveUnderTest, batch: string) =>
    (await under.archive.plan({ ...NOW, name: batch, now: Date.now() })).batch;

  test(`${name}: a planned batch stays the same until it is kept, over a restart, and what comes later is in the next`, async () => {
    const under = await opened();
    await evaluate(under, 1, ['b', ODD, 'a', 'a']);
    const planned = await plan(under, 'first');
    expect(planned?.conversations.toSorted()).toEqual(['a', 'b', ODD].toSorted());
    await evaluate(under, 2, ['b', 'd']);
    await under.reopen();
    expect(await plan(under, 'other')).toEqual(planned);
    await under.archive.release('first', [ODD]);
    expect((await plan(under, 'other'))?.conversations).toEqual(['a', 'b']);

    expect(await under.archive.lease('one', 60_000)).toBe(true);
    const keys = packKeys(['a', 'b'].map(archivedKey));
    const batch = { name: 'first', day: planned?.day ?? 0, keys };
    expect(await under.archive.keep('another', batch)).toBe(false);
    expect(await under.archive.keep('one', batch)).toBe(true);
    expect((await plan(under, 'second'))?.conversations.toSorted()).toEqual(['b', 'd', ODD].toSorted());
    const [kept] = await under.archive.kept({ after: '', limit: 10 });
    expect(kept && { ...kept, keys: Buffer.from(kept.keys).toString('hex') }).toEqual({
      ...batch,
      keys: Buffer.from(keys).toString('hex'),
    });
    expect(await under.archive.kept({ after: 'first', limit: 10 })).toEqual([]);
  });

  test(`${name}: nothing waits of a transaction that was not committed`, async () => {
    const under = await opened();
    const turn = { number: 1, conversation: 'c1', at: 1_000 };
    await under.crash({ turns: [turn], until: 1_500 }, () => {
      storeTurn(under.store, turn, joinTurn(under.store, turn).row);
      under.store.archive.add('c1' as ConversationId);
    });
    const { batch, oldestAt } = await under.archive.plan({ ...NOW, name: 'x', now: Date.now() });
    expect([batch, oldestAt]).toEqual([undefined, undefined]);
  });

  test(`${name}: one holder has the lease until it ends it or has not renewed it`, async () => {
    const { archive } = await opened();
    expect(await archive.lease('one', 60_000)).toBe(true);
    expect(await archive.lease('one', 60_000)).toBe(true);
    expect(await archive.lease('two', 60_000)).toBe(false);
    await archive.endLease('two');
    expect(await archive.lease('two', 60_000)).toBe(false);
    await archive.endLease('one');
    expect(await archive.lease('two', -1_000)).toBe(true);
    expect(await archive.lease('one', 60_000)).toBe(true);
  });

  test(`${name}: adopted batches are in the index once, and one without keys is gone`, async () => {
    const { archive } = await opened();
    const keys = packKeys([archivedKey('a'), archivedKey('b')]);
    await archive.adopt([{ name: 'x', day: 3, keys }]);
    await archive.adopt([{ name: 'x', day: 3, keys: Buffer.alloc(8) }]);
    const [kept] = await archive.kept({ after: '', limit: 10 });
    const holds = (id: string) => mayHold(kept?.keys ?? keys, new Set([beginningOf(archivedKey(id))]));
    expect([holds('a'), holds('b'), holds('c')]).toEqual([true, true, false]);
    await archive.rewritten({ name: 'x', day: 3, keys: packKeys([archivedKey('b')]) });
    expect(Buffer.from((await archive.kept({ after: '', limit: 10 }))[0]?.keys ?? []).toString('hex')).toBe(
      beginningOf(archivedKey('b')),
    );
    await archive.rewritten({ name: 'x', day: 3, keys: Buffer.alloc(0) });
    expect(await archive.kept({ after: '', limit: 10 })).toEqual([]);
  });

  test(`${name}: what the archive has to lose is there until it is lost`, async () => {
    const { archive } = await opened();
    const keys = [archivedKey('a'), archivedKey(ODD)].toSorted();
    await archive.alsoForget(keys);
    await archive.alsoForget(keys);
    expect(await archive.toForget()).toBe(2);
    expect(await archive.forgets(10)).toEqual({ conversations: keys, users: [] });
    await archive.forgotten({ conversations: keys.slice(1), users: [] });
    expect(await archive.forgets(10)).toEqual({ conversations: keys.slice(0, 1), users: [] });
  });
}
