/**
 * Writes that people make through the API: the main thread hands each to the thread that has the store, which writes it
 * in its own transaction. An answered write is committed; a client without an answer retries, which changes nothing.
 */
import type { Settings } from '../../config/settings.ts';
import type { FeedbackFate } from '../../model/events/scoring-events.ts';
import type { GivenKind, KindChange } from '../../model/named-kinds.ts';
import type { Feedback } from '../../model/feedback.ts';
import type { Json } from '../../model/json.ts';
import type { StoredLabel } from '../../model/labels.ts';
import type { SaidReading } from '../../model/readings.ts';
import type { FeedbackStore, StoredFeedback } from '../../store/feedback-store.ts';
import type { LabelStore } from '../../store/label-store.ts';
import type { FailureStore } from '../../store/failure-store.ts';
import type { ReadingStore } from '../../store/reading-store.ts';
import type { TruthStore } from '../../store/truth-store.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { AwaitedAnswers } from '../threads/awaited-answers.ts';
import type { ForgettingLog } from '../forgetting/forget.ts';
import { type ForgetCommand, Forgetting } from '../forgetting/forgetting.ts';

export type StoreWrite =
  | { readonly what: 'truth'; readonly conversation: string; readonly truth: Json | undefined }
  | { readonly what: 'labels'; readonly labels: readonly StoredLabel[] }
  | { readonly what: 'feedback'; readonly feedback: readonly Feedback[] }
  | { readonly what: 'readings'; readonly readings: readonly SaidReading[] }
  | { readonly what: 'kinds'; readonly kinds: readonly GivenKind[] }
  | { readonly what: 'kind'; readonly change: KindChange };

export interface PutCommand {
  readonly type: 'put';
  readonly id: number;
  readonly write: StoreWrite;
}

/** `changed`: how much of it was not known before. Each feedback has a fate; `stored` is what is known of it under its id. */
export type PutAnswer =
  | {
      readonly changed: number;
      readonly fates?: readonly FeedbackFate[];
      readonly stored?: readonly StoredFeedback[];
      /** Readings of conversations that are not here: kept, as these may come. */
      readonly unknown?: number;
      /** It changes something that is not there, and nothing was changed. */
      readonly missing?: string;
    }
  | { readonly problem: string };

export interface PutMessage {
  readonly type: 'put';
  readonly id: number;
  readonly answer: PutAnswer;
}

/** The main thread's end. */
export class StoreWrites {
  readonly forgetting: Forgetting;
  readonly #answers = new AwaitedAnswers<PutAnswer>();
  readonly #thread: { tell(command: PutCommand): boolean };

  constructor(thread: { tell(command: PutCommand | ForgetCommand): boolean }) {
    this.#thread = thread;
    this.forgetting = new Forgetting(thread);
  }

  /** The log, from which forgotten conversations go as well. */
  openLog({ rewritten }: { readonly rewritten?: ForgettingLog }, settings: Settings): void {
    const { dataDir, experimentsDir, conversation } = settings;
    this.forgetting.open({ log: rewritten, dataDir, experimentsDir, idKeys: conversation.idKeys });
  }

  async put(write: StoreWrite): Promise<PutAnswer | Unavailable> {
    return this.#answers.ask((id) => this.#thread.tell({ type: 'put', id, write }));
  }

  receive({ id, answer }: PutMessage): void {
    this.#answers.answered(id, answer);
  }
}

/** Carries out a write on the scoring thread. Never rejects: a failure of the store is the answer. */
export async function carryOut(store: WrittenStore, { id, write }: PutCommand): Promise<PutMessage> {
  try {
    return { type: 'put', id, answer: await answerOf(store, write) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { type: 'put', id, answer: { problem: `the store did not take it: ${problem}` } };
  }
}

interface WrittenStore {
  readonly truths: TruthStore;
  readonly feedbackRows: FeedbackStore;
  readonly labels: LabelStore;
  readonly readings: ReadingStore;
  readonly failures: FailureStore;
}

async function answerOf(store: WrittenStore, write: StoreWrite): Promise<PutAnswer> {
  switch (write.what) {
    case 'truth':
      return { changed: Number(await store.truths.put(write.conversation, write.truth)) };
    case 'labels':
      return { changed: await store.labels.put(write.labels) };
    case 'readings':
      return {
        changed: await store.readings.put(write.readings),
        unknown: await unknownAmong(store.readings, write.readings),
      };
    case 'kinds':
      return store.failures.give(write.kinds);
    case 'kind':
      return store.failures.change(write.change);
    case 'feedback': {
      const fates = await store.feedbackRows.put(write.feedback);
      const known = fates.includes('known') ? await store.feedbackRows.stored(write.feedback) : undefined;
      return {
        changed: fates.filter((fate) => fate === 'kept' || fate === 'waiting').length,
        fates,
        ...(known === undefined ? {} : { stored: known }),
      };
    }
  }
}

async function unknownAmong(store: ReadingStore, readings: readonly SaidReading[]): Promise<number> {
  const ids = readings.map(({ conversationId }) => conversationId);
  const unknown = await store.unknown(ids);
  return ids.filter((id) => unknown.has(id)).length;
}
