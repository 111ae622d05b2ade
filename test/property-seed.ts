/**
 * Property tests draw from the same seed at every run, so that a commit is judged by what it changed and not by the draw.
 * `npm run properties` draws others, many times over; `ASSAY_TEST_SEED` names one.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.ASSAY_TEST_SEED ?? 1) });
