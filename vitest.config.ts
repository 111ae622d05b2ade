import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/property-seed.ts'],
    // Two cores are the smallest machine we promise to be quick on.
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
