/** Classifies errors of PostgreSQL by what can be done about them. */
import { DatabaseError } from 'pg';

/** The database could not be reached, or went away. Nothing of the transaction is left; the same work may be tried again. */
export class StoreUnreachable extends Error {}

/** The session is of no use any more. Seen by `Link` only, which says what it means. */
export class ConnectionGone extends Error {}

/** The connection went away while a commit was under way: only the database knows whether it was done. */
export class CommitUnknown extends Error {}

/** PostgreSQL refused a statement; the session is as good as before. Its transaction is over. */
export class StatementFailed extends Error {
  /** Codes of five characters; https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The transaction was given up on purpose, and the same call will do better. */
export class TryAgain extends Error {}

/** Whether the session is gone or of no use, so that the next attempt needs a new one. */
export function isConnectionGone(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  const code = error.code ?? '';
  // 08: connection exception. 57P0x: shut down, crashed, starting. 25P03: idle in a transaction for longer than the lease.
  return /^(08|57P0[123]|25P03|57P05)/.test(code) || error.severity === 'FATAL' || error.severity === 'PANIC';
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return error.message;
}
