/**
 * The thread that reads the store for people, dashboards and the service's own rounds. It has a connection of its own,
 * never writes, and answers one message after the other. The thread that receives spans pays nothing of what a
 * read costs.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { calibrationOf } from '../criteria/calibration-of.ts';
import { learnedPredictions } from '../estimate/learned-predictions.ts';
import { shownEstimates } from '../estimate/shown-estimates.ts';
import { type ConversationApi, conversationApi } from '../api/conversation-api.ts';
import { type ReadSide, STORE_READS } from '../api/store-reads.ts';
import { describeDetection } from '../api/describe-detection.ts';
import { evidenceOf } from '../api/detection-evidence.ts';
import { storedTraits } from '../store-place/stored-traits.ts';
import { readerAt, type ServiceReader } from '../store-place/open-reader.ts';
import type { Question } from '../../report/http/route.ts';
import { collectAfterStart } from '../../model/garbage-collection.ts';
import { unreachable } from '../../model/unreachable.ts';
import { errorMessage } from '../../model/error-message.ts';
import { answerAsked } from '../threads/answer-asked.ts';
import type { FromAsked } from '../threads/asked-thread.ts';
import type {
  OwnJob,
  OwnResults,
  ReadAnswer,
  ReadingStart,
  ReadingState,
  ReadReply,
  RouteJob,
  SaidByReading,
  SentRead,
} from './reading-protocol.ts';

const NOTHING_YET: ReadingState = { suites: [], detection: { isActive: false, report: undefined } };

type Post = (message: FromAsked<ReadReply, never, SaidByReading>, transfer?: readonly ArrayBuffer[]) => void;

class StoreReads {
  readonly #reader: ServiceReader;
  readonly #conversations: ConversationApi;
  readonly #post: Post;
  #state = NOTHING_YET;

  constructor(reader: ServiceReader, post: Post) {
    this.#reader = reader;
    this.#conversations = conversationApi(reader);
    this.#post = post;
  }

  async read(id: number, { job, changed }: SentRead): Promise<void> {
    this.#state = { ...this.#state, ...changed };
    if (job.what !== 'route') {
      this.#post({ type: 'replied', id, reply: { to: 'service', result: await this.#own(job) } });
      return;
    }
    const answer = await this.#answer(job);
    this.#post({ type: 'replied', id, reply: { to: 'client', answer } }, [answer.body.buffer]);
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
      onDamage: (damage) => this.#post({ type: 'said', said: { type: 'content-damaged', ...damage } }),
      conversations: this.#conversations,
      suites: () => suites,
      detectionState: () => detection,
      prices,
      detection: () =>
        describeDetection(detection, this.#conversations, storedTraits(this.#reader), (error) =>
          this.#post({ type: 'said', said: { type: 'read-incomplete', what: 'evidence', error: errorMessage(error) } }),
        ),
    };
  }

  #own(job: OwnJob): Promise<OwnResults[OwnJob['what']]> {
    switch (job.what) {
      case 'evidence':
        return evidenceOf(job.of, this.#conversations, storedTraits(this.#reader));
      case 'calibration':
        return calibrationOf(this.#reader);
      case 'estimates':
        return shownEstimates(this.#reader);
      case 'predictions':
        return learnedPredictions(this.#reader, Date.now());
      default:
        return unreachable(job);
    }
  }
}

const port = parentPort;
if (port !== null) {
  // The casts hold because `asked-thread.ts` is the only one that starts this thread and posts to it.
  const reader = await readerAt((workerData as ReadingStart).store);
  const reads = new StoreReads(reader, (message, transfer = []) => port.postMessage(message, [...transfer]));
  answerAsked<SentRead>(port, {
    name: 'the reading thread',
    answer: (id, sent) => reads.read(id, sent),
    close: () => reader.close(),
  });
  collectAfterStart();
}
