/**
 * Evaluations on their way to a topic. They are written in the transaction that counts them, and get their numbers
 * afterwards, from one relay at a time. Numbers from a sequence would appear out of order, because transactions do not
 * commit in the order in which they began.
 */
import type { EvaluationOutbox, OutboxRow } from '../cluster-store.ts';
import { lockKey } from './advisory-locks.ts';
import type { Link } from './link.ts';
import { fromStorable } from './storable-text.ts';

const NUMBERED_MAX = 5_000;

export class Outbox implements EvaluationOutbox {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async number(): Promise<number> {
    for (;;) {
      const [state] = await this.#link.use((session) => session.rows<{ last: number; waits: boolean }>(STATE));
      if (state?.waits !== true) return state?.last ?? 0;
      await this.#link.transaction((session) => session.run(NUMBER, [NUMBERED_MAX]), {
        begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('outbox')})`,
      });
    }
  }

  async read(after: number, limit: number): Promise<readonly OutboxRow[]> {
    const rows = await this.#link.use((session) => session.rows<OutboxRow>(READ, [after, limit]));
    return rows.map(({ number, key, payload }) => ({ number, key: fromStorable(key), payload }));
  }

  async forget(upTo: number): Promise<void> {
    await this.#link.use((session) => session.run(FORGET, [upTo]));
  }
}

const STATE = {
  name: 'outbox-state',
  sql: 'SELECT outbox_last AS last, EXISTS (SELECT 1 FROM outbox_new) AS waits FROM cluster',
};
const NUMBER = {
  name: 'number-outbox',
  sql: `WITH taken AS (
      DELETE FROM outbox_new WHERE id IN (SELECT id FROM outbox_new ORDER BY id LIMIT $1) RETURNING id, key, payload),
    numbered AS (
      INSERT INTO outbox (number, key, payload)
      SELECT (SELECT outbox_last FROM cluster) + row_number() OVER (ORDER BY id), key, payload FROM taken RETURNING number)
    UPDATE cluster SET outbox_last = outbox_last + (SELECT count(*) FROM numbered)`,
};
const READ = {
  name: 'read-outbox',
  sql: 'SELECT number, key, payload FROM outbox WHERE number > $1 ORDER BY number LIMIT $2',
};
const FORGET = { name: 'forget-outbox', sql: 'DELETE FROM outbox WHERE number <= $1' };
