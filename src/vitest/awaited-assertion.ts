/**
 * An asynchronous assertion that nobody awaits is none: the test would be over before it is known. Vitest sees to that for its own assertions and not for those
 * that it is taught, so what these give back notes whether anybody waits for it, and the test fails where nobody did.
 */
import { onTestFinished } from 'vitest';
import type { Matched } from './matchers.ts';

/** Vitest takes whatever has a `then` for a promise, asks it for what follows, and hands that to the test. */
export function awaitedAssertion(name: string, work: Promise<Matched>): Promise<Matched> {
  const given = {
    // biome-ignore lint/suspicious/noThenProperty: it is meant to be taken for a promise
    then: (onFulfilled?: (matched: Matched) => unknown, onRejected?: (reason: unknown) => unknown) =>
      watched(name, work.then(onFulfilled, onRejected)),
  };
  // The cast holds as far as Vitest looks at it.
  return given as unknown as Promise<Matched>;
}

function watched(name: string, outcome: Promise<unknown>): object {
  let isAwaited = false;
  const notAwaited = new Error(
    `${name} was not awaited: write \`await\` before it, or the test ends before it is known`,
  );
  // If nobody awaits it, that is the failure, not its result.
  outcome.catch(() => {});
  afterTheTest(() => {
    if (!isAwaited) throw notAwaited;
  });
  return {
    // biome-ignore lint/suspicious/noThenProperty: it is meant to be taken for a promise
    then: (...handlers: Parameters<Promise<unknown>['then']>) => {
      isAwaited = true;
      return outcome.then(...handlers);
    },
    catch: (...handlers: Parameters<Promise<unknown>['catch']>) => {
      isAwaited = true;
      return outcome.catch(...handlers);
    },
    finally: (...handlers: Parameters<Promise<unknown>['finally']>) => {
      isAwaited = true;
      return outcome.finally(...handlers);
    },
    [Symbol.toStringTag]: 'Promise',
  };
}

function afterTheTest(check: () => void): void {
  try {
    onTestFinished(check);
  } catch {
    // In a hook there is no test that could fail.
  }
}
