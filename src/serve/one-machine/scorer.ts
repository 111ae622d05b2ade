/**
 * The main thread's end of the scoring thread: sends commands in the order of the log, keeps each until it is durable,
 * and sends them again when the thread had to be ended or has died (`watched-thread.ts`).
 *
 *   running  -- the thread was started again -------------> running (everything unanswered is sent again)
 *   running  -- a transaction failed ---------------------> paused (a second), then everything is sent again
 *   any      -- stop -------------------------------------> stopped, when all that was sent is stored
 *
 * What waits is bounded by the journal: it refuses new data when too much is waiting.
 */
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import type { JudgeEvent } from '../../model/events/judge-events.ts';
import type { ResultEvent } from '../../model/events/result-events.ts';
import type { ScoringEvent, TurnFate } from '../../model/events/scoring-events.ts';
import type { Total } from '../../store/engine-store.ts';
import type { AcceptCommand, DetectionMessage } from '../../engine/detection/detection-owner.ts';
import type { PutCommand, PutMessage } from '../store-writes.ts';
import type { Settled } from '../../engine/detection/detection-rounds.ts';
import { CommandWindow } from '../command-window.ts';
import { type FromScorer, packTurn, type ScorerStart, type ToScorer } from './scorer-protocol.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import { WatchedThread } from '../watched-thread.ts';

/** What may be another after a reload. */
export interface Scoring {
  readonly start: Omit<ScorerStart, 'watch' | 'stopped'>;
  readonly suites: readonly SuiteOutline[];
  readonly checkTimeoutMs: number;
}

export interface ScorerOptions extends Scoring {
  /** A turn is stored; its rows in the journal may go. */
  readonly onStored: (turn: ClosedTurn, fate: TurnFate) => void;
  readonly onTotals: (totals: readonly Total[]) => void;
  readonly onEvent: (event: ScoringEvent | ResultEvent) => void;
  readonly onDetection: (message: DetectionMessage) => void;
  readonly onPut: (message: PutMessage) => void;
  readonly onJudge: (event: JudgeEvent) => void;
}

type Command =
  | { readonly type: 'close'; readonly sequence: number; readonly turn: ClosedTurn }
  | { readonly type: 'advance'; readonly sequence: number; readonly logTime: number }
  | { readonly type: 'prune'; readonly sequence: number };
type Ready = Extract<FromScorer, { type: 'ready' }>;

const RETRY_AFTER_MS = 1000;

export class Scorer {
  readonly #options: ScorerOptions;
  readonly #thread: WatchedThread<ToScorer, FromScorer>;
  readonly #commands = new CommandWindow<Command>((command) => this.#send(command));
  #turnsWaiting = 0;
  #firstReady: Ready | undefined;
  #state: 'running' | 'stopping' | 'stopped' = 'running';
  #retry: NodeJS.Timeout | undefined;
  readonly #whenStopped = Promise.withResolvers<void>();

  private constructor(options: ScorerOptions) {
    this.#options = options;
    this.#thread = new WatchedThread({
      module: 'scorer-thread',
      from: import.meta.url,
      data: options.start,
      suites: options.suites,
      checkTimeoutMs: options.checkTimeoutMs,
      onMessage: (message) => this.#receive(message),
      onEnded: () => this.#ended(),
      onEvent: options.onEvent,
    });
  }

  /** Starts the thread and waits until the store is open. */
  static async start(options: ScorerOptions): Promise<{ scorer: Scorer; ready: Ready }> {
    const scorer = new Scorer(options);
    await scorer.#thread.start();
    const ready = scorer.#firstReady;
    if (ready === undefined) throw new Error('the scoring thread is ready and has not said so');
    return { scorer, ready };
  }

  /** Turns that are closed and not stored yet. */
  get turnsWaiting(): number {
    return this.#turnsWaiting;
  }

  /** The log time of the oldest turn that waits to be scored. */
  get oldestWaiting(): number | undefined {
    const { first } = this.#commands;
    if (first === undefined) return undefined;
    if (first.type === 'close') return first.turn.closedAt;
    return first.type === 'advance' ? first.logTime : undefined;
  }

  /** How long there has been work and no progress, in milliseconds. */
  get stalledMs(): number {
    return this.#commands.stalledMs;
  }

  close(turn: ClosedTurn): void {
    if (this.#state === 'running') this.#turnsWaiting += 1;
    this.#enqueue({ type: 'close', sequence: this.#commands.nextSequence(), turn });
  }

  advance(logTime: number): void {
    const last = this.#commands.lastWaiting;
    // Time that has not been sent yet is overtaken by later time.
    if (last?.type === 'advance') this.#commands.replaceLast({ ...last, logTime });
    else this.#enqueue({ type: 'advance', sequence: this.#commands.nextSequence(), logTime });
  }

  prune(): void {
    this.#enqueue({ type: 'prune', sequence: this.#commands.nextSequence() });
  }

  /** A webhook has had a notice. */
  settled(settled: Settled): void {
    if (this.#thread.isReady && this.#state === 'running') this.#thread.post({ type: 'settled', settled });
  }

  /** The thread does what it was sent, and another begins with these. Resolves when it has. */
  async replace({ start, suites, checkTimeoutMs }: Scoring): Promise<void> {
    if (this.#state === 'running')
      await this.#thread.replace({ data: start, suites, checkTimeoutMs }, { type: 'stop' });
  }

  /** Of a person. False where nobody hears it. */
  tell(command: AcceptCommand | PutCommand): boolean {
    const isHeard = this.#thread.isReady && this.#state === 'running';
    if (isHeard) this.#thread.post(command);
    return isHeard;
  }

  /** Finishes what was sent. What still waits stays in the journal and comes again at the next start. */
  async stop(): Promise<void> {
    if (this.#state === 'running') {
      this.#state = 'stopping';
      this.#commands.removeWaiting(() => true);
      if (this.#thread.expectEnd()) this.#thread.post({ type: 'stop' });
      else this.#ended();
    }
    await this.#whenStopped.promise;
  }

  #enqueue(command: Command): void {
    if (this.#state !== 'running') return;
    this.#commands.push(command);
    this.#pump();
  }

  #pump(): void {
    if (this.#thread.isReady && this.#state === 'running' && this.#retry === undefined) this.#commands.pump();
  }

  #send(command: Command): void {
    if (command.type === 'close') {
      const turn = packTurn(command.turn);
      this.#thread.post({ ...command, turn }, [turn.rows.buffer]);
    } else this.#thread.post(command);
  }

  #sendAgain(): void {
    this.#commands.takeBack();
    this.#pump();
    // The thread forgot what was on its way, the word to stop as well.
    if (this.#state === 'stopping') this.#thread.post({ type: 'stop' });
  }

  #receive(message: FromScorer): void {
    switch (message.type) {
      case 'ready':
        this.#firstReady ??= message;
        this.#options.onTotals(message.totals);
        // A new thread was sent nothing yet, so nothing is sent twice.
        clearTimeout(this.#retry);
        this.#retry = undefined;
        this.#sendAgain();
        return;
      case 'committed':
        this.#committed(message);
        return;
      case 'failed':
        this.#options.onEvent({ type: 'scorer-failed', error: message.error });
        this.#retry = setTimeout(() => {
          this.#retry = undefined;
          if (this.#state === 'stopped') return;
          this.#thread.post({ type: 'resume' });
          this.#sendAgain();
        }, RETRY_AFTER_MS);
        return;
      case 'pruned':
        this.#options.onEvent({ type: 'store-pruned', conversations: message.conversations, bytes: message.bytes });
        return;
      case 'detected':
      case 'detection-accepted':
      case 'detection-event':
        this.#options.onDetection(message);
        return;
      case 'put':
        this.#options.onPut(message);
        return;
      case 'result-event':
        this.#options.onEvent(message.event);
        return;
      case 'judge-event':
        this.#options.onJudge(message.event);
        return;
      case 'stopped':
        // Else it makes room for another.
        if (this.#state !== 'running') this.#ended();
        return;
    }
  }

  #committed(message: Extract<FromScorer, { type: 'committed' }>): void {
    let turns = 0;
    for (const command of this.#commands.answered(message.sequence)) {
      if (command.type !== 'close') continue;
      this.#turnsWaiting -= 1;
      const fate = message.fates[turns];
      turns += 1;
      if (fate !== undefined) this.#options.onStored(command.turn, fate);
    }
    this.#options.onTotals(message.totals);
    for (const event of message.events) this.#options.onEvent(event);
    if (turns > 0) this.#options.onEvent({ type: 'scorer-committed', turns, tookMs: message.tookMs });
    this.#pump();
  }

  #ended(): void {
    this.#state = 'stopped';
    this.#thread.stopWatching();
    this.#whenStopped.resolve();
  }
}
