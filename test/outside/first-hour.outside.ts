/** The first minutes of a new user: the demo, and the command that it prints, pasted into a shell. Takes half a minute, because people see it in real time. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePorts } from '../free-ports.ts';
import { tempDirectory } from '../temp-directory.ts';

const LAUNCHER = path.resolve(import.meta.dirname, '../../bin/assay.mjs');

test('the demo says the same each time, keeps out of ./data, and its hint works when pasted', async () => {
  const cwd = tempDirectory();
  const [grpc, http, api] = await freePorts(3);
  const ports = ['--otlp-grpc-port', `${grpc}`, '--otlp-http-port', `${http}`, '--http-port', `${api}`];
  const demo = () =>
    execFileSync(process.execPath, [LAUNCHER, 'demo', '--exit', '--conversations', '10', ...ports], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });

  const [first, second] = [demo(), demo()];

  const tcrOf = (output: string) => /v2 {3}TCR (\d\.\d{3})/.exec(output)?.[1];
  expect(tcrOf(first)).toMatch(/^0\.\d{3}$/);
  expect(tcrOf(second)).toBe(tcrOf(first));
  expect(existsSync(path.join(cwd, 'data'))).toBe(false);
  const hint = /npx assay (explain conv-.*)/.exec(first)?.[1] ?? '';
  const { status, stdout } = spawnSync('sh', ['-c', `"${process.execPath}" "${LAUNCHER}" ${hint}`], {
    cwd,
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(stdout).toMatch(/scheduling@\S+ on the conversation: 0\.\d\d /);
}, 180_000);
