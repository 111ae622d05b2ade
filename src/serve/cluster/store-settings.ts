/** Address of the shared store, and how long it keeps each kind of row. */
import type { KafkaSettings } from '../../config/kafka-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { SharedStoreSettings } from '../../config/store-settings.ts';
import type { PostgresOptions } from '../../store/postgres/postgres-store.ts';

export function postgresOptions(
  { instance, store, turn }: Settings,
  sharedStore: SharedStoreSettings,
  { group, topics, sessionTimeoutMs: leaseMs }: Pick<KafkaSettings, 'group' | 'topics' | 'sessionTimeoutMs'>,
): Omit<PostgresOptions, 'outboxPayload'> {
  const { keepMs, keepFailedMs } = store;
  const read = [...topics.spans, ...topics.logs];
  const { reopenMs, maxAgeMs: openMaxMs } = turn;
  return { ...sharedStore, leaseMs, instance, group, topics: read, keepMs, keepFailedMs, reopenMs, openMaxMs };
}
