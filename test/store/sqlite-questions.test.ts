import path from 'node:path';
import type { WaitingQuestions } from '../../src/store/question-store.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { tempDirectory } from '../temp-directory.ts';
import { holdQuestionsToContract, type QuestionsUnderTest } from './questions-contract.ts';

function openSqlite(): Promise<QuestionsUnderTest> {
  const file = path.join(tempDirectory(), 'assay.db');
  let store = Store.open(file, { durable: false });
  let reused: string[] = [];
  const desk: WaitingQuestions = {
    waitFor: (waiter, requests, at) => {
      const joined = store.questions.waitFor(waiter, requests, at);
      reused.push(...joined.map(({ judge }) => judge));
      return joined;
    },
    outcomeOf: (key, waiter) => store.questions.outcomeOf(key, waiter),
    endedWaiters: (limit) => store.questions.endedWaiters(limit),
    leave: (waiter) => store.questions.leave(waiter),
  };
  return Promise.resolve({
    answersAtOnce: true,
    get store() {
      return store.questions;
    },
    get reused() {
      return reused;
    },
    transact: (work) => {
      reused = [];
      return Promise.resolve(inTransaction(store, () => work(desk, [1, 2])));
    },
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

holdQuestionsToContract('SQLite', openSqlite);
