import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { MAIN } from '../assay-command.ts';
import { tempDirectory } from '../temp-directory.ts';

test('SIGHUP reads the configuration again, right or wrong, and SIGTERM ends the service as ever', async () => {
  const cwd = tempDirectory();
  const ports = 'otlp_grpc_port: 0\notlp_http_port: 0\nhttp_port: 0\n';
  writeFileSync(path.join(cwd, 'assay.yaml'), ports);
  const child = spawn(process.execPath, [MAIN, 'serve'], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const untilSaid = async (text: string) => {
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
      if (next.value.includes(text)) return next.value;
    }
    throw new Error(`it ended and did not say: ${text}`);
  };

  await untilSaid('"started"');
  writeFileSync(path.join(cwd, 'assay.yaml'), `${ports}suites: [nothing]\n`);
  child.kill('SIGHUP');
  const mistake = await untilSaid('"config: mistake found');
  writeFileSync(path.join(cwd, 'assay.yaml'), `${ports}suites: [default]\nhost: localhost\n`);
  child.kill('SIGHUP');
  const reloaded = await untilSaid('"config: reloaded');
  child.kill('SIGTERM');

  expect(mistake).toContain('nothing');
  expect(JSON.parse(reloaded)).toMatchObject({ level: 'warn', suites: 'default', needs_restart: 'host' });
  expect(await ended).toEqual([0, null]);
}, 30_000);
