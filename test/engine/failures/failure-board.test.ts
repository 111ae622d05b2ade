import { expect, test } from 'vitest';
import { returnedKinds } from '../../../src/engine/failures/failure-board.ts';
import type { CountedKind, KeptKind } from '../../../src/model/named-kinds.ts';

test('of mended kinds the newest twenty are counted, by conversations that began later', async () => {
  const kinds: readonly KeptKind[] = [
    { name: 'open', state: 'open', stateAt: 1 },
    { name: 'oldest', state: 'mended', stateAt: 10 },
    ...Array.from({ length: 20 }, (_, at) => ({ name: `k${at}`, state: 'mended' as const, stateAt: 100 + at })),
  ];
  const counted = (kind: string | undefined, later: number): CountedKind => ({
    ...{ kind, readings: 3, conversations: 2, later, firstAt: 50, lastAt: 101 },
  });
  let asked = 0;
  const countedKinds = () => {
    asked += 1;
    return [counted(undefined, 0), counted('k0', 1), counted('k1', 0), counted('open', 1), counted('oldest', 1)];
  };
  const reader = { keptKinds: () => kinds, countedKinds, failedReadings: () => [] };

  const returned = await returnedKinds(reader, 'shop');

  expect(returned).toHaveLength(20);
  expect(returned.filter(({ conversations }) => conversations > 0)).toEqual([{ kind: 'k0', conversations: 1 }]);
  expect(await returnedKinds({ ...reader, keptKinds: () => kinds.slice(0, 1) }, 'shop')).toEqual([]);
  expect(asked).toBe(1);
});
