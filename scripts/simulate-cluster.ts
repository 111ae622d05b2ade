/**
 *     npm run simulate:cluster -- --faults 200 --seed 1 [--instances 3] [--rate 30] [--json]
 *     npm run simulate:cluster -- --faults 30 --together
 *     npm run simulate:cluster -- --faults 0 --conversations 50000 --rate 400 [--collector] [--undisturbed 1,2,5]
 *
 * Runs several instances on a Kafka and a PostgreSQL of their own, makes everything fail that can, and checks that the
 * books balance. With --together all turns of a conversation arrive at once, and at most one of a thousand may be
 * evaluated without a turn. Exits with 1 if the books do not balance; with --hold it waits before that, for inspection.
 * See test/simulation/cluster.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { clusterTest, isBalanced } from '../test/simulation/cluster.ts';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    instances: { type: 'string', default: '3' },
    conversations: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '20' },
    partitions: { type: 'string', default: '12' },
    undisturbed: { type: 'string', default: '1' },
    calm: { type: 'boolean', default: false },
    collector: { type: 'boolean', default: false },
    together: { type: 'boolean', default: false },
    hold: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
// With --hold the first one only goes on.
process.once('SIGINT', () => values.hold || stop.abort());

const report = await clusterTest({
  signal: stop.signal,
  faults: Number(values.faults),
  seed: Number(values.seed),
  instances: Number(values.instances),
  conversations: Number(values.conversations),
  rate: Number(values.rate),
  partitions: Number(values.partitions),
  undisturbed: values.undisturbed === '' ? [] : values.undisturbed.split(',').map(Number),
  calm: values.calm,
  collector: values.collector,
  together: values.together,
  onProgress: (line) => process.stderr.write(`${line}\n`),
  onTrouble: async (where) => {
    if (!values.hold) return;
    process.stderr.write(`held; Ctrl-C to go on: ${where}\n`);
    const release = new AbortController();
    process.once('SIGINT', () => release.abort());
    await sleep(3_600_000, undefined, { signal: release.signal }).catch(() => {});
  },
});
const balanced = isBalanced(report);
if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else {
  const verdict = balanced ? 'The books balance' : 'THE BOOKS DO NOT BALANCE';
  process.stdout.write(`${verdict}: ${JSON.stringify(report, null, 2)}\n`);
}
process.exitCode = balanced ? 0 : 1;
