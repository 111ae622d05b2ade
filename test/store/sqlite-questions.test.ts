import path from 'node:path';
import { Store } from '../../src/store/sqlite/store.ts';
import { tempDirectory } from '../temp-directory.ts';
import { holdQuestionsToContract, type QuestionsUnderTest } from './questions-contract.ts';

function openSqlite(): Promise<QuestionsUnderTest> {
  const file = path.join(tempDirectory(), 'assay.db');
  let store = Store.open(file, { durable: false });
  return Promise.resolve({
    answersAtOnce: true,
    get store() {
      return store.questions;
    },
    transact: (work) => Promise.resolve(inTransaction(store, () => work(store.questions, [1, 2]))),
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
