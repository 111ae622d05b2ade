import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MAIN } from '../assay-command.ts';
import { tempDirectory } from '../temp-directory.ts';

test('a start that waits for its store ends when it is told to: the first process of a container hears only what it listens to', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    silent.close();
  });
  await once(silent, 'listening');
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('a server that listens has a port');
  const asked = once(silent, 'connection');

  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: {
      ...process.env,
      ASSAY_DATA_DIR: tempDirectory(),
      ASSAY_HTTP_PORT: '0',
      ASSAY_KAFKA_ROLE: 'reader',
      ASSAY_KAFKA_BROKERS: 'localhost:1',
      ASSAY_STORE_URL: `postgres://assay@127.0.0.1:${address.port}/assay`,
    },
    stdio: 'ignore',
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ended = once(child, 'exit');
  await asked;
  child.kill('SIGTERM');

  // A number, and no signal: it ended itself.
  expect(await ended).toEqual([130, null]);
}, 30_000);
