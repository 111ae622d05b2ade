/** Open turns in any lane, as known at the cluster's time. */
import { expect, onTestFinished, test } from 'vitest';
import { conversationHash } from '../../../src/model/conversation-id.ts';
import type { ConversationId } from '../../../src/model/ids.ts';
import type { NamingTurn, OwnedLane, WaitingArrival } from '../../../src/store/cluster-store.ts';
import { Link } from '../../../src/store/postgres/link.ts';
import { traceIdOf } from '../../store/contract.ts';
import { arrivalOf, LANE, openStore, ownLane, scoreSimply, SOME } from './scoring.ts';
import { freshDatabase } from './shared-postgres.ts';

const HASH = conversationHash('c1' as ConversationId);

const naming = (number: number, at: number): NamingTurn => ({ traceId: traceIdOf(number), conversation: HASH, at });
/** A turn that can end its conversation. */
const turn = (number: number, at: number, namedAt: number) =>
  arrivalOf(number, 'c1', at, { needsNoHistory: false, named: [{ conversation: HASH, at: namedAt }] });

async function twoLanes() {
  const url = await freshDatabase();
  const store = await openStore(url, { openMaxMs: 900 });
  const link = new Link({ address: { url }, name: 'test', leaseMs: 10_000 });
  onTestFinished(async () => {
    await store.close();
    await link.close();
  });
  const lanes = [await ownLane(store), await ownLane(store, { ...LANE, lane: 1 })];
  return {
    store,
    lanes,
    own: async (lane: number) => {
      lanes[lane] = await ownLane(store, { ...LANE, lane });
    },
    file: async (lane: number, time: number, what: Partial<Parameters<typeof store.filing.file>[0][number]>) =>
      store.filing.file([{ lane: lanes[lane] as OwnedLane, time, positions: {}, arrivals: [], ...what }]),
    /** For each arrival, by its trace, the other turns that are open. */
    score: async () => {
      await store.time.move();
      const found = new Map<string, WaitingArrival['openBeside']>();
      await store.scoring.scoreDue(SOME, (set) => {
        for (const { traceId, openBeside } of set.arrivals) found.set(traceId, openBeside);
        scoreSimply(store.engineStore, set);
      });
      return found;
    },
    open: async () =>
      link.use((session) => session.once('SELECT trace_id, named_at AS at FROM open_turns ORDER BY named_at')),
  };
}

test('a turn that closes finds those open that another lane has not closed, and none that has named nothing by then', async () => {
  const { file, score } = await twoLanes();
  await file(0, 20, { arrivals: [turn(1, 10, 1)] });
  await file(1, 20, { naming: [naming(2, 7), naming(3, 5), naming(4, 11)] });

  expect(await score()).toEqual(new Map([[traceIdOf(1), [{ conversation: HASH, at: 5 }]]]));
});

test('late spans of a turn, which may have an end marker, find the turns that are open', async () => {
  const { file, score } = await twoLanes();
  await file(0, 20, { arrivals: [turn(1, 10, 1)] });
  await file(1, 20, {});
  expect(await score()).toEqual(new Map([[traceIdOf(1), []]]));

  await file(0, 40, { arrivals: [{ ...turn(1, 35, 34), needsNoHistory: true }] });
  await file(1, 40, { naming: [naming(2, 33)] });
  expect(await score()).toEqual(new Map([[traceIdOf(1), [{ conversation: HASH, at: 33 }]]]));
});

test('a turn that a lane ahead of the others has closed later was open then', async () => {
  const { file, score } = await twoLanes();
  await file(0, 20, { arrivals: [turn(1, 10, 1)] });
  await file(1, 12, { naming: [naming(2, 7)] });
  await file(1, 40, { arrivals: [turn(2, 30, 7)] });

  expect(await score()).toEqual(new Map([[traceIdOf(1), [{ conversation: HASH, at: 7 }]]]));
  await file(0, 40, {});
  expect(await score()).toEqual(new Map([[traceIdOf(2), []]]));
});

test('a lane that is read again by its next owner has the same turns open, and each is gone when it closes', async () => {
  const { file, own, score, open } = await twoLanes();
  await file(1, 20, { naming: [naming(2, 7), naming(3, 8)] });
  await own(1);
  await file(1, 20, { naming: [naming(2, 7)] });
  await file(1, 25, { arrivals: [turn(2, 22, 7)], naming: [naming(5, 24)] });
  await file(0, 25, { arrivals: [turn(1, 23, 1)] });

  expect(await open()).toMatchObject([{ at: 8 }, { at: 24 }]);
  expect(await score()).toEqual(
    new Map([
      [traceIdOf(2), [{ conversation: HASH, at: 1 }]],
      [traceIdOf(1), [{ conversation: HASH, at: 8 }]],
    ]),
  );
});

test('a turn that must have closed long ago is forgotten', async () => {
  const { store, file, open } = await twoLanes();
  await file(0, 2000, {});
  await file(1, 1000, { naming: [naming(2, 50), naming(3, 100)] });
  await store.time.move();

  await store.housekeeping.tidy();

  expect(await open()).toMatchObject([{ at: 100 }]);
});
