/**
 * Evaluations on their way to a topic. They are written in the transaction that counts them. Ids come from a sequence,
 * so one may appear after a larger one was read: it is read the next time.
 */
import type { EvaluationOutbox, OutboxRow } from '../cluster-store.ts';
import type { Link } from './link.ts';
import { fromStorable } from './storable-text.ts';

export class Outbox implements EvaluationOutbox {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async adopt(): Promise<void> {
    await this.#link.use((session) => session.run(ADOPT));
  }

  async read(limit: number): Promise<readonly OutboxRow[]> {
    const rows = await this.#link.use((session) => session.rows<OutboxRow>(READ, [limit]));
    return rows.map(({ id, conversationId, payload }) => ({
      id,
      conversationId: fromStorable(conversationId),
      payload,
    }));
  }

  async forget(ids: readonly number[]): Promise<void> {
    await this.#link.use((session) => session.run(FORGET, [ids]));
  }
}

/** The first release moved them to a table of their own before it sent them. */
const ADOPT = {
  name: 'adopt-outbox',
  sql: `WITH numbered AS (DELETE FROM outbox RETURNING number, key, payload)
    INSERT INTO outbox_new (key, payload) SELECT key, payload FROM numbered ORDER BY number`,
};
const READ = {
  name: 'read-outbox',
  sql: 'SELECT id, key AS "conversationId", payload FROM outbox_new ORDER BY id LIMIT $1',
};
const FORGET = { name: 'forget-outbox', sql: 'DELETE FROM outbox_new WHERE id = ANY($1::bigint[])' };
