import { defineConfig } from 'vitest/config';

/** Tests of the page in a browser, against the real service with real traffic; `test/page/browser.ts` names the browser. */
export default defineConfig({
  test: {
    include: ['test/page/**/*.page.ts'],
    globalSetup: ['test/page/service-with-traffic.ts'],
    // One service and one browser are enough for a machine of two cores.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
