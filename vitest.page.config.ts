import { defineConfig } from 'vitest/config';
import './test/compiled-once.ts';

/** Tests of the page in a browser, against the real service with real traffic; `test/page/browser.ts` names the browser. */
export default defineConfig({
  test: {
    include: ['test/page/**/*.page.ts'],
    globalSetup: ['test/page/service-with-traffic.ts'],
    // Most of the time is waiting. Two browsers are enough for a machine of two cores.
    maxWorkers: 2,
    // A poll of Vitest gives up after a second, which a busy machine needs for one click.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
