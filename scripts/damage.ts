/**
 * Damages the recorded exports in many ways, and counts what is scored wrong without a word:
 *
 *     npm run damage                     all runs
 *     npm run damage -- --half a|b       every other run, so that one half can stay unseen
 *     … --list                           each case that nothing was said of
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadSuites } from '../src/score/load-suites.ts';
import { damageRuns } from '../test/normalize/recorded/damage.ts';

const { values } = parseArgs({ options: { half: { type: 'string' }, list: { type: 'boolean', default: false } } });
const builtinDir = path.resolve(import.meta.dirname, '../suites');
const { suites } = await loadSuites(['default', 'honesty'], { baseDir: builtinDir, builtinDir });
const isIn = (number: number) => values.half === undefined || (number % 2 === 0) === (values.half === 'a');
const { results, doubted, runs } = await damageRuns({
  suites: suites.filter(({ scope }) => scope === 'turn'),
  isIn,
  onProgress: (done, of) => {
    if (done % 20 === 0) process.stderr.write(`${done} of ${of} runs\n`);
  },
});

const rows = Map.groupBy(results, ({ damage }) => damage);
const line = (name: string, of: typeof results) => {
  const count = (is: string) => of.filter((result) => result.is === is).length;
  const [said, silent] = [count('said'), count('silent')];
  const share = said + silent === 0 ? '' : `${((100 * said) / (said + silent)).toFixed(1)} %`;
  process.stdout.write(
    `${name.padEnd(36)} ${[of.length, count('harmless'), count('gone'), said, silent].map((n) => String(n).padStart(7)).join('')} ${share.padStart(9)}\n`,
  );
};
process.stdout.write(`${'damage'.padEnd(36)}   cases harmless   gone   said silent      said\n`);
for (const [name, of] of rows) line(name, of);
line('all', results);
process.stdout.write(`${doubted.length} of ${runs} undamaged runs have a doubt\n`);
for (const one of doubted) process.stdout.write(`  ${one}\n`);
if (values.list) {
  for (const { run, damage, is, because } of results)
    if (is === 'silent') process.stdout.write(`${run} | ${damage} | ${because}\n`);
}
