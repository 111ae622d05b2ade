import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { MAIN } from '../assay-command.ts';
import { freePorts } from '../free-ports.ts';
import { slowSuite } from '../serve/slow-start.ts';
import { tempDirectory } from '../temp-directory.ts';

function serve(cwd: string) {
  const child = spawn(process.execPath, [MAIN, 'serve'], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const untilSaid = async (text: string) => {
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
      if (next.value.includes(text)) return next.value;
    }
    throw new Error(`it ended and did not say: ${text}`);
  };
  return { child, ended: once(child, 'exit'), untilSaid };
}

test('SIGHUP reads the configuration again, right or wrong, and SIGTERM ends the service as ever', async () => {
  const cwd = tempDirectory();
  const ports = 'otlp_grpc_port: 0\notlp_http_port: 0\nhttp_port: 0\n';
  writeFileSync(path.join(cwd, 'assay.yaml'), ports);
  const { child, ended, untilSaid } = serve(cwd);

  await untilSaid('"service: started');
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

test('SIGHUP while the service starts is done once it has started', async () => {
  const cwd = tempDirectory();
  const { reference, letGo } = slowSuite(cwd);
  const [httpPort = 0] = await freePorts(1);
  const settings = `otlp_grpc_port: 0\notlp_http_port: 0\nhttp_port: ${httpPort}\nsuites: [${reference}]\n`;
  writeFileSync(path.join(cwd, 'assay.yaml'), settings);
  const { child, ended, untilSaid } = serve(cwd);
  // The HTTP side is up before the store is.
  while (!(await fetch(`http://127.0.0.1:${httpPort}/healthz`).catch(() => undefined))?.ok)
    await new Promise((next) => setTimeout(next, 20));

  writeFileSync(path.join(cwd, 'assay.yaml'), `${settings}host: localhost\n`);
  child.kill('SIGHUP');
  await untilSaid('"config: reload requested during the start');
  letGo();
  await untilSaid('"service: started');
  const reloaded = await untilSaid('"config: reload');
  child.kill('SIGTERM');

  expect(JSON.parse(reloaded)).toMatchObject({ suites: 'slow', needs_restart: 'host' });
  expect(await ended).toEqual([0, null]);
}, 30_000);
