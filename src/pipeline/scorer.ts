/**
 * The main thread's end of the scoring thread: sends commands in the order of the log, keeps each until it is durable,
 * and starts the thread again when it had to be ended or has died.
 *
 *   starting -- ready ------------------------------------> running
 *   running  -- a check ran past its limit, or it died ---> starting (everything unanswered is sent again)
 *   running  -- a transaction failed ---------------------> paused (a second), then everything is sent again
 *   any      -- stop -------------------------------------> stopped, when all that was sent is stored
 *
 * At most `WINDOW` commands are with the thread at a time; the rest waits here. What waits is bounded by the journal: it
 * refuses new data when too much is waiting.
 */
import { Worker } from 'node:worker_threads';
import type { ClosedTurn } from '../assemble/open-turns.ts';
import type { CompiledSuite } from '../score/suite.ts';
import type { Total } from '../store/engine-store.ts';
import { CheckWatchdog } from './check-watchdog.ts';
import type { ScoringEvent, TurnFate } from '../model/events/scoring-events.ts';
import { type FromScorer, packTurn, type ScorerStart, type ToScorer } from './messages.ts';

export interface ScorerOptions {
  readonly start: Omit<ScorerStart, 'watch' | 'stopped'>;
  readonly suites: readonly CompiledSuite[];
  readonly checkTimeoutMs: number;
  /** A turn is stored; its rows in the journal may go. */
  readonly onStored: (turn: ClosedTurn, fate: TurnFate) => void;
  readonly onTotals: (totals: readonly Total[]) => void;
  readonly onEvent: (event: ScoringEvent) => void;
}

type Command =
  | { readonly type: 'close'; readonly sequence: number; readonly turn: ClosedTurn }
  | { readonly type: 'advance'; readonly sequence: number; readonly logTime: number }
  | { readonly type: 'prune'; readonly sequence: number };

const WINDOW = 512;
const RETRY_AFTER_MS = 1000;
const WATCH_EVERY_MS = 50;
export class Scorer {
  readonly #options: ScorerOptions;
  #worker: Worker | undefined;
  readonly #checks: CheckWatchdog;
  /** Sent, not answered; then not sent yet. Both in order. */
  #sent: Command[] = [];
  #waiting: Command[] = [];
  #waitingHead = 0;
  #sequence = 0;
  #turnsWaiting = 0;
  #ready = false;
  #state: 'running' | 'stopping' | 'stopped' = 'running';
  #watchdog: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #whenStopped = Promise.withResolvers<void>();
  #lastProgressAt = performance.now();

  private constructor(options: ScorerOptions) {
    this.#options = options;
    this.#checks = new CheckWatchdog(options);
  }

  /** Starts the thread and waits until the store is open. */
  static async start(
    options: ScorerOptions,
  ): Promise<{ scorer: Scorer; ready: Extract<FromScorer, { type: 'ready' }> }> {
    const scorer = new Scorer(options);
    const { promise, resolve, reject } = Promise.withResolvers<Extract<FromScorer, { type: 'ready' }>>();
    scorer.#spawn({ onFirstReady: resolve, onFailure: reject });
    const ready = await promise;
    scorer.#watchdog = setInterval(() => scorer.#watchChecks(), WATCH_EVERY_MS);
    scorer.#watchdog.unref();
    return { scorer, ready };
  }

  /** Turns that are closed and not stored yet. */
  get turnsWaiting(): number {
    return this.#turnsWaiting;
  }

  /** Commands that are not done yet. */
  get backlog(): number {
    return this.#sent.length + this.#waiting.length - this.#waitingHead;
  }

  /** The log time of the oldest turn that waits to be scored. */
  get oldestWaiting(): number | undefined {
    const first = this.#sent[0] ?? this.#waiting[this.#waitingHead];
    if (first === undefined) return undefined;
    if (first.type === 'close') return first.turn.closedAt;
    return first.type === 'advance' ? first.logTime : undefined;
  }

  /** How long there has been work and no progress, in milliseconds. */
  get stalledMs(): number {
    return this.backlog === 0 ? 0 : performance.now() - this.#lastProgressAt;
  }

  close(turn: ClosedTurn): void {
    if (this.#state === 'running') this.#turnsWaiting += 1;
    this.#enqueue({ type: 'close', sequence: this.#nextSequence(), turn });
  }

  advance(logTime: number): void {
    const last = this.#waitingHead < this.#waiting.length ? this.#waiting.at(-1) : undefined;
    // Time that has not been sent yet is overtaken by later time.
    if (last?.type === 'advance') this.#waiting[this.#waiting.length - 1] = { ...last, logTime };
    else this.#enqueue({ type: 'advance', sequence: this.#nextSequence(), logTime });
  }

  prune(): void {
    this.#enqueue({ type: 'prune', sequence: this.#nextSequence() });
  }

  /** Finishes what was sent. What still waits stays in the journal and comes again at the next start. */
  async stop(): Promise<void> {
    if (this.#state === 'running') {
      this.#state = 'stopping';
      this.#waiting = [];
      this.#waitingHead = 0;
      if (this.#worker === undefined) this.#ended();
      else this.#post({ type: 'stop' });
    }
    await this.#whenStopped.promise;
  }

  #nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  #enqueue(command: Command): void {
    if (this.#state !== 'running') return;
    if (this.backlog === 0) this.#lastProgressAt = performance.now();
    this.#waiting.push(command);
    this.#pump();
  }

  #pump(): void {
    if (!this.#ready || this.#state !== 'running' || this.#retry !== undefined) return;
    while (this.#sent.length < WINDOW) {
      const command = this.#waiting[this.#waitingHead];
      if (command === undefined) break;
      this.#waitingHead += 1;
      this.#sent.push(command);
      this.#send(command);
    }
    // Sliding a long array forward is cheaper in large steps.
    if (this.#waitingHead > 1024 && this.#waitingHead * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#waitingHead);
      this.#waitingHead = 0;
    }
  }

  #send(command: Command): void {
    if (command.type === 'close') {
      const turn = packTurn(command.turn);
      this.#worker?.postMessage({ ...command, turn } satisfies ToScorer, [turn.rows.buffer]);
    } else this.#post(command);
  }

  #post(message: ToScorer): void {
    this.#worker?.postMessage(message);
  }

  #spawn(first?: {
    readonly onFirstReady: (ready: Extract<FromScorer, { type: 'ready' }>) => void;
    readonly onFailure: (error: Error) => void;
  }): void {
    this.#ready = false;
    const data: ScorerStart = { ...this.#options.start, ...this.#checks.nextThread() };
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
      const error = failure ?? new Error(`the scoring thread ended with code ${code}`);
      if (first !== undefined && !this.#ready) {
        first.onFailure(error);
        return;
      }
      this.#options.onEvent({ type: 'scorer-failed', error: String(error.stack ?? error) });
      this.#pause(() => this.#spawn());
    });
    worker.on('message', (message: FromScorer) => {
      if (this.#worker !== worker) return;
      if (message.type === 'ready') first?.onFirstReady(message);
      this.#receive(message);
    });
  }

  #receive(message: FromScorer): void {
    switch (message.type) {
      case 'ready':
        this.#ready = true;
        this.#options.onTotals(message.totals);
        for (const command of this.#sent) this.#send(command);
        this.#pump();
        if (this.#state === 'stopping') this.#post({ type: 'stop' });
        return;
      case 'committed':
        this.#committed(message);
        return;
      case 'failed':
        this.#options.onEvent({ type: 'scorer-failed', error: message.error });
        this.#pause(() => {
          this.#post({ type: 'resume' });
          for (const command of this.#sent) this.#send(command);
          this.#pump();
          // The thread forgot what was on its way, the word to stop as well.
          if (this.#state === 'stopping') this.#post({ type: 'stop' });
        });
        return;
      case 'pruned':
        this.#options.onEvent({ type: 'store-pruned', conversations: message.conversations, bytes: message.bytes });
        return;
      case 'stopped':
        this.#ended();
        return;
    }
  }

  #committed(message: Extract<FromScorer, { type: 'committed' }>): void {
    this.#lastProgressAt = performance.now();
    let done = 0;
    let turns = 0;
    for (const command of this.#sent) {
      if (command.sequence > message.sequence) break;
      done += 1;
      if (command.type !== 'close') continue;
      this.#turnsWaiting -= 1;
      const fate = message.fates[turns];
      turns += 1;
      if (fate !== undefined) this.#options.onStored(command.turn, fate);
    }
    this.#sent = this.#sent.slice(done);
    this.#options.onTotals(message.totals);
    for (const event of message.events) this.#options.onEvent(event);
    if (turns > 0) this.#options.onEvent({ type: 'scorer-committed', turns, tookMs: message.tookMs });
    this.#pump();
  }

  #pause(then: () => void): void {
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (this.#state !== 'stopped') then();
    }, RETRY_AFTER_MS);
  }

  #watchChecks(): void {
    const worker = this.#worker;
    if (worker === undefined || this.#state === 'stopped') return;
    const hanging = this.#checks.takeHanging();
    if (hanging === undefined) return;
    const { suite, criterion, suspended, because } = hanging;
    this.#options.onEvent({ type: 'check-stopped', suite, criterion, suspended });
    this.#worker = undefined;
    // Its store rolls the open transaction back when the thread goes.
    worker
      .terminate()
      .then(() => this.#spawn())
      .catch((error: unknown) => this.#options.onEvent({ type: 'scorer-failed', error: String(error) }));
    this.#options.onEvent({ type: 'scorer-restarted', because });
  }

  #ended(): void {
    this.#state = 'stopped';
    clearInterval(this.#watchdog);
    this.#whenStopped.resolve();
  }
}

/** Source runs as `.ts`, the published package as `.js`. */
function threadUrl(): URL {
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./scorer-thread.${suffix}`, import.meta.url);
}
