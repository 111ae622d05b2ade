import { expect, test } from 'vitest';
import { returnedKinds } from '../../../src/engine/failures/failure-board.ts';
import type { FailedReading, KeptKind } from '../../../src/model/named-kinds.ts';

test('of mended kinds the newest twenty are counted, each conversation once and only if it began later', async () => {
  const kinds: readonly KeptKind[] = [
    { name: 'open', state: 'open', stateAt: 1 },
    { name: 'oldest', state: 'mended', stateAt: 10 },
    ...Array.from({ length: 20 }, (_, at) => ({ name: `k${at}`, state: 'mended' as const, stateAt: 100 + at })),
  ];
  const reading = (conversationId: string, kind: string, beganAt: number): FailedReading => ({
    ...{ conversationId, by: 'ana', kind, note: undefined, asked: undefined, beganAt },
  });
  const failed = [
    reading('a', 'k0', 101),
    reading('a', 'k0', 101),
    reading('b', 'k0', 100),
    reading('c', 'open', 50),
    reading('d', 'oldest', 50),
  ];
  let asked = 0;
  const failedReadings = () => {
    asked += 1;
    return failed;
  };
  const reader = { keptKinds: () => kinds, failedReadings };

  const returned = await returnedKinds(reader, 'shop');

  expect(returned).toHaveLength(20);
  expect(returned.filter(({ conversations }) => conversations > 0)).toEqual([{ kind: 'k0', conversations: 1 }]);
  expect(await returnedKinds({ ...reader, keptKinds: () => kinds.slice(0, 1) }, 'shop')).toEqual([]);
  expect(asked).toBe(1);
});
