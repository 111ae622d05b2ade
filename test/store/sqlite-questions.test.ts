import path from 'node:path';
import { expect, test } from 'vitest';
import type { ConversationId } from '../../src/model/ids.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { prune } from '../../src/store/sqlite/retention.ts';
import { judgeRequest } from '../ask/requests.ts';
import { tempDirectory } from '../temp-directory.ts';
import { LABELS } from './contract.ts';
import { holdQuestionsToContract, type QuestionsUnderTest } from './questions-contract.ts';

function openSqlite(): Promise<QuestionsUnderTest> {
  const file = path.join(tempDirectory(), 'assay.db');
  let store = Store.open(file, { durable: false });
  const rows = inTransaction(store, () => [join(store, 'c1'), join(store, 'c2')] as const);
  return Promise.resolve({
    get store() {
      return store;
    },
    transact: (work) => Promise.resolve(inTransaction(store, () => work(store, rows))),
    reopen() {
      store.close();
      store = Store.open(file, { durable: false });
      return Promise.resolve();
    },
    close: () => Promise.resolve(store.close()),
  });
}

function inTransaction<T>(store: Store, work: () => T): T {
  store.begin();
  const result = work();
  store.commit();
  return result;
}

function join(store: Store, name: string): number {
  return store.joinConversation({
    // The cast is the brand.
    id: name as ConversationId,
    labels: LABELS,
    at: 1000,
    turnsAdded: 1,
    dueNowBecause: undefined,
    idleMs: 300,
    maxAgeMs: 10_000,
  }).row;
}

holdQuestionsToContract('SQLite', openSqlite);

test('a conversation that was let go waits for nothing', () => {
  const store = Store.open(path.join(tempDirectory(), 'assay.db'), { durable: false });
  inTransaction(store, () => {
    const row = join(store, 'c1');
    store.waitFor(row, [judgeRequest('a')], 1000);
    store.conversationEvaluated(row, { revision: 1, cause: 'idle', turns: 1, unscoredBecause: undefined });
  });

  inTransaction(store, () => prune(store, { maxBytes: 1e9, keepMs: 0, keepFailedMs: 0 }, Date.now() + 10));

  expect(store.waitingQuestions('default', 1)).toEqual([]);
  store.close();
});

test('where two conversations turn out to be one, it waits for what both waited for', () => {
  const store = Store.open(path.join(tempDirectory(), 'assay.db'), { durable: false });
  const [a, b] = inTransaction(store, () => {
    const both = [join(store, 'c1'), join(store, 'c2')] as const;
    store.waitFor(both[0], [judgeRequest('a'), judgeRequest('b')], 1000);
    store.waitFor(both[1], [judgeRequest('b')], 1000);
    store.absorbConversation(both[0], both[1]);
    return both;
  });
  const outcome = { is: 'left-out', because: 'too-late', reason: 'Late.' } as const;

  store.endQuestions(
    ['a', 'b'].map((name) => ({ key: judgeRequest(name).key, outcome })),
    2000,
  );

  expect(store.outcomeOf(judgeRequest('a').key, b)).toEqual(outcome);
  expect(store.outcomeOf(judgeRequest('a').key, a)).toBe('waiting');
  expect(store.endedConversations(5)).toEqual([b]);
  store.close();
});
