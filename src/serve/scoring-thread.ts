/**
 * The scoring thread: does what the main thread sends, in order, and scores what is due. The log and its store are behind a side of its own
 * (`one-machine/sqlite-scoring.ts`, `cluster/postgres-scoring.ts`); everything else is here, once.
 *
 *   taking      commands wait --> one transaction --> answered, or tried again until the store takes it
 *   scoring     what is due without a command; now and then, old data are removed
 *   detecting   a round of regression detection whenever one is due
 *   duties      judges, results, evaluations: while this instance is the one that does them
 *
 * Nothing is answered before it is durable. A crash loses nothing that was answered; the rest is sent again by the main thread.
 */
import path from 'node:path';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { JudgeScheduler } from '../ask/judge-scheduler.ts';
import { SharedCheckWatch } from '../engine/check-watch.ts';
import { DetectionOwner, type HistoryCommand } from '../engine/detection/detection-owner.ts';
import { runningSuites } from '../engine/detection/running-suites.ts';
import { Engine } from '../engine/engine.ts';
import { judgeOf } from '../engine/judging-start.ts';
import { checkedTruth } from '../engine/truth-files.ts';
import { collectAfterStart } from '../model/garbage-collection.ts';
import type { RunningSuite } from '../model/history-learning.ts';
import { OtlpSender } from '../report/results/otlp-sender.ts';
import { loadSuites } from '../score/load-suites.ts';
import { archiveSideOf } from './archiving/archive-side.ts';
import { ArchiveRelay } from './archiving/archive-relay.ts';
import { Foreteller } from './estimate/learned-predictions.ts';
import { NoJudge } from './scoring/no-judge.ts';
import { ResultRelay } from './scoring/result-relay.ts';
import type { FromScorer, OrderedCommand, ThreadStart, ToScorer } from './scoring/scoring-protocol.ts';
import type { DutyLoop, ScoringParts, ScoringSide } from './scoring/scoring-side.ts';
import { takeStep } from './forgetting/forgetting.ts';
import { carryOut } from './scoring/store-writes.ts';
import { RETRY_PAUSE_MS } from './threads/retry-pause.ts';

const IDLE_MS = 100;
/** A transaction costs milliseconds, whatever it holds. Commands that follow one within this time share the next. */
const TAKE_EVERY_MS = 100;
/** So many do not wait for others. */
const TAKE_AT_ONCE = 64;
const TIDY_EVERY_MS = 60_000;

class ScoringThread {
  readonly #side: ScoringSide;
  readonly #foreteller: Foreteller;
  readonly #port: MessagePort;
  readonly #detection: DetectionOwner | undefined;
  readonly #duties: readonly DutyLoop[];
  readonly #waiting: OrderedCommand[] = [];
  #arrived = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  #isOnDuty = false;
  /** Duties start and stop one after the other, so that one that is being stopped has ended before it starts again. */
  #switched: Promise<void> = Promise.resolve();

  constructor({ side, running, foreteller }: OpenSide, start: ThreadStart, port: MessagePort) {
    this.#side = side;
    this.#foreteller = foreteller;
    this.#port = port;
    this.#detection =
      start.detection === undefined
        ? undefined
        : new DetectionOwner(start.detection, (message) => this.#post(message), running);
    this.#duties = [...dutiesOf(start, side, (message) => this.#post(message)), ...side.duties];
  }

  async run(): Promise<void> {
    const { floor } = this.#side;
    this.#port.on('message', (message: ToScorer) => this.#receive(message));
    this.#post({ type: 'ready', totals: this.#side.totals(), floor });
    await Promise.all([this.#taking(), this.#scoring(), this.#detecting()]);
    this.#setDuty(false);
    await this.#switched;
    await this.#side.close();
    this.#post({ type: 'stopped' });
    this.#port.close();
  }

  #receive(message: ToScorer): void {
    switch (message.type) {
      case 'turn':
      case 'time':
        this.#waiting.push(message);
        break;
      case 'question':
        void this.#answer(message);
        break;
      case 'delivered':
        this.#detection?.delivered(message.delivered);
        break;
      case 'accept':
        this.#detection?.accept(message);
        break;
      case 'history':
        void this.#history(message);
        break;
      case 'put':
        void carryOut(this.#side.store, message).then((answer) => this.#post(answer));
        break;
      case 'forget':
        void takeStep(this.#side.forgetting, message).then((answer) => this.#post(answer));
        break;
      case 'foretell':
        this.#foreteller.learned(message.predictions);
        break;
      case 'duty':
        this.#setDuty(message.on);
        break;
      case 'stop':
        this.#stopping.abort();
        break;
    }
    this.#arrived.resolve();
  }

  async #taking(): Promise<void> {
    let takenAt = Number.NEGATIVE_INFINITY;
    while (!this.#isStopping || this.#waiting.length > 0) {
      if (this.#waiting.length === 0) {
        this.#arrived = Promise.withResolvers();
        await this.#arrived.promise;
      }
      // Commands that have arrived by now share a transaction.
      await nextTick();
      if (this.#waiting.length === 0) continue;
      if (this.#waiting.length < TAKE_AT_ONCE) await this.#pause(takenAt + TAKE_EVERY_MS - performance.now());
      const isTaken = await this.#orRetry('take', async () => {
        await this.#side.take(this.#waiting);
        return true;
      });
      takenAt = performance.now();
      // The commands are read again from their log at the next start.
      if (isTaken !== true && this.#isStopping) return;
    }
  }

  async #scoring(): Promise<void> {
    let tidiedAt = performance.now();
    while (!this.#isStopping) {
      const found = await this.#orRetry('score', () => this.#side.scoreDue());
      if (found === undefined) continue;
      if (!found) await this.#idle();
      if (performance.now() - tidiedAt < TIDY_EVERY_MS) continue;
      tidiedAt = performance.now();
      // Tidying shares the problem of scoring: the next scoring that succeeds ends it, long before the next tidying.
      await this.#orRetry('score', () => this.#side.tidy());
    }
  }

  async #detecting(): Promise<void> {
    const detection = this.#detection;
    if (detection === undefined) return;
    while (!this.#isStopping) {
      const { scoredTo, store } = this.#side;
      const isOurs = this.#isOnDuty && scoredTo !== undefined && detection.isDue;
      // Another instance that is asked, too, waits for the lock and finds a newer state.
      if (isOurs || detection.isAsked) await detection.round(store.detection, scoredTo ?? 0);
      else await this.#idle();
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Stores the part's questions before the part counts; after a crash between the two they are stored again. */
  async #history(command: HistoryCommand): Promise<void> {
    const { questions } = command.part;
    const isPut = await this.#orRetry('learn', async () => {
      if (questions !== undefined) await this.#side.store.questions.askBeside(questions, Date.now());
      return true;
    });
    if (isPut === true) this.#detection?.history(command);
  }

  async #idle(): Promise<void> {
    await this.#pause(IDLE_MS);
  }

  /** Ends at once when the thread is to stop. */
  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#isStopping) return;
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  async #answer({ id, question }: Extract<ToScorer, { type: 'question' }>): Promise<void> {
    let answer: Awaited<ReturnType<ScoringSide['answer']>> | undefined;
    // The next thread is asked again.
    while (answer === undefined && !this.#isStopping)
      answer = await this.#orRetry(question.ask, () => this.#side.answer(question));
    if (answer !== undefined) this.#post({ type: 'answer', id, answer });
  }

  /** Undefined, after a pause, if it failed. */
  async #orRetry<T>(work: string, attempt: () => Promise<T>): Promise<T | undefined> {
    const { troubles } = this.#side;
    try {
      const result = await attempt();
      troubles.over(work);
      return result;
    } catch (error) {
      troubles.said(work, error);
      await sleep(RETRY_PAUSE_MS);
      return undefined;
    }
  }

  #setDuty(on: boolean): void {
    this.#isOnDuty = on;
    this.#switched = this.#switched.then(async () => {
      if (on) for (const duty of this.#duties) duty.start();
      else await Promise.all(this.#duties.map((duty) => duty.stop()));
    });
  }

  #post(message: FromScorer): void {
    this.#port.postMessage(message);
  }
}

function dutiesOf(
  start: ThreadStart,
  { store, troubles }: ScoringSide,
  post: ScoringParts['post'],
): readonly DutyLoop[] {
  const onEvent = (event: Extract<FromScorer, { type: 'events' }>['events'][number]) =>
    post({ type: 'events', events: [event] });
  const asks = { questions: store.questions, onEvent };
  const judges =
    start.judging === undefined
      ? new NoJudge({ ...asks, troubles })
      : new JudgeScheduler({ ...start.judging, ...asks });
  const { results, archive } = start;
  return [
    judges,
    ...(results === undefined
      ? []
      : [new ResultRelay({ store: store.results, sender: new OtlpSender(results), onEvent })]),
    ...(archive === undefined
      ? []
      : [new ArchiveRelay({ ...archive, store: store.archive, side: archiveSideOf(archive), onEvent })]),
  ];
}

interface OpenSide {
  readonly side: ScoringSide;
  readonly running: readonly RunningSuite[];
  readonly foreteller: Foreteller;
}

async function openSide(start: ThreadStart, post: ScoringParts['post']): Promise<OpenSide> {
  const { suites, shadows, mistakes } = await loadSuites(start.suites, {
    baseDir: start.suitesBaseDirectory,
    builtinDir: path.resolve(import.meta.dirname, '../../suites'),
    shadows: start.shadowSuites,
    handOverTools: start.settings.conversation.handOverTools,
    exporters: start.exporters,
    tools: start.tools,
  });
  // The main thread has checked them before it started this one.
  if (mistakes.length > 0) throw new Error(`the suites changed while Assay was running: ${mistakes.length} mistakes`);
  const { settings, storage } = start;
  const watch = new SharedCheckWatch(start.watch, start.stopped);
  const judge = judgeOf(start.judging);
  const running = runningSuites(suites, { judge, segment: settings.metrics.segment });
  const common = {
    settings,
    suites: [...suites, ...shadows],
    truth: checkedTruth(settings.truth),
    judge,
    watch,
  };
  const foreteller = new Foreteller();
  const { foretell } = foreteller;
  const parts: ScoringParts = {
    makeEngine: (store, onEvent) => new Engine({ ...common, foretell, store, onEvent }),
    idKeys: settings.conversation.idKeys,
    post,
  };
  if (storage.kind === 'one-machine') {
    const { SqliteScoring } = await import('./one-machine/sqlite-scoring.ts');
    return { side: new SqliteScoring(storage, parts), running, foreteller };
  }
  const { PostgresScoring } = await import('./cluster/postgres-scoring.ts');
  return { side: await PostgresScoring.open(storage, parts), running, foreteller };
}

const port = parentPort;
if (port === null) throw new Error('the scoring thread was started as a program');
// The cast holds because `scorer.ts` is the only one that starts this thread.
const start = workerData as ThreadStart;
const opened = await openSide(start, (message) => port.postMessage(message));
collectAfterStart();
await new ScoringThread(opened, start, port).run();
