/**
 * Things that tests share, such as a service that takes half a second of a processor to start. Share what its tests only
 * ask, or give conversations of their own.
 */
import { beforeAll, onTestFinished } from 'vitest';

type End = () => unknown;

const TIMEOUT_MS = 60_000;

let ends: End[] | undefined;

/** After the test; after the file, for what `forFile` makes. */
export function whenDone(end: End): void {
  if (ends === undefined) onTestFinished(async () => void (await end()));
  else ends.push(end);
}

/** Made before the first test of the file, or of the `describe` in which it is called. */
export function forFile<T>(make: () => T | Promise<T>): () => T {
  let made: { readonly it: T } | undefined;
  beforeAll(async () => {
    const own: End[] = [];
    ends = own;
    try {
      made = { it: await make() };
    } finally {
      ends = undefined;
    }
    return async () => {
      for (const end of own.toReversed()) await end();
    };
  }, TIMEOUT_MS);
  return () => {
    if (made === undefined) throw new Error('it is made before the tests, and for them alone');
    return made.it;
  };
}
