import { defineConfig } from 'vitest/config';
import { bundledThreads } from './test/bundled-threads.ts';
import './test/compiled-once.ts';

/** They set up the OpenTelemetry SDK, of which a process has one, or add to `expect`. */
const ALONE = ['test/instrument/**/*.test.ts', 'test/vitest/**/*.test.ts'];

export default defineConfig({
  plugins: [bundledThreads()],
  oxc: { jsx: { importSource: 'preact' } },
  test: {
    projects: [
      // Files share a process, and what it has loaded: to load it again for each took a tenth of the time.
      { extends: true, test: { name: 'shared', include: ['test/**/*.test.{ts,tsx}'], exclude: ALONE, isolate: false } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
    globalSetup: ['test/bundled-threads.ts'],
    setupFiles: ['test/property-seed.ts'],
    // On two cores, the smallest machine we promise to be quick on: many tests wait for a service or a process.
    maxWorkers: 3,
    // A poll of Vitest gives up after a second, which a busy machine needs for one click.
    expect: { poll: { timeout: 10_000 } },
    // With all rounds (test/rounds.ts) a simulation takes minutes.
    testTimeout: process.env.ASSAY_TEST_ROUNDS === 'all' ? 900_000 : 30_000,
  },
});
