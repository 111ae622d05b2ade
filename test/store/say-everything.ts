/** Asks a store for each statement of what people and judges write, so that its plan can be looked at. */
import { readingOf } from '../../src/model/readings.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import type { JudgeRequest } from '../../src/model/judging.ts';
import type { ArchiveStore } from '../../src/store/archive-store.ts';
import type { DetectionStore } from '../../src/store/detection-store.ts';
import type { FeedbackStore } from '../../src/store/feedback-store.ts';
import type { LabelStore } from '../../src/store/label-store.ts';
import type { FailureStore } from '../../src/store/failure-store.ts';
import type { ReadingStore } from '../../src/store/reading-store.ts';
import type { QuestionStore } from '../../src/store/question-store.ts';
import type { ResultStore } from '../../src/store/result-store.ts';
import type { TruthStore } from '../../src/store/truth-store.ts';

interface Written {
  readonly labels: LabelStore;
  readonly readings: ReadingStore;
  readonly failures: FailureStore;
  readonly truths: TruthStore;
  readonly feedbackRows: FeedbackStore;
  readonly questions: QuestionStore;
  readonly detection: DetectionStore;
  readonly results: ResultStore;
  readonly archive: ArchiveStore;
}

const LIMITS = { hourNanos: 1e12, dayNanos: 1e12 };
const AT = 3_600_000;

/** The conversation is there, has an evaluation, and is this row. */
export async function sayEverything(store: Written, conversationId: ConversationId, row: number): Promise<void> {
  const thing = { conversationId, turnId: undefined, suite: 's', criterion: 'c', by: 'ann', note: undefined };
  await store.labels.put([{ ...thing, label: 'pass' }]);
  const outcome = { conversationId, label: 'refund', value: undefined, case: undefined };
  await store.readings.unknown([conversationId]);
  await store.readings.put([readingOf({ ...outcome, isGood: true })]);
  await store.readings.put([readingOf({ ...outcome, isGood: undefined })]);
  const read = {
    conversationId,
    by: 'ann',
    isCertain: false,
    value: undefined,
    case: undefined,
    firstWrong: undefined,
  };
  await store.readings.put([{ ...read, source: 'person', answer: 'bad', note: 'n', kind: 'k' }]);
  await store.readings.put([{ ...read, source: 'person', answer: 'bad', note: 'm' }]);
  await store.failures.give([{ conversationId, by: 'ann', kind: 'l' }]);
  await store.failures.change({ agent: 'a', kind: 'l', by: 'ann', state: 'mended' });
  await store.failures.change({ agent: 'a', kind: 'l', by: 'ann', into: 'm' });
  await store.failures.give([{ conversationId, by: 'ann', kind: 'n' }]);
  await store.failures.change({ agent: 'a', kind: 'm', by: 'ann', into: 'n' });
  await store.readings.put([{ ...read, source: 'person', answer: 'withdrawn', note: undefined }]);
  await store.truths.put(conversationId, { status: 'solved' });
  await store.truths.put(conversationId, undefined);
  const feedback = [{ conversationId, id: 'f', at: 1, name: 'thumbs', user: 'u' } as never];
  await store.feedbackRows.put(feedback);
  await store.feedbackRows.stored(feedback);
  await askEverything(store.questions, row);
  await store.detection.round(10, () => new Uint8Array([1]));
  await store.results.take({ limit: 10, keep: 100 });
  await store.results.forget([1]);
  await archiveEverything(store.archive);
}

async function askEverything(questions: QuestionStore, row: number): Promise<void> {
  const request = (key: string) => ({ key, judge: 'default', priority: 1 }) as JudgeRequest;
  const [asked, other] = [request('0a'), request('0b')];
  await questions.askBeside([{ conversation: row, request: asked }], AT);
  await questions.waiting('default', 10);
  await questions.overdue({ judge: 'default', before: AT, keep: 0, limit: 10 });
  await questions.countWaiting();
  const reservation = await questions.reserve({ key: asked.key, nanos: 1, at: AT, limits: LIMITS });
  const ended = { key: asked.key, nanos: 1, at: AT };
  if (reservation.reserved)
    await questions.record({ ...ended, call: reservation.call, vote: { verdict: 'pass' } } as never);
  await questions.end([{ key: asked.key, outcome: { is: 'failed' } as never }], AT);
  // One that failed is asked again, and the other is not waited for any more.
  await questions.askBeside([{ conversation: row, request: other }], AT);
  await questions.askBeside(
    [
      { conversation: row, request: asked },
      { conversation: row, request: other },
    ],
    AT,
  );
  await questions.askBeside([{ conversation: row, request: asked }], AT);
  await questions.askBeside([], AT);
  await questions.spent(AT);
  await questions.forget({ answeredAt: AT, spentAt: AT });
}

/** At least one conversation waits for the archive. */
async function archiveEverything(archive: ArchiveStore): Promise<void> {
  await archive.lease('one', 60_000);
  const options = { name: 'b', limit: 10, now: Date.now(), everyMs: 0 };
  const { batch } = await archive.plan(options);
  await archive.release('b', batch?.conversations ?? []);
  await archive.plan(options);
  await archive.keep('one', { name: 'b', day: 1, keys: Buffer.alloc(0) });
  await archive.adopt([
    { name: 'c', day: 1, keys: Buffer.alloc(8) },
    { name: 'd', day: 1, keys: Buffer.alloc(8) },
  ]);
  await archive.kept({ after: '', limit: 10 });
  await archive.rewritten({ name: 'c', day: 1, keys: Buffer.alloc(16) });
  await archive.alsoForget(['0a']);
  await archive.forgotten(await archive.forgets(10));
  await archive.toForget();
  await archive.endLease('one');
}
