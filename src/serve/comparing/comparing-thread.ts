/**
 * The thread that compares experiments and versions. It reads the folder of the experiments and, by a connection of its
 * own, the store; it never writes. It answers one message after the other.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { COMPARING_READS } from '../api/v1/comparing-reads.ts';
import { answerAsked } from '../threads/answer-asked.ts';
import type { FromAsked } from '../threads/asked-thread.ts';
import { readerAt } from '../store-place/open-reader.ts';
import type { ReadAnswer } from '../reading/reading-protocol.ts';
import type { ComparingStart, SentComparison } from './comparing-protocol.ts';
import { KeptResults } from '../api/v1/kept-results.ts';

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
    const { suites, ...side } = parts;
    const { body, ...rest } = await route.handle(
      { reader, suites: () => suites, results, ...side },
      { query: new URLSearchParams(query), parameters: new Map(parameters) },
    );
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body);
    post({ type: 'replied', id, reply: { ...rest, body: bytes } }, [bytes.buffer]);
  };

  answerAsked<SentComparison>(port, { name: 'the thread that compares', answer, close: () => reader.close() });
}
