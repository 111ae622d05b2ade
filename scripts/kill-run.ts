/**
 * Kills `assay run` at random moments and goes on with it, many times: no case may be lost, and none run twice but those in flight.
 *
 *     node scripts/kill-run.ts [--kills 60] [--cases 100] [--repeats 2] [--concurrency 4] [--seed n]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { killedRun } from '../test/offline/run/killed-run.ts';
import { randomFrom } from '../test/random.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '60' },
    cases: { type: 'string', default: '100' },
    repeats: { type: 'string', default: '2' },
    concurrency: { type: 'string', default: '4' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const directory = mkdtempSync(path.join(tmpdir(), 'assay-kill-run-'));
console.log(`seed ${values.seed}`);
const { faults, kept, starts, kills } = await killedRun({
  directory,
  cases: Number(values.cases),
  repeats: Number(values.repeats),
  concurrency: Number(values.concurrency),
  kills: Number(values.kills),
  random: randomFrom(Number(values.seed)),
  onKill: (known) => console.log(`killed: ${known.kept} kept, ${known.starts} starts`),
});
console.log(`${kills} kills, ${kept} runs kept, ${starts} starts of the agent; ${faults.length} faults`);
for (const fault of faults) console.log(`  ${fault}`);
if (faults.length === 0) rmSync(directory, { recursive: true, force: true });
else console.log(`what is left of it: ${directory}`);
process.exitCode = faults.length === 0 ? 0 : 1;
