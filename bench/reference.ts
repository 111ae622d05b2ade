/**
 * The reference's process: see `reference-child.ts`. It alternates with the pipeline, so that both see the same
 * machine.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Load } from './workload.ts';

export interface Decoded {
  readonly spans: number;
  readonly seconds: number;
}

export interface Reference {
  /** Decodes this many requests and returns the time. */
  decode(requests: number): Promise<Decoded>;
  stop(): void;
}

/** Enough requests that they are no longer in the processor's caches when they are used again. */
const TRACES_MAX = 6000;

/** With requests of its own from the same generator. */
export async function startReference(
  load: Load,
  { seed, traces }: { readonly seed: number; readonly traces: number },
): Promise<Reference> {
  const wanted = [load, seed, Math.min(traces, TRACES_MAX)].map(String);
  const child = fork(new URL('./reference-child.ts', import.meta.url).pathname, wanted);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the reference ended with code ${String(code)}`);
  });
  // The child also ends at the end of the run, when no answer is awaited.
  ended.catch(() => {});
  const answer = async (): Promise<unknown> => {
    const [message]: unknown[] = await Promise.race([once(child, 'message'), ended]);
    return message;
  };
  await answer();
  return {
    decode: (requests) => {
      child.send(requests);
      // The cast holds for the child's messages.
      return answer() as Promise<Decoded>;
    },
    stop: () => child.disconnect(),
  };
}
