/**
 * npm run referee -- [--trajectories 100000] [--seed 1]
 * Random small trajectories, aligned and scored, beside a referee that tries all there is. See test/score/trajectory/referee.ts.
 * Exits with 1 where they disagree.
 */
import { parseArgs } from 'node:util';
import { compareCosts, compareWithReferee } from '../test/score/trajectory/referee.ts';

const { values } = parseArgs({
  options: { trajectories: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const first = Number(values.seed);
const problems: string[] = [];
const startedAt = performance.now();
for (let index = 0; index < Number(values.trajectories); index += 1) {
  for (const compare of [compareWithReferee, compareCosts]) {
    const problem = compare(first + index);
    if (problem !== undefined) problems.push(problem);
  }
}
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
process.stdout.write(
  `${values.trajectories} trajectories and as many problems of any kind: ${problems.length} disagreements with the referee (${seconds} s)\n`,
);
for (const problem of problems.slice(0, 20)) process.stdout.write(`  ${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
