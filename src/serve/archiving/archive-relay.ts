/**
 * Copies conversations to object storage, from the store, a batch at a time. Scoring and receiving never wait for it.
 *
 *   waiting   a row, from the transaction that stored the evaluation on
 *   planned   a batch has a name and a day, and its rows carry the name      a crash: the same batch is written again
 *   built     its files are in memory                                        a crash: likewise
 *   put       one or more of its objects are in object storage               a crash, or an answer that is lost: written
 *                                                                            again under the same keys, which replaces them
 *   kept      one transaction: its keys are in the index, its rows are gone  a crash: done, or written again
 *
 * The keys of the objects follow from the name of the batch. So whoever lists files never finds a conversation twice for
 * one batch, whatever was repeated, and needs no index. A conversation that is evaluated again waits again, and is in a
 * later batch as it is then: the highest revision counts. The name has a part that is drawn, so that a store that was
 * restored from a copy does not write over what was written since.
 *
 *   asked     a row says what the archive has to lose, from the transaction that forgets
 *   rewritten objects that may hold it are replaced without it               a crash: done again
 *   forgotten the row is gone                                                `assay forget` waits for this
 *
 * A planned batch is written before anything is forgotten: a batch that was read before a conversation was dropped, and
 * put after that, is in the index by then.
 *
 * One holder writes: the instance with the duty, while it has the lease. The lease is renewed before objects are
 * written and outlasts the deadlines of their requests. Failures are repeated with growing pauses.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { REQUEST_MS } from '../../archive/s3-store.ts';
import { ARCHIVE_TABLES } from '../../archive/archive-keys.ts';
import { errorMessage } from '../../model/error-message.ts';
import type { ArchiveEvent } from '../../model/events/archive-events.ts';
import { Stoppable } from '../../model/stoppable.ts';
import { backoffMs } from '../../report/results/http-answer.ts';
import type { ArchiveBatch, ArchiveStore, KeptBatch, PlannedBatch } from '../../store/archive-store.ts';
import { beginningOf, mayHold } from '../../store/archived-keys.ts';
import type { ArchiveSide } from './archive-side.ts';

interface ArchiveRelayParts {
  readonly store: ArchiveStore;
  readonly side: ArchiveSide;
  /** The same after a restart, so that this instance need not wait for its own lease. */
  readonly holder: string;
  /** A batch that is not full waits for as long. */
  readonly everyMs: number;
  readonly onEvent: (event: ArchiveEvent) => void;
  readonly idleMs?: number;
  /** The first pause after a failure. */
  readonly pauseMs?: number;
  readonly batchMax?: number;
}

const BATCH_MAX = 2_000;
const IDLE_MS = 1_000;
const PAUSE = { first: 1_000, most: 60_000 };
/** A file may have to be read and written for each table. */
const LEASE_MS = 2 * ARCHIVE_TABLES.length * REQUEST_MS;
const INDEX_ROWS = 200;
const FORGETS_MAX = 1_000;
/** Failures of batches in one round; with more than these object storage is away. */
const FAILURES_MAX = 3;

export class ArchiveRelay extends Stoppable {
  readonly #parts: ArchiveRelayParts;
  #isAdopted = false;

  constructor(parts: ArchiveRelayParts) {
    super((signal) => this.#loop(signal));
    this.#parts = parts;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { store, side, holder, onEvent, idleMs = IDLE_MS, pauseMs = PAUSE.first } = this.#parts;
    const end = () => side.end();
    signal.addEventListener('abort', end);
    this.#isAdopted = false;
    for (let failures = 0; !signal.aborted; ) {
      let waitMs = idleMs;
      try {
        const hasLease = await store.lease(holder, LEASE_MS);
        if (hasLease && (await this.#step())) waitMs = 0;
        if (failures > 0) onEvent({ type: 'archive-recovered' });
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        waitMs = backoffMs(failures, { ...PAUSE, first: pauseMs });
        onEvent({ type: 'archive-failed', problem: errorMessage(error) });
      }
      if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
    side.end();
    // Another instance shows the lag from now on, and need not wait.
    onEvent({ type: 'archive-lag', ms: 0 });
    await Promise.resolve(store.endLease(holder)).catch(() => {});
  }

  /** False if there was nothing to do. */
  async #step(): Promise<boolean> {
    const { store, everyMs, onEvent, batchMax = BATCH_MAX } = this.#parts;
    const now = Date.now();
    const { batch, oldestAt } = await store.plan({ name: nameAt(now), limit: batchMax, now, everyMs });
    onEvent({ type: 'archive-lag', ms: oldestAt === undefined ? 0 : Math.max(0, now - oldestAt) });
    if (batch !== undefined) await this.#write(batch);
    if (!this.#isAdopted) await this.#adopt();
    this.#isAdopted = true;
    const hasForgotten = await this.#forget();
    return batch !== undefined || hasForgotten;
  }

  async #write(batch: PlannedBatch): Promise<void> {
    const { store, side, holder, onEvent } = this.#parts;
    const { conversations } = batch;
    const { taken, gone } = await side.build(conversations);
    // Before anything is put, so that a batch that is written again has no more than this.
    if (taken < conversations.length) await store.release(batch.name, conversations.slice(taken));
    await this.#renew();
    const keys = await side.put(placeOf(batch));
    if (!(await store.keep(holder, { ...placeOf(batch), keys }))) throw new Error('another instance has the lease');
    if (gone > 0) onEvent({ type: 'archive-missed', conversations: gone });
  }

  /** Files that no row names are of a store that was restored or copied: forgetting has to reach them as well. */
  async #adopt(): Promise<void> {
    const { store, side } = this.#parts;
    const known = new Set<string>();
    for await (const batch of this.#kept()) known.add(batch.name);
    for (const place of await side.places()) {
      if (known.has(place.name)) continue;
      await store.adopt([{ ...place, keys: await side.keysOf(place) }]);
    }
  }

  async #forget(): Promise<boolean> {
    const { store, side } = this.#parts;
    const { conversations, users } = await store.forgets(FORGETS_MAX);
    // Conversations that are known go, whatever keeps the users.
    const failures: unknown[] = [];
    if (conversations.length > 0) {
      const beginnings = new Set(conversations.map(beginningOf));
      const left = await this.#eachKept(async (batch) => {
        if (!mayHold(batch.keys, beginnings)) return;
        await this.#renew();
        await store.rewritten({ ...placeOf(batch), keys: await side.forget(placeOf(batch), conversations) });
      });
      failures.push(...left);
      if (left.length === 0) await store.forgotten({ conversations, users: [] });
    }
    if (users.length > 0) {
      const left = await this.#eachKept(async (batch) => store.alsoForget(await side.search(placeOf(batch), users)));
      failures.push(...left);
      if (left.length === 0) await store.forgotten({ conversations: [], users });
    }
    if (failures.length > 0) throw new Error(failures.map(errorMessage).join('; '));
    return conversations.length > 0 || users.length > 0;
  }

  /** A batch that fails keeps no other from being done; the failures are given. */
  async #eachKept(what: (batch: KeptBatch) => Promise<void>): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    for await (const batch of this.#kept()) {
      try {
        await what(batch);
      } catch (error) {
        if (failures.length === FAILURES_MAX) throw error;
        failures.push(error);
      }
    }
    return failures;
  }

  async *#kept(): AsyncGenerator<KeptBatch> {
    const { store } = this.#parts;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const some: readonly KeptBatch[] = await store.kept({ after, limit: INDEX_ROWS });
      yield* some;
      after = some.at(-1)?.name;
    }
  }

  async #renew(): Promise<void> {
    const { store, holder } = this.#parts;
    if (!(await store.lease(holder, LEASE_MS))) throw new Error('another instance has the lease');
  }
}

function placeOf({ name, day }: ArchiveBatch): ArchiveBatch {
  return { name, day };
}

/** In the order of time, and never the same twice. */
function nameAt(now: number): string {
  const time = new Date(now).toISOString().replace(/\D/g, '');
  return `${time}-${randomBytes(6).toString('hex')}`;
}
