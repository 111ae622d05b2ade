import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Total } from '../../src/store/engine-store.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { tempDirectory } from '../temp-directory.ts';
import { holdToContract } from './contract.ts';
import { type ArchiveUnderTest, holdArchiveToContract } from './archive-contract.ts';
import { holdLabelsToContract, type LabelsUnderTest } from './labels-contract.ts';
import { holdFrameToContract } from './frame-contract.ts';
import { type FailuresUnderTest, holdFailuresToContract } from './failures-contract.ts';
import { holdOutcomesToContract } from './readings-contract.ts';
import { holdPageReadsToContract } from './page-reads-contract.ts';
import { type FeedbackUnderTest, holdFeedbackToContract } from './feedback-contract.ts';
import { holdRevisitsToContract, type RevisitsUnderTest } from './revisit-contract.ts';
import { holdWordsToContract } from './words-contract.ts';

function openSqlite(): Promise<
  RevisitsUnderTest & FeedbackUnderTest & LabelsUnderTest & FailuresUnderTest & ArchiveUnderTest
> {
  const file = path.join(tempDirectory(), 'assay.db');
  let store = Store.open(file, { durable: false });
  const reopen = () => {
    store.close();
    store = Store.open(file, { durable: false });
  };
  return Promise.resolve({
    get store() {
      return store;
    },
    get detection() {
      return store.detection;
    },
    get results() {
      return store.results;
    },
    get archive() {
      return store.archive;
    },
    get truths() {
      return store.truths;
    },
    get feedbackRows() {
      return store.feedbackRows;
    },
    get labels() {
      return store.labels;
    },
    get readings() {
      return store.readings;
    },
    get failures() {
      return store.failures;
    },
    get questions() {
      return store.questions;
    },
    transact(_, work) {
      store.begin();
      const result = work();
      const totals: readonly Total[] = store.commit();
      return Promise.resolve({ result, totals });
    },
    crash(_, work) {
      store.begin();
      work();
      reopen();
      return Promise.resolve();
    },
    reopen: () => Promise.resolve(reopen()),
    reader() {
      const reader = StoreReader.open(file);
      onTestFinished(() => reader.close());
      return Promise.resolve(reader);
    },
    close: () => Promise.resolve(store.close()),
  });
}

holdToContract('SQLite', openSqlite);
holdArchiveToContract('SQLite', openSqlite);
holdRevisitsToContract('SQLite', openSqlite);
holdFeedbackToContract('SQLite', openSqlite);
holdLabelsToContract('SQLite', openSqlite);
holdOutcomesToContract('SQLite', openSqlite);
holdFailuresToContract('SQLite', openSqlite);
holdFrameToContract('SQLite', openSqlite);
holdPageReadsToContract('SQLite', openSqlite);
holdWordsToContract('SQLite', openSqlite);
