import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { GARBAGE_FLAGS } from '../../src/model/garbage-collection.ts';

test.each(GARBAGE_FLAGS)('the pinned Node knows the flag %s', (flag) => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 16 << 20 });

  expect(known).toContain(`  ${flag.replace(/^--no-/, '--')} `);
});

test('threads that collect at the same moment do not disturb each other', () => {
  const threads = path.join(import.meta.dirname, 'collecting-thread.ts');

  const { status, stdout, stderr } = spawnSync(process.execPath, [threads], { encoding: 'utf8' });

  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.match(/collected (?:[1-9]\d*)\n/g)).toHaveLength(3);
});
