/** The store that a configuration names, to be read: the one that instances share, or the file of this machine. */
import { existsSync } from 'node:fs';
import type { BacktestReader } from '../../backtest/another-suite.ts';
import type { Settings } from '../../config/settings.ts';
import type { ConversationReader } from '../../store/conversation-reader.ts';
import type { LabelReader } from '../../store/label-store.ts';
import type { OutcomeReader } from '../../store/reading-store.ts';
import type { PostgresAddress } from '../../store/postgres/link.ts';
import { StoreReader } from '../../store/sqlite/store-reader.ts';
import { storeFileIn } from './data-directory.ts';

/** Place of a store, as it is passed to a thread that reads it. */
export type StorePlace =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly address: PostgresAddress; readonly statementMs: number };

/** A read for a client that takes longer is given up, and its thread ended. */
export const READ_DEADLINE_MS = 10_000;

export type ServiceReader = ConversationReader & LabelReader & BacktestReader;

/** Opens a store that exists, though a shared one may be away at the moment. */
export async function readerAt(place: StorePlace): Promise<ServiceReader> {
  if (place.kind === 'sqlite') return StoreReader.open(place.file);
  const { PostgresReader } = await import('../../store/postgres/postgres-reader.ts');
  return PostgresReader.of(place.address, place);
}

/** Undefined where there is none yet. */
export async function openReader({
  sharedStore,
  dataDir,
}: Settings): Promise<(ServiceReader & OutcomeReader) | undefined> {
  if (sharedStore !== undefined) {
    // Loaded when it is needed, as everything that one machine does without.
    const { PostgresReader } = await import('../../store/postgres/postgres-reader.ts');
    const { url, password, tls } = sharedStore;
    return PostgresReader.open({ url, password, tls });
  }
  const file = storeFileIn(dataDir);
  return existsSync(file) ? StoreReader.open(file) : undefined;
}
