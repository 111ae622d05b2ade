import { expect, onTestFinished, test } from 'vitest';
import type { DueCause } from '../../src/model/causes.ts';
import {
  absorbConversation,
  closeBeside,
  closeConversation,
  dueConversations,
  joinConversation,
} from '../../src/engine/conversation-closing.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { LABELS } from '../store/contract.ts';

const LIMITS = { idleMs: 300, maxAgeMs: 1000, maxTurns: 3, openMaxMs: 900 };

/** Turns that close at these times; each has the log time and its attributes. */
function joined(
  ...turns: readonly {
    readonly at: number;
    readonly ends?: DueCause;
    readonly turnsAdded?: number;
    readonly openSince?: number;
  }[]
) {
  const store = Store.inMemory();
  onTestFinished(() => store.close());
  store.begin();
  const { conversations } = store;
  const join = ({ at, ends, turnsAdded = 1, openSince }: (typeof turns)[number]) =>
    joinConversation(conversations, {
      id: 'c1' as ConversationId,
      labels: LABELS,
      at,
      glance: {},
      turnsAdded,
      dueNowBecause: ends,
      openSince,
      limits: LIMITS,
    });
  const after = turns.map(join);
  return { conversations, join, due: after.map(({ dueAt, dueCause }) => [dueAt, dueCause]) };
}

test.each([
  ['an idle conversation, from its last turn', [{ at: 0 }, { at: 200 }], [500, 'idle']],
  ['one that ends, at once', [{ at: 0 }, { at: 200, ends: 'end_marker' }], [200, 'end_marker']],
  [
    'one that ends while another turn is open, when that must have closed',
    [{ at: 200, ends: 'end_marker', openSince: 100 }],
    [1100, 'end_marker'],
  ],
  [
    'one that ended then, when that turn closes',
    [{ at: 200, ends: 'end_marker', openSince: 100 }, { at: 260 }],
    [260, 'end_marker'],
  ],
  [
    'one of which a third turn is open, not before the third has closed',
    [
      { at: 200, ends: 'end_marker', openSince: 100 },
      { at: 260, openSince: 150 },
    ],
    [1100, 'end_marker'],
  ],
  [
    'one of which a turn has begun after its end, without that turn',
    [
      { at: 200, ends: 'end_marker', openSince: 100 },
      { at: 260, openSince: 201 },
    ],
    [260, 'end_marker'],
  ],
  [
    'one whose end and another turn close at one moment, at that moment',
    [{ at: 200, ends: 'end_marker' }, { at: 200 }],
    [200, 'end_marker'],
  ],
  [
    'one that ended with too many turns, at once',
    [{ at: 0 }, { at: 1, turnsAdded: 2, ends: 'end_marker', openSince: 0 }],
    [1, 'max_turns'],
  ],
  ['one that never pauses, at its maximum age', [{ at: 0 }, { at: 900, turnsAdded: 0 }], [1000, 'max_age']],
  ['one that came back after that, when it is idle', [{ at: 0 }, { at: 1500, turnsAdded: 0 }], [1800, 'idle']],
  ['one with too many turns, at once', [{ at: 0 }, { at: 1, turnsAdded: 2 }], [1, 'max_turns']],
] as const)('%s is due', (_, turns, expected) => {
  expect(joined(...turns).due.at(-1)).toEqual(expected);
});

test('a conversation that was closed is over until another turn joins', () => {
  const { conversations } = joined({ at: 0 });
  const due: [number, string | undefined][] = [];

  for (let round = 0; round < 2; round += 1)
    for (const { row, turns, dueAt, dueCause } of dueConversations(conversations, 300)) {
      due.push([dueAt ?? 0, dueCause]);
      closeConversation(conversations, row, { revision: 1, cause: 'idle', turns, unscoredBecause: undefined });
    }

  expect(due).toEqual([[300, 'idle']]);
  expect(conversations.find('c1' as ConversationId)).toMatchObject({ revision: 1, cause: 'idle', turnsEvaluated: 1 });
});

test('a conversation that goes on after its end was evaluated is idle or not like any other', () => {
  const { conversations, join } = joined({ at: 0, ends: 'end_marker' });
  const closed = conversations.find('c1' as ConversationId);
  closeConversation(conversations, closed?.row ?? 0, {
    revision: 1,
    cause: 'end_marker',
    turns: 1,
    unscoredBecause: undefined,
  });

  const { dueAt, dueCause } = join({ at: 200 });

  expect([dueAt, dueCause]).toEqual([500, 'idle']);
});

test('a turn that adds nothing makes an ended conversation due when it was the last one open, and no other', () => {
  const { conversations } = joined({ at: 200, ends: 'end_marker', openSince: 100 });
  const passed = (openSince: number | undefined) => {
    const conversation = conversations.find('c1' as ConversationId);
    if (conversation === undefined) throw new Error('no conversation');
    closeBeside(conversations, conversation, { at: 300, openSince, limits: LIMITS });
    return conversations.at(conversation.row).dueAt;
  };

  expect(passed(150)).toBe(1100);
  expect(passed(undefined)).toBe(300);
});

test('a conversation that takes in another one is as bad as the worse of them', () => {
  const store = Store.inMemory();
  onTestFinished(() => store.close());
  store.begin();
  const { conversations } = store;
  const [failed, fine] = ['1'.repeat(32), 'named'].map((id) => {
    const joining = {
      labels: LABELS,
      at: 0,
      glance: {},
      turnsAdded: 1,
      dueNowBecause: undefined,
      openSince: undefined,
    };
    return joinConversation(conversations, { ...joining, id: id as ConversationId, limits: LIMITS });
  });
  if (failed === undefined || fine === undefined) throw new Error('there are two');
  conversations.change(failed.row, { worstOutcome: 3 });

  absorbConversation(store, failed.row, fine.row);

  expect(conversations.at(fine.row)).toMatchObject({ turns: 2, worstOutcome: 3 });
});
