/**
 * The store that many instances share: PostgreSQL. It files what lanes close, judges what is due, and keeps time for all of them
 * (`docs/decisions/0010-many-instances.md`). A connection for each kind of work, so that none waits for another.
 */
import type {
  ClusterStore,
  Filing,
  Judged,
  LaneName,
  LanePositions,
  OutboxRow,
  OwnedLane,
  WorkingSet,
} from '../cluster-store.ts';
import type { TraceId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { HumanLabel } from '../../model/labels.ts';
import type { DetectionRound } from '../detection-store.ts';
import type { TakenResults } from '../result-store.ts';
import type { EngineStore } from '../engine-store.ts';
import { moveTime, readTime } from './cluster-time.ts';
import { ContentCache } from './content-cache.ts';
import { FilingDays, makePartitions } from './days.ts';
import { detect } from './detection.ts';
import { forgetResults, takeResults } from './results.ts';
import { Filer } from './filing.ts';
import { Instance } from './instance.ts';
import { Judge } from './judging.ts';
import { Lanes } from './lanes.ts';
import { putLabels } from './labels.ts';
import { Link, type LinkOptions, type PostgresAddress } from './link.ts';
import { forgetOutbox, numberOutbox, readOutbox } from './outbox.ts';
import { Housekeeping } from './retention.ts';
import { Questions } from './questions.ts';
import { migrate } from './schema.ts';
import { putTruth } from './truths.ts';
import { type KeysOf, UnknownKeys } from './unknown-keys.ts';
import type { OutboxPayload } from './writing.ts';

export interface PostgresOptions extends PostgresAddress {
  /** Under which this process counts. Each has its own, and the same again after a restart. */
  readonly instance: string;
  readonly group: string;
  readonly topics: readonly string[];
  /** For how long a session may be silent in a transaction before the database ends it. */
  readonly leaseMs?: number;
  readonly keepMs?: number;
  readonly keepFailedMs?: number;
  /** For how long a turn may be opened again: so far back is looked for its earlier parts. */
  readonly reopenMs?: number;
  /** For how long a statement may take: what is cut off is noticed a little later. */
  readonly statementMs?: number;
  readonly cacheBytes?: number;
  /** By what the spans of an arrival refer to others. Needed by who files arrivals that leave that for later. */
  readonly keysOf?: KeysOf;
  /** Where evaluations are to be published: what is written of each, in the transaction that stores it. */
  readonly outboxPayload?: OutboxPayload | undefined;
}

const DAY_MS = 86_400_000;
const STATEMENT_MS = 10_000;
const HOUSEKEEPING_MS = 600_000;

export class PostgresStore implements ClusterStore {
  readonly #options: PostgresOptions;
  readonly #filing: Link;
  readonly #judging: Link;
  readonly #others: Link;
  readonly #housekeeping: Link;
  readonly #detecting: Link;
  readonly #asking: Link;
  readonly #lanes: Lanes;
  readonly #filer: Filer;
  readonly #judge: Judge;
  readonly #unknownKeys: UnknownKeys;
  readonly #tidying: Housekeeping;
  /** Another store has another, also where it has the same address. */
  readonly id: string;
  /** Questions to judges. */
  readonly questions: Questions;
  #closed = false;

  private constructor(options: PostgresOptions, instance: Instance, others: Link, id: string) {
    this.id = id;
    const leaseMs = options.leaseMs ?? 30_000;
    const reopenMs = options.reopenMs ?? DAY_MS;
    const link = (name: string, more: Partial<LinkOptions> = {}) => linkOf(options, name, more);
    this.#options = options;
    const statementMs = options.statementMs ?? STATEMENT_MS;
    this.#filing = link('filing', { plans: 'look-ups', statementMs });
    this.#judging = link('judging', { plans: 'look-ups', statementMs });
    this.#others = others;
    this.#housekeeping = link('housekeeping', { statementMs: HOUSEKEEPING_MS });
    this.#detecting = link('detection', { plans: 'look-ups', statementMs });
    this.#asking = link('asking', { plans: 'look-ups', statementMs });
    this.questions = new Questions(this.#asking);
    const cache = new ContentCache(options.cacheBytes ?? 64 << 20);
    const days = new FilingDays();
    this.#lanes = new Lanes(this.#others, { topics: options.topics, days: new FilingDays(), reopenMs });
    this.#filer = new Filer({
      link: this.#filing,
      lanes: this.#lanes,
      days,
      cache,
      home: () => instance.id,
      reopenMs,
      leaseMs,
    });
    this.#unknownKeys = new UnknownKeys(options.keysOf);
    this.#judge = new Judge({
      link: this.#judging,
      instance,
      cache,
      leaseMs,
      outboxPayload: options.outboxPayload,
    });
    this.#tidying = new Housekeeping(this.#housekeeping, {
      keepMs: options.keepMs ?? 30 * DAY_MS,
      keepFailedMs: options.keepFailedMs ?? 90 * DAY_MS,
    });
  }

  /** Migrates if need be, and takes the instance's name. */
  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const preparing = linkOf(options, 'start', { statementMs: HOUSEKEEPING_MS });
    try {
      await migrate(preparing, options.schema);
      await makePartitions(preparing, Date.now());
    } finally {
      await preparing.close();
    }
    const instance = new Instance(options.instance);
    const others = linkOf(options, 'time', {
      statementMs: options.statementMs ?? STATEMENT_MS,
      plans: 'look-ups',
      onConnect: (session) => instance.holdName(session),
    });
    try {
      await instance.begin(others);
      const [row] = await others.use((session) => session.once<{ id: string }>('SELECT id FROM cluster'));
      return new PostgresStore(options, instance, others, row?.id ?? '');
    } catch (error) {
      others.destroy();
      throw error;
    }
  }

  get engineStore(): EngineStore {
    return this.#judge.workingSet;
  }

  async expectLanes(lanes: readonly LaneName[]): Promise<void> {
    await this.#lanes.expect(lanes);
  }

  async ownLanes(lanes: readonly LaneName[]): Promise<readonly OwnedLane[]> {
    return this.#lanes.own(lanes);
  }

  get wantsKeys(): boolean {
    return this.#filer.wantsKeys;
  }

  async file(filings: readonly Filing[]): Promise<void> {
    await this.#filer.file(filings);
  }

  async filedPositions(lane: LaneName, traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, LanePositions>> {
    return this.#lanes.filedPositions(lane, traceIds);
  }

  async moveTime(): Promise<number | undefined> {
    const { group, topics } = this.#options;
    return moveTime(this.#others, { group, topics }, this.#unknownKeys);
  }

  async clusterTime(): Promise<number | undefined> {
    return readTime(this.#others);
  }

  async judge(
    options: { readonly whose: 'own' | 'any'; readonly conversationsMax: number; readonly bytesMax: number },
    work: (set: WorkingSet) => void,
  ): Promise<Judged> {
    return this.#judge.judge(options, work);
  }

  async tidy(now: number = Date.now()): Promise<{ readonly conversations: number; readonly more: boolean }> {
    return this.#tidying.tidy(now);
  }

  async numberOutbox(): Promise<number> {
    return numberOutbox(this.#others);
  }

  async readOutbox(after: number, limit: number): Promise<readonly OutboxRow[]> {
    return readOutbox(this.#others, after, limit);
  }

  async forgetOutbox(upTo: number): Promise<void> {
    await forgetOutbox(this.#others, upTo);
  }

  async detect(limit: number, work: (round: DetectionRound) => Uint8Array | undefined): Promise<void> {
    await detect(this.#detecting, limit, work);
  }

  async takeResults(options: { readonly limit: number; readonly keep: number }): Promise<TakenResults> {
    return takeResults(this.#others, options);
  }

  async forgetResults(ids: readonly number[]): Promise<void> {
    await forgetResults(this.#others, ids);
  }

  async putTruth(conversationId: string, truth: Json | undefined): Promise<boolean> {
    return putTruth(this.#others, conversationId, truth);
  }

  async putLabels(labels: readonly HumanLabel[]): Promise<number> {
    return putLabels(this.#others, labels);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all(this.#links().map((link) => link.close()));
  }

  /** As a crash would: what is under way is cut off. For tests. */
  destroy(): void {
    this.#closed = true;
    for (const link of this.#links()) link.destroy();
  }

  #links(): readonly Link[] {
    return [this.#filing, this.#judging, this.#others, this.#housekeeping, this.#detecting, this.#asking];
  }
}

function linkOf(options: PostgresOptions, name: string, more: Partial<LinkOptions>): Link {
  return new Link({
    address: options,
    name: `${options.instance} ${name}`,
    leaseMs: options.leaseMs ?? 30_000,
    ...more,
  });
}
