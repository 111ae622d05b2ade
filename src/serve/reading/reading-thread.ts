/**
 * The thread that reads the store for people, dashboards and the service's own rounds. It has a connection of its own,
 * never writes, and answers one message after the other. The thread that receives spans pays nothing of what a
 * read costs.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { likenessOf } from '../criteria/likeness-of.ts';
import { calibrationOf } from '../calibration-of.ts';
import { type ConversationApi, conversationApi } from '../api/conversation-api.ts';
import { type ReadSide, STORE_READS } from '../api/store-reads.ts';
import { describeDetection } from '../detection/describe-detection.ts';
import { evidenceOf } from '../detection/detection-evidence.ts';
import { storedTraits } from '../detection/stored-traits.ts';
import { readerAt, type ServiceReader } from '../open-reader.ts';
import { yieldToOthers } from '../yield-to-others.ts';
import type { Question } from '../../report/http/route.ts';
import { unreachable } from '../../model/unreachable.ts';
import type {
  FromReading,
  OwnJob,
  OwnResults,
  ReadAnswer,
  ReadingStart,
  ReadingState,
  RouteJob,
  ToReading,
} from './reading-protocol.ts';

const NOTHING_YET: ReadingState = { suites: [], detection: { isActive: false, report: undefined } };

class StoreReads {
  readonly #reader: ServiceReader;
  readonly #conversations: ConversationApi;
  readonly #post: (message: FromReading, transfer?: readonly ArrayBuffer[]) => void;
  #state = NOTHING_YET;

  constructor(reader: ServiceReader, post: (message: FromReading, transfer?: readonly ArrayBuffer[]) => void) {
    this.#reader = reader;
    this.#conversations = conversationApi(reader);
    this.#post = post;
  }

  /** Never rejects. */
  async read({ id, job, changed }: Extract<ToReading, { type: 'read' }>): Promise<void> {
    this.#state = { ...this.#state, ...changed };
    try {
      if (job.what !== 'route') {
        this.#post({ type: 'done', id, result: await this.#own(job) });
        return;
      }
      const answer = await this.#answer(job);
      this.#post({ type: 'answered', id, answer }, [answer.body.buffer]);
    } catch (error) {
      this.#post({ type: 'failed', id, error: textOf(error) });
    }
  }

  async #answer({ path, query, parameters }: RouteJob): Promise<ReadAnswer> {
    const route = STORE_READS.find((one) => one.path === path);
    if (route === undefined) throw new Error(`no read of the store is at ${path}`);
    const question: Question = { query: new URLSearchParams(query), parameters: new Map(parameters) };
    const { body, ...rest } = await route.handle(this.#side(), question);
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body);
    return { ...rest, body: bytes };
  }

  #side(): ReadSide {
    const { suites, detection, prices = [] } = this.#state;
    return {
      reader: this.#reader,
      onDamage: (damage) => this.#post({ type: 'damaged', ...damage }),
      conversations: this.#conversations,
      suites: () => suites,
      detectionState: () => detection,
      prices,
      detection: () =>
        describeDetection(detection, this.#conversations, storedTraits(this.#reader), (error) =>
          this.#post({ type: 'left-out', what: 'evidence', error: textOf(error) }),
        ),
    };
  }

  #own(job: OwnJob): Promise<OwnResults[OwnJob['what']]> {
    switch (job.what) {
      case 'evidence':
        return evidenceOf(job.of, this.#conversations, storedTraits(this.#reader));
      case 'likeness':
        return likenessOf(this.#reader, this.#state.suites);
      case 'calibration':
        return calibrationOf(this.#reader);
      default:
        return unreachable(job);
    }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const port = parentPort;
if (port !== null) {
  const post = (message: FromReading, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);
  // The casts hold because `store-reading.ts` is the only one that starts this thread and posts to it.
  const reader = await readerAt((workerData as ReadingStart).store);
  const reads = new StoreReads(reader, post);
  port.on('message', (message: ToReading) => {
    if (message.type === 'read') void reads.read(message);
    else {
      port.close();
      void (async () => reader.close())().catch(() => undefined);
    }
  });
  yieldToOthers('the reading thread');
  post({ type: 'ready' });
}
