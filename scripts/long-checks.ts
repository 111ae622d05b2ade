/**
 * Checks that take longer than a commit should wait for, in lanes side by side:
 *
 *     npm run nightly -- --short                       each part in short, as CI runs them after `npm test`
 *     npm run nightly                                  each part in full
 *     … --seed 7 --only fuzz,referee                   the seed that was printed, and some of the parts
 *
 * Parts in short have another seed at each commit, so that a week of commits sees what a night does. A part that fails
 * stops no other. At the end the last lines of those that failed are printed once more, then a table, then one line.
 */
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

interface Part {
  readonly name: string;
  /** Arguments of `npm run`, or a program of this folder. */
  readonly short: readonly string[];
  readonly full: readonly string[];
  /** Takes `--seed`. */
  readonly isSeeded?: boolean;
}

/** Rows of the robot that are installed in seconds, at the versions of its pins. */
const QUICK_ROWS = ['ai-sdk-7', 'anthropic-genai', 'openai-genai', 'openai-js-openinference', 'strands-js'].join();

/** Parts of a lane run one after the other. Much of what uses services is waiting. */
const LANES: Readonly<Record<string, readonly Part[]>> = {
  services: [
    { name: 'outside', short: ['test:outside'], full: ['test:outside'] },
    {
      name: 'cluster',
      short: ['simulate:cluster', '--', '--faults', '20'],
      full: ['simulate:cluster', '--', '--faults', '200'],
      isSeeded: true,
    },
  ],
  machine: [
    { name: 'page', short: ['test:page'], full: ['test:page'] },
    { name: 'attack', short: ['attack', '--', '--short'], full: ['attack', '--'] },
    {
      name: 'kills',
      short: ['simulate', '--', '--kills', '10'],
      full: ['simulate', '--', '--kills', '100'],
      isSeeded: true,
    },
    {
      name: 'fuzz',
      short: ['fuzz', '--', '--inputs', '100000'],
      full: ['fuzz', '--', '--inputs', '1000000'],
      isSeeded: true,
    },
    {
      name: 'dialects',
      short: ['fuzz-dialects', '--', '--requests', '10000'],
      full: ['fuzz-dialects', '--', '--requests', '100000'],
      isSeeded: true,
    },
    {
      name: 'referee',
      short: ['referee', '--', '--trajectories', '10000'],
      full: ['referee', '--', '--trajectories', '100000'],
      isSeeded: true,
    },
    {
      name: 'properties',
      short: ['properties', '--', '--rounds', '1'],
      full: ['properties', '--', '--rounds', '20'],
      isSeeded: true,
    },
    {
      name: 'conformance',
      short: ['conformance', '--', '--only', QUICK_ROWS, '--min', '0.97'],
      // Releases of today may be broken: that is a row of the table, not a failure.
      full: ['conformance', '--', '--newest'],
    },
    { name: 'disk-full', short: ['disk-full'], full: ['disk-full'] },
  ],
};

const ROOT = path.resolve(import.meta.dirname, '..');
const SHOWN_AGAIN = 60;

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, seed: { type: 'string' }, only: { type: 'string' } },
});
const seed = Number(values.seed ?? seedOfCommit());
if (!Number.isSafeInteger(seed)) throw new Error(`--seed ${values.seed}: expected a whole number`);
const only = values.only?.split(',');
const startedAt = performance.now();
const results = await Promise.all(Object.values(LANES).map(lane));
report(results.flat());

interface Result {
  readonly name: string;
  readonly hasPassed: boolean;
  readonly seconds: number;
  readonly lines: readonly string[];
}

async function lane(parts: readonly Part[]): Promise<readonly Result[]> {
  const done: Result[] = [];
  for (const part of parts) if (only?.includes(part.name) ?? true) done.push(await run(part));
  return done;
}

async function run({ name, short, full, isSeeded = false }: Part): Promise<Result> {
  const began = performance.now();
  const args = [...(values.short ? short : full), ...(isSeeded ? ['--seed', String(seed)] : [])];
  const env = { ...process.env, ASSAY_TEST_ROUND: String(seed), ASSAY_TEST_SHARE: values.short ? 'part' : 'all' };
  const lines: string[] = [];
  const say = (line: string) => {
    process.stdout.write(`${name.padEnd(10)} │ ${line}\n`);
    lines.push(line);
    if (lines.length > SHOWN_AGAIN) lines.shift();
  };
  say(`npm run ${args.join(' ')}`);
  const child = spawn('npm', ['run', '--silent', ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', say);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on('close', resolve);
  const code = await promise;
  const seconds = Math.round((performance.now() - began) / 1000);
  say(code === 0 ? `passed in ${seconds} s` : `FAILED with ${code} after ${seconds} s`);
  return { name, hasPassed: code === 0, seconds, lines };
}

function report(all: readonly Result[]): void {
  const failed = all.filter(({ hasPassed }) => !hasPassed);
  for (const { name, lines } of failed) process.stdout.write(`\n${name}:\n${lines.join('\n')}\n`);
  process.stdout.write('\n');
  for (const { name, hasPassed, seconds } of all)
    process.stdout.write(`${name.padEnd(10)} ${String(seconds).padStart(6)} s  ${hasPassed ? 'passed' : 'FAILED'}\n`);
  const took = `${Math.round((performance.now() - startedAt) / 60_000)} min, seed ${seed}, ${values.short ? 'in short' : 'in full'}`;
  process.stdout.write(`${all.length - failed.length} of ${all.length} parts passed in ${took}\n`);
  if (failed.length > 0) process.exitCode = 1;
}

/** Differs from commit to commit, and is the same on each machine. */
function seedOfCommit(): number {
  try {
    return Number(execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }));
  } catch {
    // A copy without history.
    return Math.floor(Date.now() / 86_400_000);
  }
}
