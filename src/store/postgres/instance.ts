/**
 * This process among the others: its name, under which its totals are, and its epoch. A name is one process's at a time. An advisory lock of
 * the session says that a process is alive, and goes with it; the epoch, raised at each start, keeps what an older process of the name may still send from being written.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FencedError } from '../cluster-store.ts';
import { TotalsInMemory } from '../running-totals.ts';
import { lockKey } from './advisory-locks.ts';
import type { Link } from './link.ts';
import type { Session } from './session.ts';
import { fromStorable } from './storable-text.ts';

const ATTEMPTS_MAX = 20;
const ATTEMPT_EVERY_MS = 100;

export class Instance {
  readonly name: string;
  readonly totals = new TotalsInMemory();
  #id: number | undefined;
  #epoch = 0;
  #judgings = 0;

  constructor(name: string) {
    if (!/^[\w.:@/-]{1,200}$/.test(name)) {
      throw new Error(`an instance may be called by letters, digits and any of _.:@/- and not ${JSON.stringify(name)}`);
    }
    this.name = name;
  }

  get id(): number {
    if (this.#id === undefined) throw new Error('the store has not been opened');
    return this.#id;
  }

  /** With each new session: takes the lock that shows that we are alive. */
  async holdName(session: Session): Promise<void> {
    if (await this.#tryLock(session)) return;
    // If no other instance has started since, the database still takes an own earlier session for alive.
    const [row] = this.#id === undefined ? [] : await session.rows<{ epoch: number }>(EPOCH, [this.#id]);
    if (row === undefined || row.epoch !== this.#epoch) {
      throw new FencedError(
        `another process runs as instance ${this.name}: give each its own name, or wait until the database has noticed that the other is gone`,
      );
    }
    await session.once(endHolders(this.name));
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      if (await this.#tryLock(session)) return;
      await sleep(ATTEMPT_EVERY_MS);
    }
    throw new Error(`an older session of instance ${this.name} has not ended yet`);
  }

  async #tryLock(session: Session): Promise<boolean> {
    const [row] = await session.once<{ had: boolean }>(
      `SELECT pg_try_advisory_lock(${lockKey(`instance ${this.name}`)}) AS had`,
    );
    return row?.had === true;
  }

  /** Once, at the start. */
  async begin(link: Link): Promise<void> {
    await link.use((session) => session.rows(ADD, [this.name]));
    const [row] = await link.use((session) =>
      session.rows<{ id: number; epoch: number; judgings: number }>(BEGIN, [this.name]),
    );
    if (row === undefined) throw new Error(`store: instance ${this.name} is not there`);
    this.#id = row.id;
    this.#epoch = row.epoch;
    this.#judgings = row.judgings;
    await link.use((session) => this.#readTotals(session));
  }

  /** After scoring of which it could not be told whether it was done: what is in the database is what was. */
  async catchUp(link: Link): Promise<void> {
    await link.transaction(async (session) => {
      this.#judgings = await this.#readJudgings(session);
      await this.#readTotals(session);
    });
  }

  async #readTotals(session: Session): Promise<void> {
    this.totals.clear();
    const rows = await session.rows<{ metric: string; labels: string; value: number }>(TOTALS, [this.id]);
    for (const { metric, labels, value } of rows) this.totals.load(metric, fromStorable(labels), value);
    const times = await session.rows<{ metric: string; labels: string; at: number }>(FIRST_TIMES);
    for (const { metric, labels, at } of times) this.totals.times.load(metric, fromStorable(labels), at);
  }

  /** Belongs into each scoring transaction: numbers it, and refuses it where the name has a new owner. */
  async fence(session: Session): Promise<void> {
    const passed = await session.run(FENCE, [this.id, this.#epoch, this.#judgings]);
    if (passed !== 1) throw new FencedError(`another process has started as instance ${this.name}`);
  }

  scored(): void {
    this.#judgings += 1;
  }

  /** Whether scoring whose commit was not answered was done; waits until it has come to its end one way or the other. */
  async wasJudged(link: Link): Promise<boolean> {
    return (await link.transaction((session) => this.#readJudgings(session))) > this.#judgings;
  }

  async #readJudgings(session: Session): Promise<number> {
    const [row] = await session.rows<{ epoch: number; judgings: number }>(JUDGINGS, [this.id]);
    if (row?.epoch !== this.#epoch) throw new FencedError(`another process has started as instance ${this.name}`);
    return row.judgings;
  }
}

/** An advisory lock of two numbers shows them as `classid` and `objid`, both without a sign. */
const endHolders = (
  name: string,
) => `SELECT pg_terminate_backend(pid) FROM pg_locks, (SELECT ARRAY[${lockKey(`instance ${name}`)}] AS key) k
  WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid::bigint = key[1]::bigint & 4294967295 AND objid::bigint = key[2]::bigint & 4294967295`;
const EPOCH = { name: 'epoch-of-instance', sql: 'SELECT epoch FROM instances WHERE id = $1' };
const ADD = { name: 'add-instance', sql: 'INSERT INTO instances (name) VALUES ($1) ON CONFLICT DO NOTHING' };
const BEGIN = {
  name: 'begin-instance',
  sql: 'UPDATE instances SET epoch = epoch + 1 WHERE name = $1 RETURNING id, epoch, judgings',
};
const TOTALS = { name: 'totals-of-instance', sql: 'SELECT metric, labels, value FROM totals WHERE instance = $1' };
/** Everybody's. */
const FIRST_TIMES = { name: 'first-times', sql: 'SELECT metric, labels, at FROM first_times' };
const FENCE = {
  name: 'fence-instance',
  sql: 'UPDATE instances SET judgings = judgings + 1 WHERE id = $1 AND epoch = $2 AND judgings = $3',
};
const JUDGINGS = { name: 'judgings-of', sql: 'SELECT epoch, judgings FROM instances WHERE id = $1 FOR UPDATE' };
