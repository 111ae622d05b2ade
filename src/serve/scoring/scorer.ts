/**
 * The main thread's end of the scoring thread. Sends closed turns and time in the order of each log, keeps each command
 * until it is durable, and sends it again if the thread had to be ended or has died (`watched-thread.ts`).
 *
 *   idle     -- start ---------------------------> running
 *   running  -- the thread was started again ----> running (everything unanswered is sent and asked again)
 *   any      -- stop, or the drain limit --------> stopped
 *
 * The waiting commands are bounded by the logs: the journal refuses new data, and lanes read no further, when too many turns wait.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import type { AcceptCommand, HistoryCommand } from '../../engine/detection/detection-owner.ts';
import type { DeliveredNotice } from '../../engine/detection/detection-rounds.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { AnyEvent } from '../../model/events/any-event.ts';
import type { TraceId } from '../../model/ids.ts';
import type { LaneName, LanePositions, NamingTurn, OwnedLane } from '../../store/cluster-store.ts';
import type { Total } from '../../store/engine-store.ts';
import type { LogFloor } from '../../store/sqlite/store.ts';
import { CommandWindow } from './command-window.ts';
import type { DetectionMonitor } from '../detection/detection-monitor.ts';
import type {
  LaneAnswer,
  FromScorer,
  LaneQuestion,
  ScoringWork,
  TimeCommand,
  ToScorer,
  TurnCommand,
} from './scoring-protocol.ts';
import type { CheckLimits } from '../threads/check-watchdog.ts';
import type { AgentPrediction } from '../estimate/learned-predictions.ts';
import type { ForgetCommand } from '../forgetting/forgetting.ts';
import type { PutCommand, StoreWrites } from './store-writes.ts';
import type { PackedTurn } from './turn-packer.ts';
import { WatchedThread } from '../threads/watched-thread.ts';

/** Parts that a reload can change. */
export interface Scoring {
  readonly work: ScoringWork;
  readonly suites: readonly SuiteOutline[];
  readonly checks: CheckLimits;
}

/** How a stop treats the commands that have not been sent, and how long it may take. */
export interface Draining {
  readonly waiting: 'is dropped' | 'is sent';
  readonly limitMs: number;
}

/** Objects that the thread's messages go to. */
interface Recipients {
  readonly events: { report(event: AnyEvent): void };
  readonly totals: readonly { update(totals: readonly Total[]): void }[];
  readonly detection: Pick<DetectionMonitor, 'receive'>;
  readonly writes: Pick<StoreWrites, 'receive' | 'forgetting'>;
}

/** A log in which turns close: the journal, or a lane of Kafka. */
export interface TurnSource {
  readonly lane: OwnedLane;
  /** The turn as the thread gets it. Called again if the thread died before the turn was durable. */
  pack(turn: ClosedTurn): PackedTurn;
  /** The store has the turn; the log need not keep its bytes. */
  stored(turn: ClosedTurn): void;
  /** Another instance owns the lane, or its bytes are lost here: nothing that was sent of it is stored. */
  refused(): void;
}

interface WaitingTurn extends Omit<TurnCommand, 'turn'> {
  readonly source: TurnSource;
  readonly turn: ClosedTurn;
  /** Memory that it takes while the thread has it. */
  readonly bytes: number;
}
type Command = WaitingTurn | (TimeCommand & { readonly source: TurnSource });

/** Packing a turn of a lane takes a tenth of a millisecond and more, and thousands of turns can close at one moment. */
const PUMP_AT_ONCE_MS = 10;
type ProblemOf = 'store' | 'sending';

export class Scorer {
  readonly #draining: Draining;
  readonly #commands = new CommandWindow<Command>((command) => this.#send(command));
  readonly #asked = new Map<
    number,
    { readonly question: LaneQuestion; readonly answered: (answer: LaneAnswer) => void }
  >();
  readonly #problems = new Map<ProblemOf, { readonly problem: string; readonly since: number }>();
  readonly #whenStopped = Promise.withResolvers<void>();
  /** Calls that wait until the thread has answered up to a sequence. */
  #forgotten: { readonly sequence: number; readonly resolve: () => void }[] = [];
  #thread: WatchedThread<ToScorer, FromScorer> | undefined;
  #recipients: Recipients | undefined;
  #floor: LogFloor = { position: 0, logTime: 0, readFrom: 0, logEnd: 0 };
  #turnsWaiting = 0;
  #scoredTo: number | undefined;
  #isOnDuty = false;
  /** Undefined until they are known. */
  #predictions: readonly AgentPrediction[] | undefined;
  #isToPump = false;
  #state: 'idle' | 'running' | 'stopping' | 'stopped' = 'idle';

  constructor(draining: Draining) {
    this.#draining = draining;
  }

  /** Starts the thread and waits until its store is open. */
  async start({ work, suites, checks }: Scoring, recipients: Recipients): Promise<void> {
    this.#recipients = recipients;
    const thread = new WatchedThread<ToScorer, FromScorer>({
      module: '../scoring-thread',
      from: import.meta.url,
      data: work,
      suites,
      checks,
      onMessage: (message) => this.#receive(message),
      onEnded: () => this.#ended(),
      onEvent: (event) => recipients.events.report(event),
    });
    this.#thread = thread;
    this.#state = 'running';
    await thread.start();
  }

  /** Position and time of the log that the store had at the start. */
  get floor(): LogFloor {
    return this.#floor;
  }

  /** Turns that are closed and not stored yet. */
  get turnsWaiting(): number {
    return this.#turnsWaiting;
  }

  /** Log time of the oldest turn that waits. */
  get oldestWaiting(): number | undefined {
    const { first } = this.#commands;
    return first?.type === 'turn' ? first.turn.closedAt : first?.time;
  }

  /** How long there has been work and no progress, in milliseconds. */
  get stalledMs(): number {
    return this.#commands.stalledMs;
  }

  /** Log time up to which everything due is scored, by this instance or another. */
  get scoredTo(): number | undefined {
    return this.#scoredTo;
  }

  /** Reason why the store, or the topic of evaluations, cannot be used now. */
  problem(of: ProblemOf): string | undefined {
    return this.#problems.get(of)?.problem;
  }

  /** Time by `performance.now()` since which there has been a problem without a break. */
  problemSince(of: ProblemOf): number | undefined {
    return this.#problems.get(of)?.since;
  }

  close(source: TurnSource, turn: ClosedTurn, positions: LanePositions): void {
    if (this.#state !== 'running') return;
    this.#turnsWaiting += 1;
    const bytes = bytesOf(turn);
    this.#enqueue({
      type: 'turn',
      sequence: this.#commands.nextSequence(),
      source,
      lane: source.lane,
      turn,
      positions,
      bytes,
    });
  }

  /** `naming`: see `Filing`. */
  time(source: TurnSource, time: number, positions: LanePositions, naming: readonly NamingTurn[] = []): void {
    const last = this.#commands.lastWaiting;
    // Time that has not been sent yet is overtaken by later time.
    if (last?.type === 'time' && last.source === source)
      this.#commands.replaceLast({ ...last, time, positions, naming: [...(last.naming ?? []), ...naming] });
    else
      this.#enqueue({
        type: 'time',
        sequence: this.#commands.nextSequence(),
        source,
        lane: source.lane,
        time,
        positions,
        naming,
      });
  }

  /**
   * The lane is lost: its commands that have not been sent are dropped. Resolves once the thread has answered those that were sent, and so reads
   * none of the lane's bytes any more, not even after a restart.
   */
  forget(source: TurnSource): Promise<void> {
    const removed = this.#commands.removeWaiting((command) => command.source === source);
    this.#turnsWaiting -= removed.filter(({ type }) => type === 'turn').length;
    this.#pumpSoon();
    const last = this.#commands.findLastSent((command) => command.source === source);
    if (last === undefined || this.#state === 'stopped') return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#forgotten.push({ sequence: last.sequence, resolve });
    return promise;
  }

  /** Takes ownership of lanes. `all` are those that time must wait for, whoever has them. */
  async own(lanes: readonly LaneName[], all: readonly LaneName[]): Promise<readonly OwnedLane[]> {
    const answer = await this.#ask({ ask: 'own', lanes, all });
    if (!('lanes' in answer)) throw new Error('scoring thread: it answered another question');
    return answer.lanes;
  }

  async filedPositions(lane: LaneName, traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, LanePositions>> {
    const answer = await this.#ask({ ask: 'filed', lane, traceIds });
    if (!('filed' in answer)) throw new Error('scoring thread: it answered another question');
    return new Map(answer.filed);
  }

  /** A webhook took a notice. */
  delivered(delivered: DeliveredNotice): void {
    this.#tell({ type: 'delivered', delivered });
  }

  /** Sends a user's command. Returns false if no thread is there to do it. */
  tell(command: AcceptCommand | HistoryCommand | PutCommand | ForgetCommand): boolean {
    return this.#tell(command);
  }

  /** Whether this instance does what only one may do: asks judges, detects regressions, sends evaluations. */
  setDuty(on: boolean): void {
    this.#isOnDuty = on;
    this.#tell({ type: 'duty', on });
  }

  /** Says which predictions hold for conversations that are scored from now on. */
  foretell(predictions: readonly AgentPrediction[]): void {
    this.#predictions = predictions;
    this.#tell({ type: 'foretell', predictions });
  }

  /** The thread does what it was sent, and another one begins with this. Resolves when it has begun. */
  async replace({ work, suites, checks }: Scoring): Promise<void> {
    if (this.#state === 'running') await this.#thread?.replace({ data: work, suites, checks }, { type: 'stop' });
  }

  /** Finishes what was sent. Turns that are dropped, or not stored within the limit, are read again from their log. */
  async stop(): Promise<void> {
    if (this.#state === 'running') {
      this.#state = 'stopping';
      if (this.#draining.waiting === 'is dropped') this.#commands.removeWaiting(() => true);
      if (this.#thread?.expectEnd() === true) this.#pumpSoon();
      else this.#ended();
    }
    if (this.#state === 'idle') return;
    const limit = new AbortController();
    const late = sleep(this.#draining.limitMs, undefined, { signal: limit.signal }).catch(() => {});
    await Promise.race([this.#whenStopped.promise, late]);
    limit.abort();
    await this.#thread?.terminate();
    this.#ended();
  }

  #tell(message: ToScorer): boolean {
    const isHeard = this.#thread?.isReady === true && this.#state === 'running';
    if (isHeard) this.#thread?.post(message);
    return isHeard;
  }

  #enqueue(command: Command): void {
    if (this.#state !== 'running') return;
    this.#commands.push(command);
    this.#pumpSoon();
  }

  #ask(question: LaneQuestion): Promise<LaneAnswer> {
    const id = this.#commands.nextSequence();
    const { promise, resolve } = Promise.withResolvers<LaneAnswer>();
    this.#asked.set(id, { question, answered: resolve });
    if (this.#thread?.isReady === true) this.#thread.post({ type: 'question', id, question });
    return promise;
  }

  /** Not at once: turns that close at one moment are packed in slices, between everything else that this thread does. */
  #pumpSoon(): void {
    if (this.#isToPump) return;
    this.#isToPump = true;
    setImmediate(() => {
      this.#isToPump = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#thread?.isReady !== true || this.#state === 'stopped') return;
    const since = performance.now();
    this.#commands.pump(() => performance.now() - since < PUMP_AT_ONCE_MS);
    if (this.#commands.hasNext) this.#pumpSoon();
    if (this.#state === 'stopping' && this.#commands.waiting === 0) this.#thread.post({ type: 'stop' });
  }

  #send(command: Command): void {
    const { sequence, lane, positions } = command;
    if (command.type === 'time') {
      const { time, naming = [] } = command;
      this.#thread?.post({ type: 'time', sequence, lane, positions, time, naming });
      return;
    }
    const { turn, transfer } = command.source.pack(command.turn);
    this.#thread?.post({ type: 'turn', sequence, lane, positions, turn }, transfer);
  }

  #receive(message: FromScorer): void {
    const recipients = this.#recipients;
    if (recipients === undefined) throw new Error('scorer: a thread that was not started sent a message');
    switch (message.type) {
      case 'ready':
        this.#started(message, recipients);
        return;
      case 'done':
        this.#done(message);
        return;
      case 'totals':
        for (const totals of recipients.totals) totals.update(message.totals);
        return;
      case 'events':
        for (const event of message.events) recipients.events.report(event);
        return;
      case 'scored-to':
        this.#scoredTo = message.time;
        return;
      case 'problem':
        this.#problem(message.of, message.problem);
        return;
      case 'detected':
      case 'detection-accepted':
      case 'detection-event':
        recipients.detection.receive(message);
        return;
      case 'put':
        recipients.writes.receive(message);
        return;
      case 'forget-step':
      case 'journal-to-wipe':
        recipients.writes.forgetting.receive(message);
        return;
      case 'answer':
        this.#asked.get(message.id)?.answered(message.answer);
        this.#asked.delete(message.id);
        return;
      case 'stopped':
        // A thread that stops while the scorer runs makes room for another one.
        if (this.#state !== 'running') this.#ended();
        return;
    }
  }

  #started({ totals, floor }: Extract<FromScorer, { type: 'ready' }>, recipients: Recipients): void {
    this.#floor = floor;
    // The thread before cannot report any more that its problems are over, and this one has opened the store.
    for (const of of this.#problems.keys()) this.#problem(of, undefined);
    for (const recipient of recipients.totals) recipient.update(totals);
    for (const [id, { question }] of this.#asked) this.#thread?.post({ type: 'question', id, question });
    if (this.#isOnDuty) this.#thread?.post({ type: 'duty', on: true });
    if (this.#predictions !== undefined) this.#thread?.post({ type: 'foretell', predictions: this.#predictions });
    this.#commands.takeBack();
    this.#pumpSoon();
  }

  #done({ sequence, refused }: Extract<FromScorer, { type: 'done' }>): void {
    const isRefused = ({ lane }: Command) =>
      refused.some((other) => other.lane === lane.lane && other.epoch === lane.epoch);
    const sources = new Set<TurnSource>();
    for (const command of this.#commands.answered(sequence)) {
      if (command.type === 'turn') this.#turnsWaiting -= 1;
      if (refused.length > 0 && isRefused(command)) sources.add(command.source);
      else if (command.type === 'turn') command.source.stored(command.turn);
    }
    for (const source of sources) source.refused();
    this.#answeredTo(sequence);
    this.#pumpSoon();
  }

  #problem(of: ProblemOf, problem: string | undefined): void {
    if (problem === undefined) this.#problems.delete(of);
    else this.#problems.set(of, { problem, since: this.problemSince(of) ?? performance.now() });
    this.#recipients?.events.report({ type: of === 'store' ? 'store-problem' : 'sending-problem', problem });
  }

  #answeredTo(sequence: number): void {
    const answered = this.#forgotten.filter((one) => one.sequence <= sequence);
    this.#forgotten = this.#forgotten.filter((one) => one.sequence > sequence);
    for (const { resolve } of answered) resolve();
  }

  #ended(): void {
    this.#state = 'stopped';
    this.#answeredTo(Number.POSITIVE_INFINITY);
    this.#thread?.stopWatching();
    this.#whenStopped.resolve();
  }
}

/** Bytes of a turn's content: it has copies of its own of the resources and scopes of its spans. */
function bytesOf({ rows }: ClosedTurn): number {
  let bytes = 0;
  const groups = new Set<ClosedTurn['rows'][number]['group']>();
  for (const { length, group } of rows) {
    bytes += length;
    groups.add(group);
  }
  for (const { resourceLength, scopeLength } of groups) bytes += resourceLength + scopeLength;
  return bytes;
}
