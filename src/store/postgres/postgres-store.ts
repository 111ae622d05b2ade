/**
 * The store that many instances share: PostgreSQL. It files what lanes close, scores what is due, and keeps time for all of them
 * (`docs/decisions/0010-many-instances.md`). A connection for each kind of work, so that none waits for another.
 */
import type { ClusterStore } from '../cluster-store.ts';
import type { EngineStore } from '../engine-store.ts';
import type { LabelStore } from '../label-store.ts';
import { type Writing, writing } from '../rules/writer.ts';
import { PostgresSql } from './postgres-sql.ts';
import { SharedTime } from './cluster-time.ts';
import { ContentCache } from './content-cache.ts';
import { FilingDays, makePartitions } from './days.ts';
import { ForgettingRows } from './forgetting.ts';
import { FilingRows } from './filing.ts';
import { Instance } from './instance.ts';
import { DueScoring } from './due-scoring.ts';
import { LaneRows } from './lanes.ts';
import { labelRows } from './labels.ts';
import { Link, type LinkOptions, type PostgresAddress } from './link.ts';
import { Outbox } from './outbox.ts';
import { Housekeeping } from './retention.ts';
import { anchorRetentionClock } from './retention-clock.ts';
import { questionRows } from './questions.ts';
import { migrate } from './schema.ts';
import { SAYING } from './feedback.ts';
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
  /** For how long a turn may be open. */
  readonly openMaxMs?: number;
  /** For how long a statement may take: what is cut off is noticed a little later. */
  readonly statementMs?: number;
  readonly cacheBytes?: number;
  /** Keys by which the spans of an arrival refer to others. Needed to file arrivals that were stored without them. */
  readonly keysOf?: KeysOf;
  /** Where evaluations are to be published: what is written of each, in the transaction that stores it. */
  readonly outboxPayload?: OutboxPayload | undefined;
}

const DAY_MS = 86_400_000;
const STATEMENT_MS = 10_000;
const HOUSEKEEPING_MS = 600_000;

export class PostgresStore implements ClusterStore {
  /** Another store has another, also where it has the same address. */
  readonly id: string;
  readonly engineStore: EngineStore;
  readonly lanes: LaneRows;
  readonly filing: FilingRows;
  readonly time: SharedTime;
  readonly scoring: DueScoring;
  readonly outbox: Outbox;
  readonly detection: Writing<'later'>['detection'];
  readonly results: Writing<'later'>['results'];
  readonly archive: Writing<'later'>['archive'];
  readonly truths: Writing<'later'>['truths'];
  readonly feedbackRows: Writing<'later'>['feedback'];
  readonly labels: LabelStore;
  readonly readings: Writing<'later'>['readings'];
  readonly failures: Writing<'later'>['failures'];
  readonly questions: ReturnType<typeof questionRows>;
  readonly housekeeping: Housekeeping;
  readonly forgetting: ForgettingRows;
  readonly #links: readonly Link[];
  #closed = false;

  private constructor(options: PostgresOptions, instance: Instance, others: Link, id: string) {
    this.id = id;
    const leaseMs = options.leaseMs ?? 30_000;
    const reopenMs = options.reopenMs ?? DAY_MS;
    const link = (name: string, more: Partial<LinkOptions> = {}) => linkOf(options, name, more);
    const statementMs = options.statementMs ?? STATEMENT_MS;
    const filing = link('filing', { plans: 'look-ups', statementMs });
    const scoringLink = link('scoring', { plans: 'look-ups', statementMs });
    const housekeeping = link('housekeeping', { statementMs: HOUSEKEEPING_MS });
    const detecting = link('detection', { plans: 'look-ups', statementMs });
    const asking = link('asking', { plans: 'look-ups', statementMs });
    this.#links = [filing, scoringLink, others, housekeeping, detecting, asking];
    const cache = new ContentCache(options.cacheBytes ?? 64 << 20);
    const { group, topics, outboxPayload } = options;
    this.lanes = new LaneRows(others, { topics, days: new FilingDays(), reopenMs });
    this.filing = new FilingRows({
      link: filing,
      lanes: this.lanes,
      days: new FilingDays(),
      cache,
      home: () => instance.id,
      reopenMs,
      leaseMs,
    });
    this.time = new SharedTime(others, { group, topics }, new UnknownKeys(options.keysOf));
    const scoring = new DueScoring({ link: scoringLink, instance, cache, leaseMs, outboxPayload });
    this.scoring = scoring;
    this.engineStore = scoring.workingSet;
    this.outbox = new Outbox(others);
    const written = writing(new PostgresSql(SAYING, others));
    this.detection = writing(new PostgresSql(SAYING, detecting)).detection;
    this.results = written.results;
    this.archive = written.archive;
    this.truths = written.truths;
    this.feedbackRows = written.feedback;
    this.labels = labelRows(others);
    this.readings = written.readings;
    this.failures = written.failures;
    this.questions = questionRows(asking);
    this.forgetting = new ForgettingRows(housekeeping);
    this.housekeeping = new Housekeeping(housekeeping, {
      keepMs: options.keepMs ?? 30 * DAY_MS,
      keepFailedMs: options.keepFailedMs ?? 90 * DAY_MS,
      openMaxMs: options.openMaxMs ?? DAY_MS,
      reopenMs,
    });
  }

  /** Migrates if need be, and takes the instance's name. */
  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const preparing = linkOf(options, 'start', { statementMs: HOUSEKEEPING_MS });
    try {
      await migrate(preparing, options.schema);
      await anchorRetentionClock(preparing);
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

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all(this.#links.map((link) => link.close()));
  }

  /** As a crash would: what is under way is cut off. For tests. */
  destroy(): void {
    this.#closed = true;
    for (const link of this.#links) link.destroy();
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
