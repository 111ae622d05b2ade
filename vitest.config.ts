import path from 'node:path';
import { defineConfig } from 'vitest/config';

// Each test file is a process, and hundreds of tests start the command line or a service: half of such a start is compiling.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules/.cache/assay-compiled');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/property-seed.ts'],
    // Two cores are the smallest machine we promise to be quick on.
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
