/** Deployment of one of many instances: Kafka is the log, PostgreSQL the store, and both are shared. */
import type { KafkaSettings } from '../../config/kafka-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { SharedStoreSettings } from '../../config/store-settings.ts';
import type { Deployment, LogNeeds } from '../deployment/deployment.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import { READ_DEADLINE_MS } from '../store-place/open-reader.ts';
import type { LaneStorage } from '../scoring/scoring-protocol.ts';
import { kafkaConnectionOf } from './kafka-connection-of.ts';
import { KafkaLog } from './kafka-log.ts';
import { postgresOptions } from './store-settings.ts';

/** Work that is under way at a stop may take this long; then the next owner of the lanes does it again. */
const DRAIN_MS = 20_000;

export class Cluster implements Deployment {
  readonly scores: boolean;
  readonly accepts: boolean;
  readonly isAlone = false;
  readonly draining = { waiting: 'is sent', limitMs: DRAIN_MS } as const;
  log: KafkaLog | undefined;
  readonly #settings: Settings;
  readonly #kafka: KafkaSettings;

  constructor(settings: Settings, kafka: KafkaSettings) {
    this.#settings = settings;
    this.#kafka = kafka;
    this.scores = kafka.read && settings.sharedStore !== undefined;
    this.accepts = kafka.accept;
  }

  storage(settings: Settings): LaneStorage {
    const { evaluationsTopic: topic } = this.#kafka;
    const evaluations = topic === undefined ? undefined : { connection: kafkaConnectionOf(this.#kafka), topic };
    return { kind: 'cluster', store: postgresOptions(settings, this.#store, this.#kafka), evaluations };
  }

  storePlace(): StorePlace {
    const { url, password, tls } = postgresOptions(this.#settings, this.#store, this.#kafka);
    return { kind: 'postgres', address: { url, password, tls }, statementMs: READ_DEADLINE_MS };
  }

  async openLog(needs: LogNeeds): Promise<KafkaLog> {
    this.log = new KafkaLog(this.#settings, this.#kafka, needs);
    return this.log;
  }

  get #store(): SharedStoreSettings {
    const { sharedStore } = this.#settings;
    if (sharedStore === undefined) throw new Error('a gateway has no store');
    return sharedStore;
  }
}
