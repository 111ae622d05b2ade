import { expect, test } from 'vitest';
import type { ConversationId } from '../../src/model/ids.ts';
import type { StoredConversation } from '../../src/store/engine-store.ts';
import { type ConversationTable, HeldConversations } from '../../src/store/held-conversations.ts';
import { LABELS } from './contract.ts';

/** Records the operations on it. */
function table(...dueAt: readonly number[]) {
  const rows = new Map<number, StoredConversation>();
  const done: string[] = [];
  const fake: ConversationTable = {
    find: (id) => [...rows.values()].find((row) => row.id === id),
    at: (row) => rows.get(row),
    firstDue(isHeld) {
      const due = [...rows.values()].flatMap(({ row, dueAt }) => (dueAt === undefined ? [] : [{ row, dueAt }]));
      done.push('search');
      return due.toSorted((a, b) => a.dueAt - b.dueAt).find(({ row }) => !isHeld(row));
    },
    newRow: () => rows.size + 1,
    write(conversation, how) {
      done.push(`${how} ${conversation.row}`);
      rows.set(conversation.row, conversation);
    },
    remove({ row }) {
      done.push(`remove ${row}`);
      rows.delete(row);
    },
  };
  const held = new HeldConversations(fake);
  for (const [index, at] of dueAt.entries()) {
    const { row } = held.make({ id: `c${index + 1}` as ConversationId, labels: LABELS, firstClosedAt: 0 });
    held.change(row, { dueAt: at });
    held.flush();
  }
  done.length = 0;
  return { held, done };
}

test('what is only read is not written; what is changed often is written once', () => {
  const { held, done } = table(10, 20);

  expect(held.find('c1' as ConversationId)).toBe(held.at(1));
  held.noteOutcome(1, 'successful_completion');
  for (const turns of [1, 2, 3]) held.change(2, { turns });
  held.flush();

  expect(done).toEqual(['update 2']);
  expect(held.at(2).turns).toBe(3);
});

test('a conversation that was made and removed was never there', () => {
  const { held } = table();

  const { row, id } = held.make({ id: 'c1' as ConversationId, labels: LABELS, firstClosedAt: 0 });
  held.change(row, { dueAt: 5 });
  held.remove(row);

  expect(held.find(id)).toBeUndefined();
  expect(held.nextDue(10)).toBeUndefined();
});

test('what is held counts as it is now, not as its row says', () => {
  const { held } = table(10, 20, 30);

  held.change(1, { dueAt: 40 });
  held.change(3, { dueAt: 5 });

  expect(held.nextDue(100)?.row).toBe(3);
  held.change(3, { dueAt: undefined });
  expect(held.nextDue(100)?.row).toBe(2);
  held.remove(2);
  expect(held.nextDue(100)?.row).toBe(1);
});

test('the rows are searched again only when the first one has been held since', () => {
  const { held, done } = table(10, 20);

  held.nextDue(5);
  held.nextDue(5);
  expect(done).toEqual(['search']);
  held.nextDue(10);
  held.change(1, { dueAt: undefined });

  expect(held.nextDue(20)?.row).toBe(2);
  expect(done).toEqual(['search', 'search']);
});
