/**
 * The thread that compares experiments and versions. It reads the folder of the experiments and, by a connection of its
 * own, the store; it never writes. It answers one message after the other.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { COMPARING_READS } from '../api/v1/comparing-reads.ts';
import type { FromAsked, ToAsked } from '../asked-thread.ts';
import { readerAt } from '../open-reader.ts';
import type { ReadAnswer } from '../reading/reading-protocol.ts';
import { yieldToOthers } from '../yield-to-others.ts';
import type { ComparingStart, SentComparison } from './comparing-protocol.ts';
import { KeptResults } from './kept-results.ts';

const port = parentPort;
if (port !== null) {
  const post = (message: FromAsked<ReadAnswer>, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);
  // The casts hold because `asked-thread.ts` is the only one that starts this thread and posts to it.
  const reader = await readerAt((workerData as ComparingStart).store);
  const results = new KeptResults();

  const answer = async (id: number, { path, query, parameters, ...parts }: SentComparison): Promise<void> => {
    results.forgetChanged();
    const route = COMPARING_READS.find((one) => one.path === path);
    if (route === undefined) throw new Error(`no comparison is at ${path}`);
    const { suites, experiments, idKeys } = parts;
    const { body, ...rest } = await route.handle(
      { reader, suites: () => suites, experiments, idKeys, results },
      { query: new URLSearchParams(query), parameters: new Map(parameters) },
    );
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body);
    post({ type: 'replied', id, reply: { ...rest, body: bytes } }, [bytes.buffer]);
  };

  port.on('message', (message: ToAsked<SentComparison>) => {
    if (message.type === 'ask') {
      const { id, sent } = message;
      void answer(id, sent).catch((error: unknown) =>
        post({ type: 'failed', id, error: error instanceof Error ? error.message : String(error) }),
      );
    } else {
      port.close();
      void (async () => reader.close())().catch(() => undefined);
    }
  });
  yieldToOthers('the thread that compares');
  post({ type: 'ready' });
}
