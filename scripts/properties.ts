/**
 * Property tests and simulations with all their rounds, of which `npm test` tries a tenth (`test/rounds.ts`), and with
 * other seeds than the one that it draws from, until one fails or all rounds are through.
 *
 *     npm run properties                                 20 rounds, from a random seed
 *     npm run properties -- --rounds 100 --seed 7        seeds 7 to 106
 *
 * Ends with 1 at the first round that fails, after naming its seed: `ASSAY_TEST_ROUNDS=all ASSAY_TEST_SEED=<seed> npx vitest run <file>` shows it again.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '..');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000_000)) },
  },
});
const [rounds, first] = [Number(values.rounds), Number(values.seed)];
const files = globSync('test/**/*.test.ts', { cwd: ROOT });
const thatImport = (module: RegExp) => files.filter((file) => module.test(readFileSync(path.join(ROOT, file), 'utf8')));
const properties = thatImport(/from 'fast-check'/);
/** They draw from seeds of their own. */
const simulations = thatImport(/\/rounds\.ts'/).filter((file) => !properties.includes(file));

for (let round = 0; round < rounds && process.exitCode === undefined; round += 1) {
  const seed = first + round;
  const { status } = spawnSync(
    process.execPath,
    [
      path.join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=dot',
      ...properties,
      ...(round === 0 ? simulations : []),
    ],
    {
      cwd: ROOT,
      env: { ...process.env, ASSAY_TEST_SEED: String(seed), ASSAY_TEST_ROUNDS: 'all' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  process.stderr.write(`round ${round + 1} of ${rounds}, seed ${seed}: ${status === 0 ? 'passed' : 'FAILED'}\n`);
  if (status !== 0) process.exitCode = 1;
}
