/** The benchmark of trajectories, small; it installs `agentevals` from the registry unless it is installed. */
import { expect, test } from 'vitest';
import { benchTrajectory } from '../../bench/trajectory.ts';

test('gives a row for each length and mode, and the same answer wherever both can ask the same', async () => {
  const { rows, notes } = await benchTrajectory({ lengths: [2, 20], rounds: 1, runsOfEach: 2 });

  expect(rows).toHaveLength(8);
  for (const row of rows) expect(row.ours).toBeGreaterThan(0);
  expect(notes.filter((note) => note.includes('the same answer for'))).toEqual([
    '2 calls: the same answer for 48 of 48 comparisons',
    '20 calls: the same answer for 48 of 48 comparisons',
  ]);
}, 300_000);
