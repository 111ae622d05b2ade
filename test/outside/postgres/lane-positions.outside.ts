import { expect, onTestFinished, test } from 'vitest';
import type { OwnedLane } from '../../../src/store/cluster-store.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { freshDatabase } from './shared-postgres.ts';

const LANE = { group: 'test', lane: 0 };

test('the positions of a lane do not go back while its next owner reads again what was filed', async () => {
  const store = await PostgresStore.open({
    url: await freshDatabase(),
    instance: 'a',
    ...LANE,
    topics: ['spans', 'logs'],
  });
  onTestFinished(() => store.close());
  const own = async () => {
    const [owned] = await store.lanes.own([LANE]);
    if (owned === undefined) throw new Error('the lane was not given');
    return owned;
  };
  const file = (lane: OwnedLane, time: number, positions: { readonly spans: number; readonly logs: number }) =>
    store.filing.file([{ lane, time, positions, arrivals: [] }]);

  await file(await own(), 100, { spans: 138, logs: 9 });
  // It begins at the last committed offsets, and dies before it has reached the position of the first owner.
  await file(await own(), 90, { spans: 120, logs: 5 });
  const third = await own();

  expect(third.positions).toEqual({ spans: 138, logs: 9 });
  await file(third, 110, { spans: 120, logs: 12 });
  expect((await own()).positions).toEqual({ spans: 138, logs: 12 });
});
