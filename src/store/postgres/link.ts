/**
 * One connection to PostgreSQL that comes back: whoever wants it waits his turn, has it for himself, and gives it back.
 * When it is gone, what was under way fails with a clear error and the next one connects again, after a pause that
 * grows while it does not succeed.
 *
 *   open        a session is there, in no transaction
 *   broken      none is there; the next use connects, not before `#connectAt`
 *   closed      permanently
 *
 * A lost connection is noticed by timeouts: the server ends statements that run too long, and the client ends those
 * that are not answered. A transaction that is silent for longer than the lease is ended by the server, and with it its
 * locks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type CustomTypesConfig, types } from 'pg';
import { FencedError } from '../cluster-store.ts';
import { CommitUnknown, ConnectionGone, reasonOf, StoreUnreachable } from './errors.ts';
import { Session } from './session.ts';

export interface PostgresAddress {
  /** postgres://user@host:port/database */
  readonly url: string;
  readonly password?: string | undefined;
  readonly tls?:
    | { readonly ca?: string | undefined; readonly cert?: string | undefined; readonly key?: string | undefined }
    | undefined;
  /** The tables are in a schema of their own; `assay` where none is named. */
  readonly schema?: string | undefined;
}

export interface LinkOptions {
  readonly address: PostgresAddress;
  /** Name that an operator sees in `pg_stat_activity`. */
  readonly name: string;
  readonly leaseMs: number;
  /** Undefined where statements may take their time: migrations, housekeeping, copies. */
  readonly statementMs?: number | undefined;
  /** With `look-ups` every statement is planned once, to go by indexes: see `LOOK_UPS`. */
  readonly plans?: 'look-ups' | undefined;
  /** Done with each new session, before anybody else has it. */
  readonly onConnect?: (session: Session) => Promise<void>;
}

export const DEFAULT_SCHEMA = 'assay';

const CONNECT_MS = 10_000;
/** The server's own limit comes first, since it leaves the session as it was. */
const ANSWER_MARGIN_MS = 3_000;
const PAUSE_MIN_MS = 50;
const PAUSE_MAX_MS = 2_000;

/**
 * Statements of filing and scoring look some rows up by an index, whatever the tables hold. The planner's statistics of
 * a queue, or of a partition that was empty when it was last counted, are wrong most of the time, and planning for each
 * set of parameters costs more than running.
 */
const LOOK_UPS = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
]
  .map((setting) => ` -c ${setting}`)
  .join('');

const INT8 = 20;
const numbers: CustomTypesConfig = {
  // All our integers are row numbers, sizes and milliseconds; none comes near 2^53.
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format ?? 'text'),
};

export class Link {
  readonly #options: LinkOptions;
  #client: Client | undefined;
  #session: Session | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #pauseMs = 0;
  #connectAt = 0;
  #closed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Has the session for itself until `work` is done. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(() => this.#use(work));
    this.#turn = mine.catch(() => {
      // The next caller makes an attempt of its own.
    });
    return mine;
  }

  /** All or nothing. Throws `CommitUnknown` where the answer to the commit did not come. */
  async transaction<T>(work: (session: Session) => Promise<T>, options: { readonly begin?: string } = {}): Promise<T> {
    return this.use((session) => this.within(session, () => work(session), options));
  }

  /** The same, for the one who has the session. */
  async within<T>(session: Session, work: () => Promise<T>, options: { readonly begin?: string } = {}): Promise<T> {
    await session.script(options.begin ?? 'BEGIN');
    const result = await this.#orRollback(session, work);
    await this.#commit(session);
    return result;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  /** Ends what is under way as well. */
  destroy(): void {
    this.#closed = true;
    this.#drop();
  }

  async #use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#connected();
    try {
      return await work(session);
    } catch (error) {
      if (error instanceof CommitUnknown) this.#drop();
      if (!(error instanceof ConnectionGone)) throw error;
      this.#drop();
      throw new StoreUnreachable(`PostgreSQL went away (${this.#options.name}): ${reasonOf(error)}`, { cause: error });
    }
  }

  async #orRollback<T>(session: Session, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectionGone)) {
        await session.script('ROLLBACK').catch(() => {
          // The server does it when the session ends.
          this.#drop();
        });
      }
      throw error;
    }
  }

  async #commit(session: Session): Promise<void> {
    let tag: string;
    try {
      tag = await session.script('COMMIT');
    } catch (error) {
      if (!(error instanceof ConnectionGone)) throw error;
      throw new CommitUnknown(`PostgreSQL went away during a commit (${this.#options.name}): ${reasonOf(error)}`, {
        cause: error,
      });
    }
    if (tag !== 'COMMIT') throw new Error(`PostgreSQL answered ${tag} to a commit`);
  }

  async #connected(): Promise<Session> {
    if (this.#closed) throw new Error(`the connection to PostgreSQL has been closed (${this.#options.name})`);
    if (this.#session !== undefined && this.#client !== undefined) return this.#session;
    await sleep(Math.max(0, this.#connectAt - Date.now()));
    const client = new Client(this.#settings());
    // The next statement notices what happens between statements.
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    try {
      await client.connect();
      const session = new Session(client);
      await this.#options.onConnect?.(session);
      if (this.#closed) throw new Error('closed meanwhile');
      this.#client = client;
      this.#session = session;
      this.#pauseMs = 0;
      return session;
    } catch (error) {
      destroy(client);
      this.#pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, this.#pauseMs * 2));
      this.#connectAt = Date.now() + this.#pauseMs;
      if (error instanceof FencedError) throw error;
      const { host, pathname } = new URL(this.#options.address.url);
      throw new StoreUnreachable(`connect to PostgreSQL at ${host}${pathname}: ${reasonOf(error)}`, { cause: error });
    }
  }

  #settings() {
    const { address, name, leaseMs, statementMs } = this.#options;
    const schema = address.schema ?? DEFAULT_SCHEMA;
    const { ca, cert, key } = address.tls ?? {};
    return {
      connectionString: withPassword(address),
      ...(address.tls === undefined
        ? {}
        : {
            ssl: {
              ...(ca === undefined ? {} : { ca }),
              ...(cert === undefined ? {} : { cert }),
              ...(key === undefined ? {} : { key }),
            },
          }),
      application_name: `assay ${name}`.slice(0, 63),
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      idle_in_transaction_session_timeout: leaseMs,
      ...(statementMs === undefined
        ? {}
        : { statement_timeout: statementMs, query_timeout: statementMs + ANSWER_MARGIN_MS }),
      // A client that is cut off must not keep its locks until the system's own two hours are over.
      options: `-c search_path=${schema} -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3${
        this.#options.plans === 'look-ups' ? LOOK_UPS : ''
      }`,
      types: numbers,
    };
  }

  #lose(client: Client): void {
    if (this.#client === client) this.#drop();
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#session = undefined;
    if (client !== undefined) destroy(client);
  }
}

function destroy(client: Client): void {
  client.removeAllListeners('end');
  // An answer that comes too late must not reach whoever has the next session.
  client.connection.stream.destroy();
  client.end().catch(() => {
    // It is gone, which is what was wanted.
  });
}

/** A password beside the URL would be ignored: what the URL says of it is preferred, even where it says nothing. */
function withPassword({ url, password }: PostgresAddress): string {
  const whole = new URL(url);
  if (password !== undefined) whole.password = encodeURIComponent(password);
  return whole.href;
}
