/**
 * Mutated requests of every recorded framework, understood: `npm run fuzz-dialects -- --requests 100000 --seed 1`. Progress
 * goes to standard error, the result to standard output as JSON. Ends with 1 if anything was found.
 */
import { parseArgs } from 'node:util';
import { fuzzDialects } from '../test/normalize/recorded/fuzzing.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
if (!Number.isSafeInteger(requests) || !Number.isSafeInteger(seed) || requests < 1) {
  throw new Error(`--requests ${values.requests} --seed ${values.seed}: expected whole numbers`);
}
const { findings } = await fuzzDialects({
  requests,
  seed,
  onProgress: (done) => console.error(`${done} of ${requests}`),
});
for (const { run, what } of findings.slice(0, 10)) console.error(`${run}: ${what}`);
console.log(JSON.stringify({ requests, seed, findings: findings.length }));
process.exitCode = findings.length > 0 ? 1 : 0;
