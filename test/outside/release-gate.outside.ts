/**
 * The example of docs/score/release-gate.md, as a team would run it: a good version, the same again, and each fault of
 * the agent.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { FAILS, FAULTS } from '../../examples/scheduling-agent/faults.ts';
import { shareOf } from './share-of-round.ts';

/**
 * Share of conversations that go wrong. Alternatives can be skipped in only 27 of the 60 cases; with half of those, 60
 * cases are too few to show it.
 */
const RATE = '0.7';
const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/release-gate');
const experiments = mkdtempSync(path.join(tmpdir(), 'assay-test-'));
afterAll(() => rmSync(experiments, { recursive: true, force: true }));

async function assay(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [path.join(ROOT, 'src/cli/main.ts'), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ASSAY_EXPERIMENTS: experiments, ...environment },
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: Number(code), stdout, stderr };
}

async function run(name: string, seed: number, faults = ''): Promise<void> {
  const { code, stderr } = await assay(
    [
      ...['run', path.join(EXAMPLE, 'scheduling.cases.yaml'), '--agent', path.join(EXAMPLE, 'agent.ts')],
      ...[
        '--suite',
        'scheduling',
        'default',
        '--name',
        name,
        '--seed',
        String(seed),
        '--repeats',
        '3',
        '--settle',
        '100ms',
      ],
    ],
    { EXAMPLE_AGENT_REGRESS: faults, EXAMPLE_AGENT_REGRESS_RATE: RATE },
  );
  expect(code, stderr).toBe(0);
}

interface Gate {
  readonly decision: string;
  readonly rules: readonly { readonly suite: string; readonly rule: string; readonly decision: string }[];
}

async function gate(candidate: string): Promise<{ readonly code: number; readonly gate: Gate }> {
  const rules = path.join(EXAMPLE, 'gate.yaml');
  const { code, stdout, stderr } = await assay(['gate', candidate, '--baseline', 'good', '--rules', rules, '--json']);
  expect(stderr).toBe('');
  // The cast holds for the fields asserted below.
  return { code, gate: JSON.parse(stdout) as Gate };
}

test('a good version passes when it is held against itself with other seeds', async () => {
  await run('good', 1);
  await run('again', 2);

  const { code, gate: found } = await gate('again');

  expect(found.decision).toBe('pass');
  expect(code).toBe(0);
});

test.each(shareOf(FAULTS, 3))('%s is a regression, of the criteria that it breaks and of no other', async (fault) => {
  await run(fault, 3, fault);

  const { code, gate: found } = await gate(fault);

  const broken = found.rules
    .filter(({ rule, decision }) => decision === 'regression' && rule.startsWith('criterion.'))
    .map(({ suite, rule }) => `${suite}/${rule.slice('criterion.'.length)}`);
  const expected = FAILS[fault].map((name) => (name.includes('/') ? name : `scheduling/${name}`));
  expect(code).toBe(1);
  expect(broken).toEqual(expect.arrayContaining(expected));
  // A crash leaves no answer, which the suite for any agent notices as well.
  expect(broken.filter((name) => !expected.includes(name) && !name.startsWith('default/'))).toEqual([]);
});
