/**
 * Property tests use the same seed at every run, so that a commit is judged by its changes and not by chance.
 * `npm run properties` uses other seeds, many times over; `ASSAY_TEST_SEED` sets one.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.ASSAY_TEST_SEED ?? 1) });
