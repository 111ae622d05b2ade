import { expect, test } from 'vitest';
import type { ConversationId } from '../../src/model/ids.ts';
import type { StoredConversation } from '../../src/store/engine-store.ts';
import { type ConversationTable, HeldConversations, isDueBefore } from '../../src/store/held-conversations.ts';
import { evaluationOf, LABELS } from './contract.ts';

/** Records the operations on it. */
function table(...dueAt: readonly number[]) {
  const rows = new Map<number, StoredConversation>();
  const done: string[] = [];
  const fake: ConversationTable = {
    find: (id) => [...rows.values()].find((row) => row.id === id),
    at: (row) => rows.get(row),
    dueAfter(last) {
      const due = [...rows.values()].flatMap(({ row, dueAt }) => (dueAt === undefined ? [] : [{ row, dueAt }]));
      done.push('search');
      const inOrder = due.toSorted((a, b) => (isDueBefore(a, b) ? -1 : 1));
      return inOrder.filter((one) => last === undefined || isDueBefore(last, one)).slice(0, 2);
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
  held.noteEvaluation(1, evaluationOf({ conversation: 'c1', outcome: 'graceful_failure' }));
  held.flush();
  done.length = 0;

  expect(held.find('c1' as ConversationId)).toBe(held.at(1));
  held.noteEvaluation(1, evaluationOf({ conversation: 'c1' }));
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

test('the rows are searched once in their order, some at a time, however many are held by then', () => {
  const { held, done } = table(30, 10, 20, 10, 40);
  const dueIn = (logTime: number) => {
    const rows: number[] = [];
    for (let due = held.nextDue(logTime); due !== undefined; due = held.nextDue(logTime)) {
      rows.push(due.row);
      held.change(due.row, { dueAt: undefined });
    }
    return rows;
  };

  expect(dueIn(5)).toEqual([]);
  expect(dueIn(5)).toEqual([]);
  expect(done).toEqual(['search']);
  expect(dueIn(20)).toEqual([2, 4, 3]);
  expect(dueIn(40)).toEqual([1, 5]);

  // Two at a time, and one search that says that there are no more.
  expect(done).toEqual(['search', 'search', 'search', 'search']);
});

test('a row that is removed after it was read ahead is due no more, and nothing is searched again for it', () => {
  const { held, done } = table(10, 20, 30);

  expect(held.nextDue(5)).toBeUndefined();
  held.remove(2);
  held.remove(1);

  expect(held.nextDue(40)?.row).toBe(3);
  expect(done).toEqual(['search', 'remove 2', 'remove 1', 'search']);
});

test('after a flush the rows are searched again', () => {
  const { held } = table(10, 20);

  held.change(held.nextDue(10)?.row ?? 0, { dueAt: undefined });
  expect(held.nextDue(15)).toBeUndefined();
  held.change(1, { dueAt: 12 });
  held.flush();

  expect(held.nextDue(15)?.row).toBe(1);
});

test('what is foretold is of the facts as they are written, of conversations that were scored', () => {
  const { held } = table(10, 20);
  const heard: (readonly string[] | undefined)[] = [];
  held.foretell = ({ facts }) => {
    heard.push(facts);
    return facts?.length;
  };
  held.change(1, { revision: 1, facts: ['tool: search'] });
  held.change(2, { facts: ['tool: refund'] });
  held.noteEvaluation(1, evaluationOf({ conversation: 'c1', outcome: 'hard_failure' }));
  held.noteEvaluation(1, evaluationOf({ conversation: 'c1', outcome: 'hard_failure', revision: 2 }));
  held.flush();

  expect(heard).toEqual([['failed: pack/right', 'tool: search']]);
  expect(held.at(1).foretold).toBe(2);
  expect(held.at(2).foretold).toBeUndefined();
});
