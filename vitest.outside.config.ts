import { defineConfig } from 'vitest/config';

/** Tests that need a broker or a database; `test/outside/services.ts` says where they come from. */
export default defineConfig({
  test: {
    include: ['test/outside/**/*.outside.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
