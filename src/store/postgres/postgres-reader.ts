/** Reads the shared store for people: the API, `assay explain` and the tests. On a connection of its own, and nothing is ever written. */
import type { Evaluation } from '../../model/evaluation.ts';
import type { TraceRow } from '../conversation-reader.ts';
import type { ConversationRow } from '../conversation-row.ts';
import { type Reading, reading } from '../rules/reader.ts';
import { Link, type LinkOptions, type PostgresAddress } from './link.ts';
import { PostgresSql } from './postgres-sql.ts';
import { readContent, readTraces } from './read-conversation.ts';
import { READING } from './reading.ts';

const STATEMENT_MS = 60_000;

export type PostgresReader = Reading<'later'> & ReturnType<typeof onlyHere>;

export const PostgresReader = {
  /** Connects when it is first asked: for who knows that there is a store, though it may be away just now. */
  of(
    address: PostgresAddress,
    { statementMs }: { readonly statementMs: number } = { statementMs: STATEMENT_MS },
  ): PostgresReader {
    return on(address, statementMs).reader;
  },

  async open(address: PostgresAddress): Promise<PostgresReader> {
    const { link, reader } = on(address, STATEMENT_MS);
    try {
      await link.use((session) => session.once('SELECT version FROM schema_version'));
    } catch (error) {
      link.destroy();
      throw new Error('no store of Assay is in this database and schema, or it may not be read', { cause: error });
    }
    return reader;
  },
};

function on(address: PostgresAddress, statementMs: number) {
  // A search by evaluations would otherwise be planned as a join with all of them.
  const link = linkTo(address, { statementMs, plans: 'look-ups' });
  const reads = reading(new PostgresSql(READING, link, () => linkTo(address, { statementMs })));
  const reader: PostgresReader = { ...reads, ...onlyHere(link, reads) };
  return { link, reader };
}

function linkTo(address: PostgresAddress, options: Pick<LinkOptions, 'statementMs' | 'plans'>): Link {
  return new Link({ address, name: 'reader', leaseMs: 600_000, ...options });
}

/** Reads of what lies elsewhere in the store of one machine. */
function onlyHere(link: Link, reads: Pick<Reading<'later'>, 'pagesOfEvaluations'>) {
  return {
    async *allEvaluations(): AsyncGenerator<Evaluation> {
      for await (const page of reads.pagesOfEvaluations()) yield* page;
    },

    traces: (conversation: ConversationRow): Promise<readonly TraceRow[]> =>
      link.use((session) => readTraces(session, conversation)),

    /** Content of a trace that `traces` returned. */
    content: (trace: TraceRow) => link.use((session) => readContent(session, trace)),

    /** How many rows there are of each, for whoever copies or checks. */
    async counts(): Promise<{ readonly conversations: number; readonly traces: number; readonly evaluations: number }> {
      const [row] = await link.use((session) =>
        session.once<{ conversations: number; traces: number; evaluations: number }>(
          `SELECT (SELECT count(*) FROM conversations WHERE first_closed_at IS NOT NULL) AS conversations,
           (SELECT count(*) FROM traces) AS traces, (SELECT count(*) FROM evaluations) AS evaluations`,
        ),
      );
      return row ?? { conversations: 0, traces: 0, evaluations: 0 };
    },

    close: (): Promise<void> => link.close(),
  };
}
