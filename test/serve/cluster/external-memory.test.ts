import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { EXTERNAL_MEMORY_FLAG } from '../../../src/serve/cluster/external-memory.ts';

test('the pinned Node knows the flag that is set', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 16 << 20 });

  expect(known).toContain(`  ${EXTERNAL_MEMORY_FLAG} `);
});
