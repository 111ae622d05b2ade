import { defineConfig } from 'vitest/config';
import './test/compiled-once.ts';

/** Tests that need a broker or a database; `test/outside/services.ts` says where they come from. */
export default defineConfig({
  test: {
    include: ['test/outside/**/*.outside.ts'],
    // Mends a timer of kafkajs, of which tests have clients of their own.
    setupFiles: ['src/kafka/kafkajs/internals.ts'],
    // Most of the time is waiting, so three go on two cores. One of them makes what a machine makes once (made-once.ts).
    maxWorkers: 3,
    // A poll of Vitest gives up after a second, which a busy machine needs for one click.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
