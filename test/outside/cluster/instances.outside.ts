/**
 * The whole cluster without faults: the same topics give the same evaluations with one instance, two, three and five.
 */
import { expect, test } from 'vitest';
import { clusterTest, isBalanced } from '../../simulation/cluster.ts';

test('one, two, three and five instances say the same, byte for byte', { timeout: 600_000 }, async () => {
  const report = await clusterTest({
    instances: 3,
    faults: 0,
    seed: 7,
    conversations: 400,
    rate: 40,
    partitions: 12,
    undisturbed: [1, 2, 5],
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });

  expect(report).toMatchObject({ conversations: 400, evaluation_mismatches: 0, counter_mismatches: 0 });
  expect(isBalanced(report)).toBe(true);
});
