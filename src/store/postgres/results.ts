/**
 * Results that wait for a backend, on the shared store. A sender takes the oldest; two senders at once send some of
 * them twice.
 */
import type { ResultStore, TakenResults } from '../result-store.ts';
import { BinaryRows } from './binary-copy.ts';
import type { Link } from './link.ts';
import type { Session } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';

export async function writeResults(session: Session, payloads: readonly string[]): Promise<void> {
  if (payloads.length === 0) return;
  const rows = new BinaryRows();
  for (const payload of payloads) rows.row(1).text(toStorable(payload));
  await session.copy('result_queue (payload)', rows);
}

export class ResultRows implements ResultStore {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async take({ limit, keep }: { readonly limit: number; readonly keep: number }): Promise<TakenResults> {
    return this.#link.use(async (session) => {
      const dropped = await session.run(TRIM, [keep]);
      const rows = await session.rows<{ id: number; payload: string }>(TAKE, [limit]);
      return { results: rows.map(({ id, payload }) => ({ id, payload: fromStorable(payload) })), dropped };
    });
  }

  async forget(ids: readonly number[]): Promise<void> {
    await this.#link.use((session) => session.run(FORGET, [ids]));
  }
}

/** By number rather than by counting: numbers have few gaps, and a million rows need not be looked at. */
const TRIM = {
  name: 'trim-results',
  sql: 'DELETE FROM result_queue WHERE id <= (SELECT max(id) FROM result_queue) - $1::bigint',
};
const TAKE = { name: 'take-results', sql: 'SELECT id, payload FROM result_queue ORDER BY id LIMIT $1' };
const FORGET = { name: 'forget-results', sql: 'DELETE FROM result_queue WHERE id = ANY($1::bigint[])' };
