/**
 * The main thread's end of the thread that files and judges: sends what lanes closed, in order, keeps it until it is filed, and
 * starts the thread again when a check had to be stopped or the thread has died.
 *
 *   starting -- ready ------------------------------------> running
 *   running  -- a check ran past its limit, or it died ---> starting (everything unanswered is sent again)
 *   any      -- stop -------------------------------------> stopped, when all that was sent is filed
 *
 * At most `WINDOW` commands are with the thread at a time. What waits is bounded by the lanes, which read no further when too
 * much is waiting.
 */
import { Worker } from 'node:worker_threads';
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import type { ClusterEvent } from '../../model/events/cluster-events.ts';
import type { ScoringEvent } from '../../model/events/scoring-events.ts';
import type { TraceId } from '../../model/ids.ts';
import type { CompiledSuite } from '../../score/suite.ts';
import type { LaneName, LanePositions, OwnedLane } from '../../store/cluster-store.ts';
import type { Total } from '../../store/engine-store.ts';
import { CheckWatchdog } from '../check-watchdog.ts';
import { packTurn } from '../messages.ts';
import type { Answer, ClusterStart, FromCluster, Question, TimeCommand, ToCluster } from './cluster-messages.ts';

export interface ClusterWorkerOptions {
  readonly start: Omit<ClusterStart, 'watch' | 'stopped'>;
  readonly suites: readonly CompiledSuite[];
  readonly checkTimeoutMs: number;
  readonly onFiled: (lane: OwnedLane, turn: ClosedTurn) => void;
  readonly onFenced: (lane: OwnedLane) => void;
  readonly onTotals: (totals: readonly Total[]) => void;
  readonly onClusterTime: (time: number) => void;
  readonly onEvent: (event: ScoringEvent | ClusterEvent) => void;
}

interface WaitingTurn {
  readonly type: 'file';
  readonly sequence: number;
  readonly lane: OwnedLane;
  readonly turn: ClosedTurn;
  readonly positions: LanePositions;
  readonly spoolEnd: number;
}
type Command = WaitingTurn | TimeCommand;

interface Asked {
  readonly question: Question;
  readonly answered: PromiseWithResolvers<Answer>;
}

const WINDOW = 512;
const RETRY_AFTER_MS = 1000;
const WATCH_EVERY_MS = 50;
/** Sliding a long array forward is cheaper in large steps. */
const SLIDE_FROM = 1024;

export class ClusterWorker {
  readonly #options: ClusterWorkerOptions;
  readonly #checks: CheckWatchdog;
  #worker: Worker | undefined;
  /** Sent, not answered; then not sent yet. Both in order. */
  #sent: Command[] = [];
  #waiting: Command[] = [];
  #waitingHead = 0;
  /** Who waits until the thread has answered up to a sequence. */
  #forgotten: { readonly sequence: number; readonly resolve: () => void }[] = [];
  readonly #asked = new Map<number, Asked>();
  #sequence = 0;
  #turnsWaiting = 0;
  #isReady = false;
  #isRelay = false;
  #state: 'running' | 'stopping' | 'stopped' = 'running';
  #watchdog: NodeJS.Timeout | undefined;
  readonly #whenStopped = Promise.withResolvers<void>();
  #lastProgressAt = performance.now();

  private constructor(options: ClusterWorkerOptions) {
    this.#options = options;
    this.#checks = new CheckWatchdog(options);
  }

  /** Starts the thread and waits until the store is open. */
  static async start(options: ClusterWorkerOptions): Promise<ClusterWorker> {
    const worker = new ClusterWorker(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.#spawn({ onReady: resolve, onFailure: reject });
    await promise;
    worker.#watchdog = setInterval(() => worker.#watchChecks(), WATCH_EVERY_MS);
    worker.#watchdog.unref();
    return worker;
  }

  /** Turns that are closed and not filed yet. */
  get turnsWaiting(): number {
    return this.#turnsWaiting;
  }

  /** How long there has been work and no progress, in milliseconds. */
  get stalledMs(): number {
    const isIdle = this.#sent.length === 0 && this.#waitingHead === this.#waiting.length;
    return isIdle ? 0 : performance.now() - this.#lastProgressAt;
  }

  async own(lanes: readonly LaneName[], all: readonly LaneName[]): Promise<readonly OwnedLane[]> {
    const answer = await this.#ask({ ask: 'own', lanes, all });
    if (!('lanes' in answer)) throw new Error('cluster thread: it answered another question');
    return answer.lanes;
  }

  async filedPositions(lane: LaneName, traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, LanePositions>> {
    const answer = await this.#ask({ ask: 'filed', lane, traceIds });
    if (!('filed' in answer)) throw new Error('cluster thread: it answered another question');
    return new Map(answer.filed);
  }

  file(
    lane: OwnedLane,
    turn: ClosedTurn,
    place: { readonly positions: LanePositions; readonly spoolEnd: number },
  ): void {
    if (this.#state !== 'running') return;
    this.#turnsWaiting += 1;
    this.#enqueue({ type: 'file', sequence: this.#nextSequence(), lane, turn, ...place });
  }

  time(lane: OwnedLane, time: number, positions: LanePositions): void {
    const last = this.#waitingHead < this.#waiting.length ? this.#waiting.at(-1) : undefined;
    // Time that has not been sent yet is overtaken by later time.
    if (last?.type === 'time' && last.lane === lane)
      this.#waiting[this.#waiting.length - 1] = { ...last, time, positions };
    else this.#enqueue({ type: 'time', sequence: this.#nextSequence(), lane, time, positions });
  }

  /**
   * The lane is lost: what of it has not been sent yet is not filed. Resolves once the thread has answered what was sent, and so reads none of
   * the lane's bytes any more, not even after a restart.
   */
  forget(lane: OwnedLane): Promise<void> {
    const waiting = this.#waiting.slice(this.#waitingHead);
    this.#waiting = waiting.filter((command) => command.lane !== lane);
    this.#waitingHead = 0;
    this.#turnsWaiting -= waiting.filter((command) => command.lane === lane && command.type === 'file').length;
    this.#pump();
    const last = this.#sent.findLast((command) => command.lane === lane);
    if (last === undefined || this.#state === 'stopped') return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#forgotten.push({ sequence: last.sequence, resolve });
    return promise;
  }

  /** Whether this instance is the one that sends evaluations. */
  relay(on: boolean): void {
    this.#isRelay = on;
    if (this.#isReady) this.#post({ type: 'relay', on });
  }

  /** Files what was sent. What still waits is read again by whoever has the lane next. */
  async stop(): Promise<void> {
    if (this.#state === 'running') {
      this.#state = 'stopping';
      if (this.#worker === undefined) this.#ended();
      else if (this.#isReady) this.#pump();
    }
    await this.#whenStopped.promise;
  }

  /** Without waiting for the store. */
  async abandon(): Promise<void> {
    this.#state = 'stopped';
    await this.#worker?.terminate();
    this.#ended();
  }

  #nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  #enqueue(command: Command): void {
    if (this.#state !== 'running') return;
    if (this.stalledMs === 0) this.#lastProgressAt = performance.now();
    this.#waiting.push(command);
    this.#pump();
  }

  #ask(question: Question): Promise<Answer> {
    const id = this.#nextSequence();
    const answered = Promise.withResolvers<Answer>();
    this.#asked.set(id, { question, answered });
    if (this.#isReady) this.#post({ type: 'question', id, question });
    return answered.promise;
  }

  #pump(): void {
    if (!this.#isReady || this.#state === 'stopped') return;
    while (this.#sent.length < WINDOW) {
      const command = this.#waiting[this.#waitingHead];
      if (command === undefined) break;
      this.#waitingHead += 1;
      this.#sent.push(command);
      this.#send(command);
    }
    if (this.#waitingHead > SLIDE_FROM && this.#waitingHead * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#waitingHead);
      this.#waitingHead = 0;
    }
    if (this.#state === 'stopping' && this.#waitingHead === this.#waiting.length) this.#post({ type: 'stop' });
  }

  #send(command: Command): void {
    if (command.type === 'time') {
      this.#post(command);
      return;
    }
    const turn = packTurn(command.turn);
    this.#worker?.postMessage({ ...command, turn } satisfies ToCluster, [turn.rows.buffer]);
  }

  #post(message: ToCluster): void {
    this.#worker?.postMessage(message);
  }

  #spawn(first?: { readonly onReady: () => void; readonly onFailure: (error: Error) => void }): void {
    this.#isReady = false;
    const data: ClusterStart = { ...this.#options.start, ...this.#checks.nextThread() };
    const worker = new Worker(threadUrl(), { workerData: data });
    this.#worker = worker;
    let failure: Error | undefined;
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.on('exit', (code) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      if (this.#state !== 'running') {
        this.#ended();
        return;
      }
      const error = failure ?? new Error(`the thread that judges ended with code ${code}`);
      if (first !== undefined && !this.#isReady) {
        first.onFailure(error);
        return;
      }
      this.#options.onEvent({ type: 'scorer-failed', error: String(error.stack ?? error) });
      setTimeout(() => {
        if (this.#state === 'stopped') return;
        this.#spawn();
      }, RETRY_AFTER_MS);
    });
    worker.on('message', (message: FromCluster) => {
      if (this.#worker !== worker) return;
      this.#receive(message);
      if (message.type === 'ready') first?.onReady();
    });
  }

  #receive(message: FromCluster): void {
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#options.onTotals(message.totals);
        for (const [id, { question }] of this.#asked) this.#post({ type: 'question', id, question });
        if (this.#isRelay) this.#post({ type: 'relay', on: true });
        for (const command of this.#sent) this.#send(command);
        this.#pump();
        return;
      case 'filed':
        this.#filed(message);
        return;
      case 'judged':
        this.#options.onTotals(message.totals);
        for (const event of message.events) this.#options.onEvent(event);
        this.#options.onEvent({
          type: 'conversations-judged',
          conversations: message.conversations,
          arrivals: message.arrivals,
          tookMs: message.tookMs,
        });
        return;
      case 'sent':
        this.#options.onEvent({ type: 'evaluations-sent', evaluations: message.evaluations });
        return;
      case 'cluster-time':
        this.#options.onClusterTime(message.time);
        return;
      case 'answer':
        this.#asked.get(message.id)?.answered.resolve(message.answer);
        this.#asked.delete(message.id);
        return;
      case 'problem':
        this.#options.onEvent({ type: 'store-problem', problem: message.problem });
        return;
      case 'stopped':
        this.#ended();
        return;
    }
  }

  #filed(message: Extract<FromCluster, { type: 'filed' }>): void {
    this.#lastProgressAt = performance.now();
    const isFenced = (lane: OwnedLane) =>
      message.fenced.some((other) => other.lane === lane.lane && other.epoch === lane.epoch);
    const done: WaitingTurn[] = [];
    let count = 0;
    const fenced = new Set<OwnedLane>();
    for (const command of this.#sent) {
      if (command.sequence > message.sequence) break;
      count += 1;
      if (isFenced(command.lane)) fenced.add(command.lane);
      if (command.type !== 'file') continue;
      this.#turnsWaiting -= 1;
      done.push(command);
    }
    this.#sent = this.#sent.slice(count);
    for (const { lane, turn } of done) if (!fenced.has(lane)) this.#options.onFiled(lane, turn);
    for (const lane of fenced) this.#options.onFenced(lane);
    this.#answeredTo(message.sequence);
    const { arrivals, tookMs } = message;
    if (arrivals > 0) this.#options.onEvent({ type: 'arrivals-filed', arrivals, tookMs });
    this.#pump();
  }

  #watchChecks(): void {
    const worker = this.#worker;
    if (worker === undefined || this.#state === 'stopped') return;
    const hanging = this.#checks.takeHanging();
    if (hanging === undefined) return;
    const { suite, criterion, suspended, because } = hanging;
    this.#options.onEvent({ type: 'check-stopped', suite, criterion, suspended });
    this.#worker = undefined;
    this.#isReady = false;
    // Its connections go with it, and with them what it had locked.
    worker
      .terminate()
      .then(() => this.#spawn())
      .catch((error: unknown) => this.#options.onEvent({ type: 'scorer-failed', error: String(error) }));
    this.#options.onEvent({ type: 'scorer-restarted', because });
  }

  #answeredTo(sequence: number): void {
    const answered = this.#forgotten.filter((one) => one.sequence <= sequence);
    this.#forgotten = this.#forgotten.filter((one) => one.sequence > sequence);
    for (const { resolve } of answered) resolve();
  }

  #ended(): void {
    this.#state = 'stopped';
    this.#answeredTo(Number.POSITIVE_INFINITY);
    clearInterval(this.#watchdog);
    this.#whenStopped.resolve();
  }
}

/** Source runs as `.ts`, the published package as `.js`. */
function threadUrl(): URL {
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./cluster-thread.${suffix}`, import.meta.url);
}
