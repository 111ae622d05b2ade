/**
 * npm run simulate -- --kills 100 --seed 1 [--clients 8] [--json]
 * Kills a service under load at random moments, starts it again, and checks that the books balance. See
 * test/simulation/crashes.ts. Exits with 1 where they don't.
 */
import { parseArgs } from 'node:util';
import { crashTest } from '../test/simulation/crashes.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
});

const report = await crashTest({
  kills: Number(values.kills),
  seed: Number(values.seed),
  clients: Number(values.clients),
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
const differing = report.counter_mismatches + report.evaluation_mismatches + report.observation_mismatches;
const balanced = report.lost + report.duplicated + differing + report.unforgotten_files === 0 && report.spans > 0;
if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else
  process.stdout.write(
    `${balanced ? 'The books balance' : 'THE BOOKS DO NOT BALANCE'}: ${JSON.stringify(report, null, 2)}\n`,
  );
process.exitCode = balanced ? 0 : 1;
