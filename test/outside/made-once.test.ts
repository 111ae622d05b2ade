import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { madeOnce } from './made-once.ts';

const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/assay');

function freshName(): string {
  const name = `made-once-${process.pid}-${Math.random().toString(36).slice(2)}`;
  onTestFinished(() => {
    for (const end of ['', '.lock', `.${process.pid}`])
      rmSync(path.join(CACHE, name + end), { recursive: true, force: true });
  });
  return name;
}

test('of two at the same time one makes it, and both have it whole', async () => {
  const name = freshName();
  let made = 0;
  const make = async (folder: string) => {
    made += 1;
    await sleep(50);
    writeFileSync(path.join(folder, 'file'), 'whole');
  };
  const folders = await Promise.all([1, 2].map(() => madeOnce(name, { make, needs: 'nothing' })));

  expect(made).toBe(1);
  expect(folders.map((folder) => readFileSync(path.join(folder, 'file'), 'utf8'))).toEqual(['whole', 'whole']);
});

test('one that fails leaves nothing, and the next makes it', async () => {
  const name = freshName();
  const fails = madeOnce(name, { make: () => Promise.reject(new Error('no network')), needs: 'a network' });
  await expect(fails).rejects.toThrow(`${name} could not be made. It needs a network.`);
  expect(existsSync(path.join(CACHE, `${name}.lock`))).toBe(false);

  expect(existsSync(await madeOnce(name, { make: () => Promise.resolve(), needs: 'nothing' }))).toBe(true);
});

test('the lock of a process that has died holds nobody up', async () => {
  const name = freshName();
  const gone = spawn('true');
  await once(gone, 'exit');
  const first = await madeOnce(freshName(), { make: () => Promise.resolve(), needs: 'nothing' });
  writeFileSync(path.join(path.dirname(first), `${name}.lock`), String(gone.pid));

  expect(existsSync(await madeOnce(name, { make: () => Promise.resolve(), needs: 'nothing' }))).toBe(true);
});
