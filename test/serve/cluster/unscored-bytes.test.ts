import { expect, test } from 'vitest';
import { UnscoredBytes } from '../../../src/serve/cluster/unscored-bytes.ts';

test('what time has passed is not ahead of it any more, whatever the order in which it came', () => {
  const ahead = new UnscoredBytes();
  ahead.add(5_000, 7);
  ahead.add(1_000, 1);
  ahead.add(1_001, 2);
  ahead.add(1_050, 3);
  expect(ahead.bytes).toBe(13);

  ahead.passed(999);
  expect(ahead.bytes).toBe(13);
  ahead.passed(1_000);
  expect(ahead.bytes).toBe(12);
  ahead.passed(1_100);
  expect(ahead.bytes).toBe(7);
  ahead.passed(10_000);
  expect(ahead.bytes).toBe(0);
});
