/**
 * Access in the store that instances share: tokens of programs, the key of people's sessions, and sessions that were
 * ended. On a connection of its own. A revoked token stays as a row, with who revoked it.
 */
import { randomBytes } from 'node:crypto';
import type { EndedSessions, KeptToken, SessionStore, TokenStore } from '../../model/access.ts';
import type { Role } from '../../model/caller.ts';
import { StatementFailed } from './errors.ts';
import { Link, type PostgresAddress } from './link.ts';
import { migrate, storedSchema } from './schema.ts';

const STATEMENT_MS = 5_000;
const UNDEFINED_TABLE = '42P01';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly sha256: string;
  readonly created_at: number;
  readonly expires_at: number | null;
}

export class PostgresAccess implements TokenStore, SessionStore {
  readonly #address: PostgresAddress;
  readonly #link: Link;

  constructor(address: PostgresAddress, name: string) {
    this.#address = address;
    this.#link = new Link({ address, name, leaseMs: 30_000, statementMs: STATEMENT_MS });
  }

  /** Where no instance has made the tables yet, there are none. */
  async list(): Promise<readonly KeptToken[]> {
    try {
      return (await this.#link.use((session) => session.rows<Row>(LIST))).map(toToken);
    } catch (error) {
      if (error instanceof StatementFailed && error.code === UNDEFINED_TABLE) return [];
      throw error;
    }
  }

  /** Makes the tables: tokens are there before the first instance starts. */
  async add({ id, name, role, sha256, createdAt, expiresAt }: KeptToken, by: string): Promise<boolean> {
    await this.#prepare();
    const values = [id, name, role, sha256, createdAt ?? Date.now(), by, expiresAt ?? null];
    return (await this.#link.use((session) => session.run(ADD, values))) > 0;
  }

  async revoke(nameOrId: string, by: string): Promise<KeptToken | undefined> {
    await this.#prepare();
    const [row] = await this.#link.use((session) => session.rows<Row>(REVOKE, [nameOrId, Date.now(), by]));
    return row === undefined ? undefined : toToken(row);
  }

  async secret(): Promise<string> {
    await this.#prepare();
    const [row] = await this.#link.use(async (session) => {
      await session.run(MAKE_KEY, [randomBytes(32).toString('base64url')]);
      return session.rows<{ value: string }>(READ_KEY);
    });
    if (row === undefined) throw new Error('the shared store has no key of sessions');
    return row.value;
  }

  async ended(): Promise<EndedSessions> {
    const rows = await this.#link.use((session) => session.rows<{ what: string; at: number }>(ENDED));
    return new Map(rows.map(({ what, at }) => [what, at]));
  }

  async end(what: string, { at, forgetBefore }: { readonly at: number; readonly forgetBefore: number }): Promise<void> {
    await this.#link.use(async (session) => {
      await session.run(FORGET_ENDED, [forgetBefore]);
      await session.run(END, [what, at]);
    });
  }

  async #prepare(): Promise<void> {
    const preparing = new Link({ address: this.#address, name: 'assay access tables', leaseMs: 30_000 });
    try {
      // Tables that are there are changed by the start of a service alone, which says so.
      const { version } = await preparing.use((session) => storedSchema(session));
      if (version === 0) await migrate(preparing, this.#address.schema);
    } finally {
      await preparing.close();
    }
  }

  /** Cuts off what is under way: nobody waits for it. */
  async close(): Promise<void> {
    this.#link.destroy();
  }
}

function toToken({ id, name, role, sha256, created_at, expires_at }: Row): KeptToken {
  return { id, name, role, sha256, createdAt: created_at, expiresAt: expires_at ?? undefined };
}

const COLUMNS = 'id, name, role, sha256, created_at, expires_at';
const LIST = {
  name: 'access-tokens',
  sql: `SELECT ${COLUMNS} FROM access_tokens WHERE revoked_at IS NULL ORDER BY created_at, id`,
};
const ADD = {
  name: 'add-access-token',
  sql: `INSERT INTO access_tokens (id, name, role, sha256, created_at, created_by, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
};
const REVOKE = {
  name: 'revoke-access-token',
  sql: `UPDATE access_tokens SET revoked_at = $2, revoked_by = $3 WHERE id = (
      SELECT id FROM access_tokens WHERE revoked_at IS NULL AND (name = $1 OR id = $1) ORDER BY name = $1 DESC LIMIT 1)
    RETURNING ${COLUMNS}`,
};
const MAKE_KEY = {
  name: 'make-session-key',
  sql: "INSERT INTO access_keys (name, value) VALUES ('sessions', $1) ON CONFLICT DO NOTHING",
};
const READ_KEY = { name: 'session-key', sql: "SELECT value FROM access_keys WHERE name = 'sessions'" };
const ENDED = { name: 'ended-sessions', sql: 'SELECT what, at FROM access_ended' };
const FORGET_ENDED = { name: 'forget-ended-sessions', sql: 'DELETE FROM access_ended WHERE at < $1' };
const END = {
  name: 'end-session',
  sql: `INSERT INTO access_ended (what, at) VALUES ($1, $2)
    ON CONFLICT (what) DO UPDATE SET at = greatest(access_ended.at, excluded.at)`,
};
