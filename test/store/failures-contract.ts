/** The contract of every store for kinds of failure: all of a change or none, and of one agent only. */
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationId } from '../../src/model/ids.ts';
import type { SaidReading } from '../../src/model/readings.ts';
import type { FailureStore } from '../../src/store/failure-store.ts';
import { joinConversation } from '../../src/engine/conversation-closing.ts';
import { LABELS } from './contract.ts';
import type { OutcomesUnderTest } from './readings-contract.ts';

export interface FailuresUnderTest extends OutcomesUnderTest {
  readonly failures: FailureStore;
}

const ODD = "Refund'; DROP \0 <b>\u{1F600}";

function bad(conversationId: string, kind?: string | null, more: Partial<SaidReading> = {}): SaidReading {
  return {
    ...{ conversationId, source: 'person', by: 'ana', answer: 'bad', isCertain: false, kind },
    ...{ value: undefined, case: undefined, firstWrong: undefined, note: `note of ${conversationId}` },
    ...more,
  };
}

export function holdFailuresToContract(name: string, open: () => Promise<FailuresUnderTest>): void {
  /** Conversations of `helper`, from the oldest to the newest, and one of another agent. */
  async function filled(...ids: readonly string[]) {
    const under = await open();
    onTestFinished(() => under.close());
    const turns = [...ids, 'other'].map((conversation, at) => ({ number: at + 1, conversation, at: 1000 + at }));
    await under.transact({ turns, until: 2000 }, () => {
      for (const { conversation, at } of turns)
        joinConversation(under.store.conversations, {
          id: conversation as ConversationId,
          labels: conversation === 'other' ? { ...LABELS, agent: 'other' } : LABELS,
          ...{ at, glance: { beganAtMs: at }, facts: [], turnsAdded: 1, dueNowBecause: 'end_marker' },
          limits: { idleMs: 300, maxAgeMs: 10_000, maxTurns: 1000, openMaxMs: 900 },
        });
    });
    const kinds = async (agent = 'helper') => {
      const { failures } = await under.reader();
      return (await failures.failedReadings(agent)).map(({ conversationId, kind }) => [conversationId, kind]);
    };
    const states = async () => {
      const { failures } = await under.reader();
      return (await failures.keptKinds('helper')).map(({ name: of, state }) => [of, state]);
    };
    return { ...under, under, kinds, states };
  }

  test(`${name}: a kind goes with a bad answer, stays when the answer is said again, and leaves with it`, async () => {
    const { readings, kinds } = await filled('a', 'b');

    expect(await readings.put([bad('a', ODD), bad('b'), bad('other', 'x')])).toBe(3);
    expect(await kinds()).toEqual([
      ['b', undefined],
      ['a', ODD],
    ]);
    expect(await readings.put([bad('a'), bad('a', ODD)])).toBe(0);
    expect(await readings.put([bad('a', undefined, { note: 'Another.' })])).toBe(1);
    expect(await kinds()).toContainEqual(['a', ODD]);
    expect(await readings.put([bad('a', null, { note: 'Another.' })])).toBe(1);
    expect(await kinds()).toContainEqual(['a', undefined]);
    await readings.put([bad('a', ODD), bad('a', undefined, { answer: 'good' })]);
    expect(await kinds()).toEqual([['b', undefined]]);
    await readings.put([bad('a')]);
    expect(await kinds()).toContainEqual(['a', undefined]);
    expect(await kinds('other')).toEqual([['other', 'x']]);
  });

  test(`${name}: kinds are given to bad readings by people that are there, all or none`, async () => {
    const { readings, failures, kinds } = await filled('a', 'b');
    await readings.put([bad('a'), bad('b', undefined, { answer: 'good' }), bad('b', undefined, { source: 'agent' })]);
    const give = (conversationId: string, kind: string | null, by = 'ana') => ({ conversationId, by, kind });

    expect(await failures.give([give('a', 'k'), give('b', 'k')])).toEqual({ changed: 0, missing: 'b' });
    expect(await failures.give([give('a', 'k', 'bo')])).toEqual({ changed: 0, missing: 'a' });
    expect(await kinds()).toEqual([['a', undefined]]);
    expect(await failures.give([give('a', 'k')])).toEqual({ changed: 1 });
    expect(await failures.give([give('a', 'k')])).toEqual({ changed: 0 });
    expect(await kinds()).toEqual([['a', 'k']]);
    expect(await failures.give([give('a', null)])).toEqual({ changed: 1 });
    expect(await kinds()).toEqual([['a', undefined]]);
  });

  test(`${name}: a name changes for all readings of the agent, with its state; a merge keeps that of the target`, async () => {
    const { readings, failures, kinds, states } = await filled('a', 'b', 'c');
    const change = { agent: 'helper', by: 'bo' };
    await readings.put([bad('a', 'x'), bad('b', 'x'), bad('c', 'y'), bad('other', 'x'), bad('never-came', 'x')]);

    expect(await failures.change({ ...change, kind: 'z', state: 'watched' })).toEqual({ changed: 0, missing: 'z' });
    expect(await failures.change({ ...change, kind: 'x', state: 'mended' })).toEqual({ changed: 1 });
    expect(await failures.change({ ...change, kind: 'x', into: ODD })).toEqual({ changed: 2 });
    expect(await states()).toEqual([[ODD, 'mended']]);
    expect(await failures.change({ ...change, kind: 'x', into: 'y' })).toEqual({ changed: 0, missing: 'x' });
    expect(await failures.change({ ...change, kind: ODD, into: 'y' })).toEqual({ changed: 2 });
    expect(await states()).toEqual([]);
    expect(await kinds()).toEqual([
      ['c', 'y'],
      ['b', 'y'],
      ['a', 'y'],
    ]);
    expect(await kinds('other')).toEqual([['other', 'x']]);
    await failures.change({ ...change, kind: 'y', state: 'watched' });
    expect(await failures.change({ ...change, kind: 'y', state: 'watched' })).toEqual({ changed: 0 });
    await readings.put([bad('a', null), bad('b', null), bad('c', null)]);
    expect(await states()).toEqual([['y', 'watched']]);
  });

  test(`${name}: all bad readings of a kind are counted, conversations once, and those that began since its state`, async () => {
    const ids = Array.from({ length: 9 }, (_, at) => `c${at}`);
    const { readings, failures, under } = await filled(...ids);
    const said = [
      ...ids.slice(0, 7).map((id) => bad(id, ODD)),
      bad('c0', ODD, { by: 'bo' }),
      bad('c6', 'y', { by: 'bo' }),
      bad('c7'),
      bad('c8', undefined, { answer: 'good' }),
      bad('other', ODD),
      bad('never-came', ODD),
    ];
    expect(await readings.put(said)).toBe(said.length);
    await failures.change({ agent: 'helper', by: 'bo', kind: 'y', state: 'mended' });

    const reader = (await under.reader()).failures;
    expect(await reader.countedKinds('helper')).toEqual([
      { kind: undefined, readings: 1, conversations: 1, later: 0, firstAt: 1007, lastAt: 1007 },
      { kind: ODD, readings: 8, conversations: 7, later: 0, firstAt: 1000, lastAt: 1006 },
      { kind: 'y', readings: 1, conversations: 1, later: 0, firstAt: 1006, lastAt: 1006 },
    ]);
  });

  test(`${name}: beyond the newest, all are counted and readings without a kind are still shown`, async () => {
    const { readings, under } = await filled('a', 'b');
    const readers = Array.from({ length: 2100 }, (_, at) => bad('b', 'x', { by: `reader ${at}` }));
    await readings.put([bad('a'), ...readers]);

    const reader = (await under.reader()).failures;
    expect((await reader.countedKinds('helper')).map((one) => [one.kind, one.readings, one.conversations])).toEqual([
      [undefined, 1, 1],
      ['x', 2100, 1],
    ]);
    expect(await reader.failedReadings('helper')).toHaveLength(2000);
    expect(await reader.failedReadings('helper', 'without a kind')).toMatchObject([{ conversationId: 'a', by: 'ana' }]);
    expect(await readings.unknown(['never-came', 'a', 'never-came', ODD])).toEqual(new Set(['never-came', ODD]));
  });
}
