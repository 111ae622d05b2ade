/** Two instances that both believe that they own regression detection. */
import { expect, onTestFinished, test } from 'vitest';
import type { Evaluation } from '../../../src/model/evaluation.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { contentOf, type Turn, traceIdOf } from '../../store/contract.ts';
import { freshDatabase } from './shared-postgres.ts';

const LANE = { group: 'test', lane: 0 };
const ALL = { whose: 'any', conversationsMax: 1000, bytesMax: 1 << 30 } as const;
const OBSERVATIONS = 60;

test('owners at the same time observe each evaluation once, and each sees the state that the other wrote', async () => {
  const url = await freshDatabase();
  const open = async (instance: string) => {
    const store = await PostgresStore.open({ url, instance, group: LANE.group, topics: ['spans'] });
    onTestFinished(() => store.close());
    return store;
  };
  const stores = [await open('a'), await open('b')];
  const [first] = stores;
  const [lane] = (await first?.lanes.own([LANE])) ?? [];
  if (first === undefined || lane === undefined) throw new Error('a store and a lane were asked for');
  const turn: Turn = { number: 1, conversation: 'c1', at: 1000 };
  await first.filing.file([
    {
      lane,
      time: 1000,
      positions: { spans: 1 },
      arrivals: [
        {
          traceId: traceIdOf(1),
          // The cast is the brand: this is a test.
          conversationId: 'c1' as Evaluation['conversationId'],
          closedAt: 1000,
          cause: 'settled',
          spans: 3,
          content: contentOf(turn),
          positions: { spans: 1 },
          has: [],
          wants: [],
          linked: [],
        },
      ],
    },
  ]);
  await first.time.move();
  await first.scoring.scoreDue(ALL, () => {
    for (let at = 0; at < OBSERVATIONS; at += 1)
      first.engineStore.detection.add({ at, evaluation: String(at).padStart(4, '0'), payload: '{}' });
  });

  const seen: string[] = [];
  const versions: number[] = [];
  const owner = async (store: PostgresStore) => {
    for (let round = 0; round < 10; round += 1)
      await store.detection.round(5, ({ state, observations }) => {
        const before = state.snapshot === undefined ? 0 : Number(Buffer.from(state.snapshot).toString());
        // The state has the number of earlier observations, whichever instance wrote it.
        expect(before).toBe(seen.length);
        versions.push(state.version);
        seen.push(...observations.map(({ evaluation }) => evaluation));
        return Buffer.from(String(seen.length));
      });
  };
  await Promise.all(stores.map(owner));

  expect(seen).toEqual(Array.from({ length: OBSERVATIONS }, (_, at) => String(at).padStart(4, '0')));
  expect(versions).toEqual(Array.from({ length: 20 }, (_, version) => version));
});
