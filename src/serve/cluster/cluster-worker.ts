/**
 * The main thread's end of the thread that files and judges: sends what lanes closed, in order and with its bytes, keeps it until it is filed, and
 * sends it again when the thread had to be ended or has died (`watched-thread.ts`).
 *
 *   running  -- the thread was started again -------------> running (everything unanswered is sent and asked again)
 *   any      -- stop -------------------------------------> stopped, when all that was sent is filed
 *
 * What waits is bounded by the lanes, which read no further when too much is waiting.
 */
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import { JournalReader } from '../../journal/journal-reader.ts';
import type { ClusterEvent } from '../../model/events/cluster-events.ts';
import type { ResultEvent } from '../../model/events/result-events.ts';
import type { ScoringEvent } from '../../model/events/scoring-events.ts';
import type { TraceId } from '../../model/ids.ts';
import type { LaneName, LanePositions, OwnedLane } from '../../store/cluster-store.ts';
import type { Total } from '../../store/engine-store.ts';
import type { JudgeEvent } from '../../model/events/judge-events.ts';
import type { AcceptCommand, DetectionMessage } from '../../engine/detection/detection-owner.ts';
import type { PutCommand, PutMessage } from '../store-writes.ts';
import type { Settled } from '../../engine/detection/detection-rounds.ts';
import { CommandWindow } from '../command-window.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import { WatchedThread } from '../watched-thread.ts';
import { AheadOfTime } from './unscored-bytes.ts';
import { ArrivalMaker, type MadeArrival } from './arrival-maker.ts';
import type { Answer, ClusterStart, FromCluster, Question, TimeCommand, ToCluster } from './cluster-protocol.ts';

/** What may be another after a reload. */
export interface ClusterScoring {
  readonly start: Omit<ClusterStart, 'watch' | 'stopped'>;
  readonly suites: readonly SuiteOutline[];
  readonly checkTimeoutMs: number;
}

export interface ClusterWorkerOptions extends ClusterScoring {
  readonly spoolDirectory: string;
  readonly onFiled: (lane: OwnedLane, turn: ClosedTurn) => void;
  readonly onFenced: (lane: OwnedLane) => void;
  readonly onTotals: (totals: readonly Total[]) => void;
  readonly onClusterTime: (time: number) => void;
  readonly onEvent: (event: ScoringEvent | ClusterEvent | ResultEvent) => void;
  readonly onDetection: (message: DetectionMessage) => void;
  readonly onPut: (message: PutMessage) => void;
  readonly onJudge: (event: JudgeEvent) => void;
}

interface WaitingTurn {
  readonly type: 'file';
  readonly sequence: number;
  readonly lane: OwnedLane;
  readonly turn: ClosedTurn;
  readonly positions: LanePositions;
  /** The spool is complete to here. */
  readonly spoolEnd: number;
  readonly bytes: number;
}
type Command = WaitingTurn | TimeCommand;

interface Asked {
  readonly question: Question;
  readonly answered: PromiseWithResolvers<Answer>;
}

/** Making an arrival takes a tenth of a millisecond, of a large turn more; and thousands can close at one moment. */
const PUMP_AT_ONCE_MS = 10;

export class ClusterWorker {
  readonly #options: ClusterWorkerOptions;
  readonly #spool: JournalReader;
  #maker: ArrivalMaker;
  /** As the last filing saw it. Before the first, keys too many are better than many left for later. */
  #wantsKeys = true;
  #isToPump = false;
  readonly #thread: WatchedThread<ToCluster, FromCluster>;
  readonly #commands = new CommandWindow<Command>((command) => this.#send(command));
  /** Who waits until the thread has answered up to a sequence. */
  #forgotten: { readonly sequence: number; readonly resolve: () => void }[] = [];
  readonly #asked = new Map<number, Asked>();
  readonly #ahead = new AheadOfTime();
  #turnsWaiting = 0;
  #isRelay = false;
  /** What the thread has said and not taken back. */
  readonly #problems = new Set<'store-problem' | 'sending-problem'>();
  #state: 'running' | 'stopping' | 'stopped' = 'running';
  readonly #whenStopped = Promise.withResolvers<void>();

  private constructor(options: ClusterWorkerOptions) {
    this.#options = options;
    this.#spool = new JournalReader(options.spoolDirectory);
    this.#maker = this.#makerFor(options);
    this.#thread = new WatchedThread({
      module: 'cluster-thread',
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
  static async start(options: ClusterWorkerOptions): Promise<ClusterWorker> {
    const worker = new ClusterWorker(options);
    await worker.#thread.start();
    return worker;
  }

  /** Turns that are closed and not filed yet. */
  get turnsWaiting(): number {
    return this.#turnsWaiting;
  }

  /** Of turns that have closed here and that the cluster's time has not passed. */
  get bytesAhead(): number {
    return this.#ahead.bytes;
  }

  /** How long there has been work and no progress, in milliseconds. */
  get stalledMs(): number {
    return this.#commands.stalledMs;
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
    const bytes = turn.rows.reduce((sum, { length }) => sum + length, 0);
    this.#ahead.add(turn.closedAt, bytes);
    this.#enqueue({ type: 'file', sequence: this.#commands.nextSequence(), lane, turn, bytes, ...place });
  }

  time(lane: OwnedLane, time: number, positions: LanePositions): void {
    const last = this.#commands.lastWaiting;
    // Time that has not been sent yet is overtaken by later time.
    if (last?.type === 'time' && last.lane === lane) this.#commands.replaceLast({ ...last, time, positions });
    else this.#enqueue({ type: 'time', sequence: this.#commands.nextSequence(), lane, time, positions });
  }

  /**
   * The lane is lost: what of it has not been sent yet is not filed. Resolves once the thread has answered what was sent, and so reads none of
   * the lane's bytes any more, not even after a restart.
   */
  forget(lane: OwnedLane): Promise<void> {
    const removed = this.#commands.removeWaiting((command) => command.lane === lane);
    this.#turnsWaiting -= removed.filter(({ type }) => type === 'file').length;
    this.#pumpSoon();
    const last = this.#commands.findLastSent((command) => command.lane === lane);
    if (last === undefined || this.#state === 'stopped') return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#forgotten.push({ sequence: last.sequence, resolve });
    return promise;
  }

  /** A webhook has had a notice. */
  settled(settled: Settled): void {
    if (this.#thread.isReady) this.#thread.post({ type: 'settled', settled });
  }

  /** The thread does what it was sent, and another begins with these. Resolves when it has. */
  async replace(scoring: ClusterScoring): Promise<void> {
    if (this.#state !== 'running') return;
    const { start, suites, checkTimeoutMs } = scoring;
    this.#maker = this.#makerFor(scoring);
    await this.#thread.replace({ data: start, suites, checkTimeoutMs }, { type: 'stop' });
  }

  #makerFor({ start }: ClusterScoring): ArrivalMaker {
    const { idKeys } = start.settings.conversation;
    return new ArrivalMaker({ read: (position, length) => this.#spool.read(position, length), idKeys });
  }

  /** Of a person. False where nobody hears it. */
  tell(command: AcceptCommand | PutCommand): boolean {
    if (this.#thread.isReady) this.#thread.post(command);
    return this.#thread.isReady;
  }

  /** Whether this instance is the one that has the first lane: it sends evaluations, and looks for regressions. */
  relay(on: boolean): void {
    this.#isRelay = on;
    if (this.#thread.isReady) this.#thread.post({ type: 'relay', on });
  }

  /** Files what was sent. What still waits is read again by whoever has the lane next. */
  async stop(): Promise<void> {
    if (this.#state === 'running') {
      this.#state = 'stopping';
      if (this.#thread.expectEnd()) this.#pumpSoon();
      else this.#ended();
    }
    await this.#whenStopped.promise;
  }

  /** Without waiting for the store. */
  async abandon(): Promise<void> {
    this.#state = 'stopped';
    await this.#thread.terminate();
    this.#ended();
  }

  #enqueue(command: Command): void {
    if (this.#state !== 'running') return;
    this.#commands.push(command);
    this.#pumpSoon();
  }

  #ask(question: Question): Promise<Answer> {
    const id = this.#commands.nextSequence();
    const answered = Promise.withResolvers<Answer>();
    this.#asked.set(id, { question, answered });
    if (this.#thread.isReady) this.#thread.post({ type: 'question', id, question });
    return answered.promise;
  }

  /** Not at once: those that close at one moment are made in turns with everything else this thread has to do. */
  #pumpSoon(): void {
    if (this.#isToPump) return;
    this.#isToPump = true;
    setImmediate(() => {
      this.#isToPump = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (!this.#thread.isReady || this.#state === 'stopped') return;
    const since = performance.now();
    this.#commands.pump(() => performance.now() - since < PUMP_AT_ONCE_MS);
    if (this.#commands.hasNext) this.#pumpSoon();
    if (this.#state === 'stopping' && this.#commands.waiting === 0) this.#thread.post({ type: 'stop' });
  }

  #send(command: Command): void {
    if (command.type === 'time') {
      this.#thread.post(command);
      return;
    }
    const { sequence, lane, positions } = command;
    const head = { type: 'file', sequence, lane, positions } as const;
    const made = this.#tryMake(command);
    if ('unreadable' in made) this.#thread.post({ ...head, ...made });
    else this.#thread.post({ ...head, arrival: made }, buffersOf(made.content));
  }

  #tryMake({ turn, spoolEnd }: WaitingTurn): MadeArrival | { readonly unreadable: string } {
    try {
      this.#spool.completeTo(spoolEnd);
      return this.#maker.make(turn, { wantsKeys: this.#wantsKeys });
    } catch (error) {
      return { unreadable: error instanceof Error ? error.message : String(error) };
    }
  }

  #receive(message: FromCluster): void {
    switch (message.type) {
      case 'ready':
        // Those of the thread before, which can't say any more that they are over. This one has opened the store.
        for (const type of this.#problems) this.#problem(type, undefined);
        this.#options.onTotals(message.totals);
        for (const [id, { question }] of this.#asked) this.#thread.post({ type: 'question', id, question });
        if (this.#isRelay) this.#thread.post({ type: 'relay', on: true });
        this.#commands.takeBack();
        this.#pumpSoon();
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
      case 'result-event':
        this.#options.onEvent(message.event);
        return;
      case 'cluster-time':
        this.#ahead.passed(message.time);
        this.#options.onClusterTime(message.time);
        return;
      case 'detected':
      case 'detection-accepted':
      case 'detection-event':
        this.#options.onDetection(message);
        return;
      case 'judge-event':
        this.#options.onJudge(message.event);
        return;
      case 'put':
        this.#options.onPut(message);
        return;
      case 'answer':
        this.#asked.get(message.id)?.answered.resolve(message.answer);
        this.#asked.delete(message.id);
        return;
      case 'problem':
        this.#problem('store-problem', message.problem);
        return;
      case 'sending-problem':
        this.#problem('sending-problem', message.problem);
        return;
      case 'stopped':
        // Else it makes room for another.
        if (this.#state !== 'running') this.#ended();
        return;
    }
  }

  #problem(type: 'store-problem' | 'sending-problem', problem: string | undefined): void {
    if (problem === undefined) this.#problems.delete(type);
    else this.#problems.add(type);
    this.#options.onEvent({ type, problem });
  }

  #filed(message: Extract<FromCluster, { type: 'filed' }>): void {
    const isFenced = (lane: OwnedLane) =>
      message.fenced.some((other) => other.lane === lane.lane && other.epoch === lane.epoch);
    const done: WaitingTurn[] = [];
    const fenced = new Set<OwnedLane>();
    for (const command of this.#commands.answered(message.sequence)) {
      if (isFenced(command.lane)) fenced.add(command.lane);
      if (command.type !== 'file') continue;
      this.#turnsWaiting -= 1;
      done.push(command);
    }
    for (const { lane, turn } of done) if (!fenced.has(lane)) this.#options.onFiled(lane, turn);
    for (const lane of fenced) this.#options.onFenced(lane);
    this.#answeredTo(message.sequence);
    const { arrivals, tookMs, wantsKeys } = message;
    this.#wantsKeys = wantsKeys;
    if (arrivals > 0) this.#options.onEvent({ type: 'arrivals-filed', arrivals, tookMs });
    this.#pumpSoon();
  }

  #answeredTo(sequence: number): void {
    const answered = this.#forgotten.filter((one) => one.sequence <= sequence);
    this.#forgotten = this.#forgotten.filter((one) => one.sequence > sequence);
    for (const { resolve } of answered) resolve();
  }

  #ended(): void {
    this.#state = 'stopped';
    this.#answeredTo(Number.POSITIVE_INFINITY);
    this.#thread.stopWatching();
    this.#spool.close();
    this.#whenStopped.resolve();
  }
}

/** They are the arrival's alone, and move to the thread instead of being copied. */
function buffersOf({ traces, logs }: MadeArrival['content']): ArrayBuffer[] {
  return [traces, logs].flatMap((bytes) => (bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : []));
}
