/** The reference's process: see `reference-child.ts`. It takes turns with the pipeline, so that both see the same machine. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { WorkloadOptions } from './workload.ts';

export interface Decoded {
  readonly spans: number;
  readonly seconds: number;
}

export interface Reference {
  /** Decodes this many requests and says what it took. */
  decode(requests: number): Promise<Decoded>;
  stop(): void;
}

/** Enough for the requests not to be in the processor's caches when they come round again. */
const TRACES_MAX = 6000;

export async function startReference(workload: WorkloadOptions): Promise<Reference> {
  const options = { ...workload, traces: Math.min(workload.traces, TRACES_MAX) };
  const child = fork(new URL('./reference-child.ts', import.meta.url).pathname, [JSON.stringify(options)]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the reference ended with code ${String(code)}`);
  });
  // It ends at the end, too, when nobody waits for an answer.
  ended.catch(() => {});
  const answer = async (): Promise<unknown> => {
    const [message]: unknown[] = await Promise.race([once(child, 'message'), ended]);
    return message;
  };
  await answer();
  return {
    decode: (requests) => {
      child.send(requests);
      // The cast holds for what the child sends.
      return answer() as Promise<Decoded>;
    },
    stop: () => child.disconnect(),
  };
}
