import { expect, test } from 'vitest';
import { markDone } from '../../src/cli/opened-letters.ts';
import { OffsetSet } from '../../src/receive/kafka/offset-set.ts';

function letters(offsets: readonly number[]) {
  const kept: unknown[] = [];
  const scan = { keep: async (marks: readonly unknown[]) => void kept.push(...marks) };
  const opened = { scan, done: new Map([[0, new OffsetSet(0)]]) };
  return { opened, kept, places: offsets.map((offset) => ({ partition: 0, offset })) };
}

test('marks are one offset where no letter waits between them', async () => {
  const { opened, kept, places } = letters([2, 0, 1]);

  expect(await markDone(opened, places)).toBe(0);
  expect(kept).toEqual([{ partition: 0, offset: 3, metadata: '' }]);
});

test('marks that do not fit are counted: their letters still wait', async () => {
  const { opened, kept, places } = letters(Array.from({ length: 2_000 }, (_, index) => 2 * index + 1));

  const unmarked = await markDone(opened, places);

  const [{ metadata }] = kept as [{ metadata: string }];
  expect(unmarked).toBe(2_000 - metadata.split(',').length);
  expect(unmarked).toBeGreaterThan(0);
});

test('without a letter nothing is written', async () => {
  const { opened, kept } = letters([]);

  expect([await markDone(opened, []), kept]).toEqual([0, []]);
});
