import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { GARBAGE_FLAGS } from '../../src/model/garbage-collection.ts';

test.each(GARBAGE_FLAGS)('the pinned Node knows the flag %s', (flag) => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 16 << 20 });

  expect(known).toContain(`  ${flag.replace(/^--no-/, '--')} `);
});
