/**
 * The differential fuzz of the OTLP readers at full size: `npm run fuzz -- --inputs 1000000 --seed 1`. Progress goes to
 * standard error, the result to standard output, its last line being JSON. Ends with 1 if anything was found.
 */
import { parseArgs } from 'node:util';
import { readWireBodies } from '../test/fixtures/read-wire.ts';
import { fuzz } from '../test/otlp/fuzzing.ts';

const FINDINGS_SHOWN = 10;

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

const inputs = wholeNumber('--inputs', values.inputs);
const seed = wholeNumber('--seed', values.seed);
const startedAt = performance.now();
let shown = 0;
const totals = fuzz({
  inputs,
  seed,
  corpus: readWireBodies().filter(({ encoding }) => encoding === 'protobuf'),
  onFinding: ({ input, what, bytes }) => {
    shown += 1;
    if (shown > FINDINGS_SHOWN) return;
    console.error(`input ${input} of seed ${seed}: ${what.slice(0, 2000)}`);
    console.error(`  ${Buffer.from(bytes).toString('hex').slice(0, 4000)}`);
  },
  onProgress: ({ inputs: done, accepted, refused, disagreements, crashes }) => {
    const rate = Math.round((done / (performance.now() - startedAt)) * 1000);
    console.error(
      `${done} of ${inputs} (${rate}/s): ${accepted} accepted, ${refused} refused, ${disagreements} disagreements, ${crashes} crashes`,
    );
  },
});
if (!values.json) {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${totals.inputs} inputs in ${seconds} s, seed ${seed}`);
}
console.log(JSON.stringify(totals));
process.exitCode = totals.disagreements + totals.crashes > 0 ? 1 : 0;

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`${option} ${text}: expected a whole number`);
  return number;
}
