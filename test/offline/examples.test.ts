/** The suites under `examples` that have tests beside them keep them. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { testSuites } from '../../src/offline/suite-tests.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('the policy of an airline agent finds what it is meant to find', async () => {
  const { tests, mistakes } = await testSuites([path.join(ROOT, 'examples/airline-policy/airline-policy.test.yaml')], {
    builtinDir: path.join(ROOT, 'suites'),
    baseDir: ROOT,
    conversationKeys: [],
    redaction: undefined,
  });

  expect(mistakes).toEqual([]);
  expect(tests.length).toBeGreaterThan(5);
  expect(tests.filter(({ unmet }) => unmet.length > 0)).toEqual([]);
});
