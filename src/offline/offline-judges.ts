/**
 * Judges for recorded data: the queues of the online service, on a store of their own. Many recordings can be scored
 * with the same ones, at once or one after the other; they share the budget, the pace and the answers.
 *
 * The difference from the service is patience. Nobody waits for an hour to pass so that there is money again, nor for a
 * judge that is down until somebody has mended it, nor for one whose answers can't be read: what waits then ends, for
 * that reason.
 *
 *   waiting   in the recording's store, since it was scored without the answer
 *   known     from an earlier command or the service: its outcome is in the recording's store, and nobody is asked
 *   asked     in the store here as well, until its outcome is there
 *   ended     the outcome is in the recording's store, and the recording can be scored again; an answer is kept for later commands
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AllQuestions, JudgeScheduler } from '../ask/judge-scheduler.ts';
import { QUEUE_TIMES, type QueueTimes } from '../ask/judge-queue.ts';
import type { Settings } from '../config/settings.ts';
import type { CallResult, JudgeEvent } from '../model/events/judge-events.ts';
import type { JudgeFailure, JudgeOutcome, JudgeRequest } from '../model/judging.ts';
import type { Judges } from '../score/suite/judges.ts';
import { Store } from '../store/sqlite/store.ts';
import { type JudgingStart, judgeOf, judgingStart } from '../engine/judging-start.ts';

interface OfflineJudgesParts {
  readonly settings: Pick<Settings, 'judging' | 'store'>;
  /** Without it, nothing is known from before, and nothing is kept. */
  readonly answers?: KnownAnswers | undefined;
  readonly onEvent: (event: JudgeEvent) => void;
  readonly times?: QueueTimes;
}

/** Answers that outlive the command. Nothing here may throw. They are closed with the judges. */
export interface KnownAnswers {
  find(key: string): Promise<JudgeOutcome | undefined>;
  keep(key: string, outcome: JudgeOutcome): void;
  close(): Promise<void>;
}

export interface QuestionCounts {
  /** Times that an answer was wanted. */
  readonly wanted: number;
  /** How many of these needed no call to a judge. */
  readonly reused: number;
  /** Questions that were new, each once. */
  readonly asked: number;
  readonly answered: number;
  /** Ended without an answer. */
  readonly failed: number;
}

interface EndedQuestion {
  readonly key: string;
  readonly outcome: JudgeOutcome;
}

/** A recording that waits for a question. */
interface Waiting {
  readonly waiter: number;
  readonly request: JudgeRequest;
  readonly ended: (outcome: JudgeOutcome) => void;
  readonly abandoned: (error: Error) => void;
}

/** Short: somebody sits before the screen. */
const TIMES: QueueTimes = { ...QUEUE_TIMES, idleMs: 100 };
const QUESTIONS_MAX = 1_000_000;
/** No time mends these. */
const HOPELESS: ReadonlySet<JudgeFailure> = new Set(['authentication', 'quota']);
/** Nor these, where a judge has done nothing else for so many calls. */
const UNREADABLE: ReadonlySet<CallResult> = new Set(['bad-answer', 'bad-request']);
const UNREADABLE_MAX = 20;

export class OfflineJudges {
  /** Answers what scoring asks about a judge. */
  readonly settings: Judges['settings'];
  readonly #start: JudgingStart;
  readonly #onEvent: (event: JudgeEvent) => void;
  readonly #directory: string;
  readonly #store: Store;
  readonly #asking: JudgeScheduler;
  readonly #waiting = new Map<string, Set<Waiting>>();
  /** Since when judges are stopped. */
  readonly #stoppedSince = new Map<string, number>();
  readonly #givenUp = new Map<string, JudgeOutcome>();
  readonly #answers: KnownAnswers | undefined;
  /** Calls in a row that came to nothing readable, of judges that have said nothing else; Infinity of one that has. */
  readonly #unreadable = new Map<string, number>();
  readonly #counts = { wanted: 0, asked: 0, answered: 0, failed: 0 };
  /** Calls whose price is not known yet. */
  #openCalls = 0;
  #lastWaiter = 0;

  private constructor(start: JudgingStart, { answers, onEvent, times = TIMES }: OfflineJudgesParts) {
    this.#start = start;
    this.#answers = answers;
    this.#onEvent = onEvent;
    this.settings = judgeOf(start);
    this.#directory = mkdtempSync(path.join(tmpdir(), 'assay-'));
    this.#store = Store.open(path.join(this.#directory, 'judges.db'), { durable: false });
    this.#asking = new JudgeScheduler({
      judges: start.judges,
      // Behind others it may wait for as long as they take.
      rules: { ...start.rules, limitMs: Number.POSITIVE_INFINITY },
      questions: this.#questions(),
      onEvent: (event) => this.#hear(event),
      onEnded: (keys) => this.#tell(keys),
      times,
    });
    this.#asking.start();
  }

  /** Undefined where no judge is configured. */
  static start(parts: OfflineJudgesParts): OfflineJudges | undefined {
    const start = judgingStart(parts.settings);
    return start === undefined ? undefined : new OfflineJudges(start, parts);
  }

  /** Puts the outcome of every question that waits in the store into it. False where there was none. */
  async answer(store: Store): Promise<boolean> {
    const requests = [...store.questions.countWaiting().keys()].flatMap((judge) =>
      store.questions.waiting(judge, QUESTIONS_MAX).map(({ request }) => request),
    );
    if (requests.length === 0) return false;
    store.questions.end(await this.ask(requests), Date.now());
    return true;
  }

  /** Result of each question, in the order of the questions. */
  async ask(requests: readonly JudgeRequest[]): Promise<readonly EndedQuestion[]> {
    this.#counts.wanted += requests.length;
    const known = new Map<string, JudgeOutcome>();
    for (const { key } of requests) {
      const outcome = await this.#answers?.find(key);
      if (outcome !== undefined) known.set(key, outcome);
    }
    const ended = await this.#askUnknown(requests.filter(({ key }) => !known.has(key)));
    for (const { key, outcome } of ended) known.set(key, outcome);
    return requests.map(({ key }) => {
      const outcome = known.get(key);
      if (outcome === undefined) throw new Error('judges: a question was asked and has no outcome');
      return { key, outcome };
    });
  }

  get counts(): QuestionCounts {
    return { ...this.#counts, reused: Math.max(0, this.#counts.wanted - this.#counts.asked) };
  }

  async #askUnknown(requests: readonly JudgeRequest[]): Promise<readonly EndedQuestion[]> {
    if (requests.length === 0) return [];
    const waiter = ++this.#lastWaiter;
    this.#store.begin();
    this.#store.questions.waitFor(waiter, requests, Date.now());
    this.#store.commit();
    const outcomes = requests.map((request) => this.#outcomeOf(request, waiter));
    this.#asking.wake();
    const ends = await Promise.all(outcomes);
    this.#store.begin();
    this.#store.questions.leave(waiter);
    this.#store.commit();
    return ends;
  }

  /** Calls under way may end, for a while. Callers that still wait for an answer get an error. */
  async close(): Promise<void> {
    await this.#asking.stop();
    for (const waiting of this.#waiting.values())
      for (const { abandoned } of waiting) abandoned(new Error('the judges are not asked any more'));
    this.#waiting.clear();
    this.#store.close();
    rmSync(this.#directory, { recursive: true, force: true });
    await this.#answers?.close();
  }

  async #outcomeOf(request: JudgeRequest, waiter: number): Promise<EndedQuestion> {
    const { key, judge } = request;
    const known = this.#store.questions.outcomeOf(key, waiter);
    if (known !== 'waiting') return { key, outcome: known };
    const hopeless = this.#givenUp.get(judge);
    const { promise, resolve, reject } = Promise.withResolvers<JudgeOutcome>();
    const others = this.#waiting.get(key) ?? new Set();
    if (others.size === 0) this.#counts.asked += 1;
    others.add({ waiter, request, ended: resolve, abandoned: reject });
    this.#waiting.set(key, others);
    if (hopeless !== undefined) this.#endAll([request], hopeless);
    return { key, outcome: await promise };
  }

  #tell(keys: readonly string[]): void {
    for (const key of keys) {
      const waiting = [...(this.#waiting.get(key) ?? [])];
      for (const [index, { waiter, ended }] of waiting.entries()) {
        const outcome = this.#store.questions.outcomeOf(key, waiter);
        if (outcome === 'waiting') throw new Error('a question has ended and has no outcome');
        if (index === 0) this.#count(key, outcome);
        ended(outcome);
      }
      this.#waiting.delete(key);
    }
  }

  /** Kept at once: what the rest of the command comes to makes no difference to it. */
  #count(key: string, outcome: JudgeOutcome): void {
    this.#counts[outcome.is === 'answered' ? 'answered' : 'failed'] += 1;
    if (outcome.is === 'answered') this.#answers?.keep(key, outcome);
  }

  #questions(): AllQuestions {
    const { questions } = this.#store;
    return {
      waiting: (judge, limit) => questions.waiting(judge, limit),
      overdue: (overdue) => questions.overdue(overdue),
      countWaiting: () => questions.countWaiting(),
      spent: (at) => questions.spent(at),
      forget: (before) => questions.forget(before),
      end: (ends, at) => questions.end(ends, at),
      reserve: (call) => {
        const reservation = questions.reserve(call);
        if (reservation.reserved) this.#openCalls += 1;
        // While calls are under way, some of their reserved budget may be released.
        else if (this.#openCalls === 0) this.#endUnpaid(call.key, reservation.exhausted);
        return reservation;
      },
      record: (call) => {
        questions.record(call);
        this.#openCalls -= 1;
      },
    };
  }

  /** The budget does not cover even the most important question of this judge. */
  #endUnpaid(key: string, window: 'hour' | 'day'): void {
    // A probe has no evaluation that waits for it.
    const [first] = this.#waiting.get(key) ?? [];
    if (first === undefined) return;
    const reason = `The budget of the ${window} is spent.`;
    this.#endAll(this.#requestsTo(first.request.judge), { is: 'left-out', because: 'over-budget', reason });
  }

  #hear(event: JudgeEvent): void {
    if (event.type === 'judge-resumed') this.#stoppedSince.delete(event.judge);
    else if (event.type === 'judge-stopped') {
      const now = Date.now();
      const since = this.#stoppedSince.get(event.judge) ?? now;
      this.#stoppedSince.set(event.judge, since);
      const { judge, failure, reason } = event;
      const patienceMs = this.#start.judges.find(({ name }) => name === judge)?.deadlineMs ?? 0;
      if (HOPELESS.has(failure) || now + event.tryAgainMs > since + patienceMs)
        this.#giveUp(judge, { is: 'failed', failure, reason: `The judge is stopped: ${reason}` });
    } else if (event.type === 'judge-called') this.#hearCall(event);
    this.#onEvent(event);
  }

  #hearCall({ judge, result, reason }: Extract<JudgeEvent, { readonly type: 'judge-called' }>): void {
    const calls = (this.#unreadable.get(judge) ?? 0) + 1;
    this.#unreadable.set(judge, result === 'said' ? Number.POSITIVE_INFINITY : UNREADABLE.has(result) ? calls : 0);
    if (calls !== UNREADABLE_MAX || result === 'said' || !UNREADABLE.has(result)) return;
    const because = `Of ${calls} calls none came to an answer that can be read: ${reason}`;
    this.#giveUp(judge, { is: 'failed', failure: 'bad-answer', reason: because });
  }

  #giveUp(judge: string, outcome: JudgeOutcome): void {
    this.#givenUp.set(judge, outcome);
    this.#endAll(this.#requestsTo(judge), outcome);
  }

  #requestsTo(judge: string): readonly JudgeRequest[] {
    return [...this.#waiting.values()].flatMap((waiting) => {
      const [first] = waiting;
      return first?.request.judge === judge ? [first.request] : [];
    });
  }

  #endAll(requests: readonly JudgeRequest[], outcome: JudgeOutcome): void {
    const keys = requests.map(({ key }) => key);
    this.#store.questions.end(
      keys.map((key) => ({ key, outcome })),
      Date.now(),
    );
    this.#tell(keys);
  }
}
