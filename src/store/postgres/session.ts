/** A connected session, for as long as somebody has it for himself: statements that are prepared once, and COPY. */
import { type Client, DatabaseError, type QueryResultRow } from 'pg';
import type { BinaryRows } from './binary-copy.ts';
import type { Value } from '../sql.ts';
import { CopyIn } from './copy-in.ts';
import { ConnectionGone, isConnectionGone, reasonOf, StatementFailed } from './errors.ts';

/** A statement is prepared under its name the first time that a session runs it. */
interface Statement {
  readonly name: string;
  readonly sql: string;
}

/** Name of an unnamed statement in an error. */
const SHOWN_LENGTH = 60;

export class Session {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async rows<Row extends QueryResultRow>(statement: Statement, values: readonly Value[] = []): Promise<readonly Row[]> {
    const { name, sql } = statement;
    const result = await guarded(name, this.#client.query<Row>({ name, text: sql, values: [...values] }));
    return result.rows;
  }

  /** How many rows it changed. */
  async run(statement: Statement, values: readonly Value[] = []): Promise<number> {
    const { name, sql } = statement;
    const result = await guarded(name, this.#client.query({ name, text: sql, values: [...values] }));
    return result.rowCount ?? 0;
  }

  /** One or more statements without parameters, in one message; the tag of the last is given back. */
  async script(sql: string): Promise<string> {
    const result: unknown = await guarded(sql.slice(0, SHOWN_LENGTH), this.#client.query(sql));
    const last: unknown = Array.isArray(result) ? result.at(-1) : result;
    return typeof last === 'object' && last !== null && 'command' in last ? String(last.command) : '';
  }

  /** A query with its text written for the occasion, as people's searches are. */
  async once<Row extends QueryResultRow>(sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    const result = await guarded(
      sql.slice(0, SHOWN_LENGTH),
      this.#client.query<Row>({ text: sql, values: [...values] }),
    );
    return result.rows;
  }

  /** The same, each row as a list of its cells. */
  async cells(sql: string, values: readonly Value[] = []): Promise<readonly (readonly unknown[])[]> {
    const query = { text: sql, values: [...values], rowMode: 'array' as const };
    return (await guarded(sql.slice(0, SHOWN_LENGTH), this.#client.query<unknown[]>(query))).rows;
  }

  async copy(into: string, rows: BinaryRows): Promise<void> {
    if (rows.rows === 0) return;
    const copied = await guarded(
      `COPY ${into}`,
      new Promise<number>((resolve, reject) => {
        const done = (error: Error | undefined, count = 0) => (error === undefined ? resolve(count) : reject(error));
        this.#client.query(new CopyIn(`COPY ${into} FROM STDIN (FORMAT binary)`, rows.finish(), done));
      }),
    );
    if (copied !== rows.rows) throw new Error(`COPY ${into}: ${copied} rows instead of ${rows.rows}`);
  }
}

/** An error of the connection is told from one of the statement here, where both are known to come from the database. */
async function guarded<T>(what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (isConnectionGone(error)) throw new ConnectionGone(reasonOf(error), { cause: error });
    const code = error instanceof DatabaseError ? (error.code ?? '') : '';
    throw new StatementFailed(`PostgreSQL, ${what}: ${reasonOf(error)}`, code, error);
  }
}
