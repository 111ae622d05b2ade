import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('leaves nothing running once it is stopped, so that the process ends by itself', async () => {
  const program = path.join(import.meta.dirname, 'receive-and-end.ts');

  const { stdout } = await promisify(execFile)(process.execPath, [program]);

  expect(stdout).toBe('200\n');
});
