import { expect, onTestFinished, test } from 'vitest';
import type { DueCause } from '../../src/model/causes.ts';
import { closeConversation, dueConversations, joinConversation } from '../../src/engine/conversation-closing.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { LABELS } from '../store/contract.ts';

const LIMITS = { idleMs: 300, maxAgeMs: 1000, maxTurns: 3 };

/** Turns close at these times; each is the log time and what the turn says. */
function joined(...turns: readonly { readonly at: number; readonly ends?: DueCause; readonly turnsAdded?: number }[]) {
  const store = Store.inMemory();
  onTestFinished(() => store.close());
  store.begin();
  const { conversations } = store;
  const after = turns.map(({ at, ends, turnsAdded = 1 }) =>
    joinConversation(conversations, {
      id: 'c1' as ConversationId,
      labels: LABELS,
      at,
      turnsAdded,
      dueNowBecause: ends,
      limits: LIMITS,
    }),
  );
  return { conversations, due: after.map(({ dueAt, dueCause }) => [dueAt, dueCause]) };
}

test.each([
  ['an idle conversation, from its last turn', [{ at: 0 }, { at: 200 }], [500, 'idle']],
  ['one that ends, at once', [{ at: 0 }, { at: 200, ends: 'end_marker' }], [200, 'end_marker']],
  ['one that goes on after its end, when it is idle', [{ at: 0, ends: 'end_marker' }, { at: 200 }], [500, 'idle']],
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
