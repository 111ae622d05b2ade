/** Where the shared store is and what it keeps, from the words of the settings to those of the store. */
import type { KafkaSettings } from '../../config/kafka-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { SharedStoreSettings } from '../../config/shared-store-settings.ts';
import type { PostgresOptions } from '../../store/postgres/postgres-store.ts';

const DAY_MS = 86_400_000;

export function postgresOptions(
  settings: Settings,
  { url, password, tls, leaseMs }: SharedStoreSettings,
  { group, topics }: Pick<KafkaSettings, 'group' | 'topics'>,
): Omit<PostgresOptions, 'outboxPayload'> {
  return {
    url,
    password,
    tls,
    leaseMs,
    instance: settings.instance,
    group,
    topics: [...topics.spans, ...topics.logs],
    keepMs: settings.store.keepDays * DAY_MS,
    keepFailedMs: settings.store.keepFailedDays * DAY_MS,
    reopenMs: settings.turn.reopenMs,
  };
}
