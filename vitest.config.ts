import { defineConfig } from 'vitest/config';
import './test/compiled-once.ts';

/** Functions of what they are given: their tests may share a process, and what it has loaded. */
const PURE = [
  'model',
  'receive',
  'normalize',
  'assemble',
  'score',
  'compare',
  'detect',
  'config',
  'deploy',
  'store',
].map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      { extends: true, test: { name: 'other', include: ['test/**/*.test.ts'], exclude: PURE } },
    ],
    setupFiles: ['test/property-seed.ts'],
    // On two cores, the smallest machine we promise to be quick on: many tests wait for a service or a process.
    maxWorkers: 3,
    testTimeout: 30_000,
  },
});
