import { onTestFinished } from 'vitest';
import type { ConversationId } from '../../../src/model/ids.ts';
import type { OwnedLane } from '../../../src/store/cluster-store.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { contentOf, type Hints, holdToContract, traceIdOf } from '../../store/contract.ts';
import { type ArchiveUnderTest, holdArchiveToContract } from '../../store/archive-contract.ts';
import { holdLabelsToContract, type LabelsUnderTest } from '../../store/labels-contract.ts';
import { holdFrameToContract } from '../../store/frame-contract.ts';
import { type FailuresUnderTest, holdFailuresToContract } from '../../store/failures-contract.ts';
import { holdOutcomesToContract } from '../../store/readings-contract.ts';
import { holdPageReadsToContract } from '../../store/page-reads-contract.ts';
import { type FeedbackUnderTest, holdFeedbackToContract } from '../../store/feedback-contract.ts';
import { holdRevisitsToContract, type RevisitsUnderTest } from '../../store/revisit-contract.ts';
import { holdWordsToContract } from '../../store/words-contract.ts';
import { freshDatabase } from './shared-postgres.ts';

const LANE = { group: 'test', lane: 0 };
const ALL = { whose: 'any', conversationsMax: 1000, bytesMax: 1 << 30 } as const;

async function openPostgres(): Promise<
  RevisitsUnderTest & FeedbackUnderTest & LabelsUnderTest & FailuresUnderTest & ArchiveUnderTest
> {
  const url = await freshDatabase();
  const open = () => PostgresStore.open({ url, instance: 'a', group: LANE.group, topics: ['spans'] });
  let store = await open();
  let [lane] = await store.lanes.own([LANE]);

  async function reopen(): Promise<void> {
    await store.close();
    store = await open();
    [lane] = await store.lanes.own([LANE]);
  }

  async function file({ turns = [], until }: Hints): Promise<void> {
    const arrivals = turns.map((turn) => ({
      traceId: traceIdOf(turn.number),
      // The cast is the brand: this is a test.
      conversationId: turn.conversation as ConversationId | undefined,
      closedAt: turn.at,
      cause: 'settled' as const,
      spans: 3,
      content: contentOf(turn),
      positions: { spans: turn.number },
      has: turn.has ?? [],
      wants: turn.wants ?? [],
      linked: (turn.linked ?? []).map(traceIdOf),
    }));
    await store.filing.file([{ lane: lane as OwnedLane, time: until, positions: { spans: until }, arrivals }]);
    await store.time.move();
  }

  return {
    get store() {
      return store.engineStore;
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
    async transact(hints, work) {
      await file(hints);
      let done: { readonly result: ReturnType<typeof work> } | undefined;
      const { totals } = await store.scoring.scoreDue(ALL, () => {
        done = { result: work() };
      });
      if (done === undefined) throw new Error('nothing was to be judged');
      return { result: done.result, totals };
    },
    async crash(hints, work) {
      await file(hints);
      const crashed = new Error('crashed');
      await store.scoring
        .scoreDue(ALL, () => {
          work();
          throw crashed;
        })
        .catch((error: unknown) => {
          if (error !== crashed) throw error;
        });
      await reopen();
    },
    reopen,
    async reader() {
      const reader = await PostgresReader.open({ url });
      onTestFinished(() => reader.close());
      return reader;
    },
    close: () => store.close(),
  };
}

holdToContract('PostgreSQL', openPostgres);
holdArchiveToContract('PostgreSQL', openPostgres);
holdRevisitsToContract('PostgreSQL', openPostgres);
holdFeedbackToContract('PostgreSQL', openPostgres);
holdLabelsToContract('PostgreSQL', openPostgres);
holdOutcomesToContract('PostgreSQL', openPostgres);
holdFailuresToContract('PostgreSQL', openPostgres);
holdFrameToContract('PostgreSQL', openPostgres);
holdPageReadsToContract('PostgreSQL', openPostgres);
holdWordsToContract('PostgreSQL', openPostgres);
