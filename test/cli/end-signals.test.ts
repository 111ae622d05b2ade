/** A signal that comes while what it does is replaced is not lost. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';

test('a signal that comes while a start ends is heard by what follows', async () => {
  const child = fork(path.join(import.meta.dirname, 'ended-by-signal.ts'));
  const ended = once(child, 'exit');
  // It is busy from then on, until the signal has come.
  await once(child, 'message');
  child.kill('SIGTERM');

  expect(await ended).toEqual([7, null]);
});
