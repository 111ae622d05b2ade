import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { EXTERNAL_MEMORY_FLAGS } from '../../../src/pipeline/cluster/external-memory.ts';

test('the pinned Node knows every flag that is set', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 16 << 20 });

  for (const flag of EXTERNAL_MEMORY_FLAGS) expect(known).toContain(`  ${flag.split('=')[0]} `);
});
