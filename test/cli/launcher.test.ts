/** `bin/assay.mjs`: the command as npm installs it, on a Node that is new enough and on one that is not. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePorts } from '../free-ports.ts';
import { tempDirectory } from '../temp-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const LAUNCHER = path.join(ROOT, 'bin/assay.mjs');
/** Makes this Node say that it is an old one, to the launcher alone. */
const saying = (version: string, more = '') => [
  '--import',
  `data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });${more}`)}`,
];
const OLD = saying('20.1.0', 'delete process.execve');
const ABLE = saying('22.20.0');

const launch = (flags: readonly string[], args: readonly string[], launcher = LAUNCHER) =>
  spawnSync(process.execPath, [...flags, launcher, ...args], { cwd: tempDirectory(), encoding: 'utf8' });

test.each([
  ['new enough', []],
  ['too old', OLD],
  ['too old, and can become another', ABLE],
])('a Node that is %s: same output, same exit codes', (_what, flags) => {
  const version = launch(flags, ['--version']);
  const mistake = launch(flags, ['frobnicate']);

  expect([version.status, version.stdout, version.stderr]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/), '']);
  expect([mistake.status, mistake.stdout, mistake.stderr]).toEqual([2, '', expect.stringContaining('frobnicate')]);
});

test('without a Node that is new enough, one sentence says what to do', () => {
  const elsewhere = path.join(tempDirectory(), 'assay');
  cpSync(path.dirname(LAUNCHER), path.join(elsewhere, 'bin'), { recursive: true });
  cpSync(path.join(ROOT, 'package.json'), path.join(elsewhere, 'package.json'));

  const packedEmpty = launch(OLD, ['--version'], path.join(elsewhere, 'bin/assay.mjs'));
  expect([packedEmpty.status, packedEmpty.stderr]).toEqual([1, expect.stringContaining('packed without dist/')]);

  mkdirSync(path.join(elsewhere, 'dist/cli'), { recursive: true });
  writeFileSync(path.join(elsewhere, 'dist/cli/main.js'), '');
  const { status, stdout, stderr } = launch(OLD, ['--version'], path.join(elsewhere, 'bin/assay.mjs'));

  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^assay needs Node 24 or newer, and this is v[\d.]+: install one, or .*\n$/);
});

test.each([
  ['started', OLD],
  ['become', ABLE],
])('SIGTERM stops the service that an old Node has %s', async (_what, flags) => {
  const [grpc, http, api] = await freePorts(3);
  const env = {
    PATH: process.env.PATH,
    ASSAY_OTLP_GRPC_PORT: `${grpc}`,
    ASSAY_OTLP_HTTP_PORT: `${http}`,
    ASSAY_HTTP_PORT: `${api}`,
  };
  const child = spawn(process.execPath, [...flags, LAUNCHER, 'serve'], { cwd: tempDirectory(), env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()));
  while (!(await isReady(Number(api)))) {
    if (child.exitCode !== null) throw new Error(output);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');

  expect(code).toBe(0);
  expect(await isReady(Number(api))).toBe(false);
});

test.each([
  ['new enough', [], 'assay serve', false],
  ['too old', OLD, 'assay serve', false],
  ['new enough, and npm ran a script that starts it in the background', [], 'assay serve & next dev', true],
])(
  'on a Node that is %s: it ends with the shell that npm started it in',
  async (_what, flags, script, goesOn) => {
    const [grpc, http, api] = await freePorts(3);
    const env = {
      PATH: process.env.PATH,
      ASSAY_OTLP_GRPC_PORT: `${grpc}`,
      ASSAY_OTLP_HTTP_PORT: `${http}`,
      ASSAY_HTTP_PORT: `${api}`,
      npm_lifecycle_script: script,
    };
    const options = { cwd: tempDirectory(), env, stdio: 'ignore', detached: true } as const;
    // The second command keeps the shell from becoming the first.
    const shell = spawn('sh', ['-c', '"$@"; true', 'sh', process.execPath, ...flags, LAUNCHER, 'serve'], options);
    const group = -(shell.pid ?? Number.NaN);
    try {
      while (!(await isReady(Number(api)))) await new Promise((resolve) => setTimeout(resolve, 50));

      shell.kill('SIGTERM');
      await once(shell, 'exit');

      const deadline = Date.now() + (goesOn ? 3_000 : 20_000);
      while ((await isReady(Number(api))) && Date.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await isReady(Number(api))).toBe(goesOn);
    } finally {
      try {
        process.kill(group, 'SIGKILL');
      } catch {
        // All of the group have ended.
      }
    }
  },
  60_000,
);

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
}
