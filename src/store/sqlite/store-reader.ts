/**
 * Reads the store beside its writer, from any thread or process: for the API, `assay explain` and the tests. SQLite's
 * write-ahead log lets readers see the last commit without waiting for the writer.
 */
import { DatabaseSync } from 'node:sqlite';
import { readCloseCause } from '../../model/causes.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import type { TraceId } from '../../model/ids.ts';
import { type ConversationQuery, searchFor, type TraceRow } from '../conversation-reader.ts';
import type { ConversationRow } from '../conversation-row.ts';
import type { ConversationSearch, FoundConversations } from '../conversation-search.ts';
import type { TraceContent } from '../engine-store.ts';
import { EVALUATION_COLUMNS } from '../evaluation-columns.ts';
import type { ScanQuery } from '../evaluation-scan.ts';
import { type Reading, reading } from '../rules/reader.ts';
import { ContentReader, contentDirectory } from './content-reader.ts';
import { READING } from './reading.ts';
import { SqliteSql } from './sqlite-sql.ts';
import { Statements } from './statements.ts';
import { readContent } from './traces.ts';

export type StoreReader = Reading<'now'> & ReturnType<typeof onlyHere>;

export const StoreReader = {
  open(file: string): StoreReader {
    const database = new DatabaseSync(file, { readOnly: true });
    database.exec('PRAGMA busy_timeout = 5000');
    return StoreReader.on(database, file);
  },

  /** On a connection that somebody else has and closes. */
  on(database: DatabaseSync, file: string): StoreReader {
    const statements = new Statements(database);
    const reads = reading(new SqliteSql(READING, statements, neverWrites));
    const needUpToDate = upToDate(statements);
    const search = (asked: ConversationSearch): FoundConversations => {
      needUpToDate();
      return reads.pages.search(asked);
    };
    const scanEvaluations = (query: ScanQuery) => {
      needUpToDate();
      return reads.scanEvaluations(query);
    };
    const pages = { ...reads.pages, search };
    return { ...reads, pages, scanEvaluations, ...onlyHere(database, statements, file, { ...reads, pages }) };
  },
};

function neverWrites(what: string): never {
  throw new Error(`store: a reader was asked for ${what}`);
}

/** Throws if a column of evaluations is not there. The service migrates its store before it reads. */
function upToDate(statements: Statements): () => void {
  let isUpToDate = false;
  return () => {
    if (isUpToDate) return;
    const columns = new Set(
      statements
        .of('PRAGMA table_info(evaluations)')
        .all()
        .map(({ name }) => name),
    );
    if (!EVALUATION_COLUMNS.every(({ name }) => columns.has(name)))
      throw new Error(
        'the store was written by an older Assay: start `assay serve` on it once, which brings it up to date',
      );
    isUpToDate = true;
  };
}

/** Reads that only the store of one machine has, and those of content, which lies in files. */
function onlyHere(
  database: DatabaseSync,
  statements: Statements,
  file: string,
  reads: Pick<Reading<'now'>, 'pages' | 'pagesOfEvaluations'>,
) {
  const files = new ContentReader(contentDirectory(file));
  const traceIdOf = (bytes: unknown) =>
    // The casts are the brand: the store's writer took these bytes from a trace id.
    Buffer.from(bytes as Uint8Array).toString('hex') as TraceId;
  return {
    /** Latest first; one page. */
    list: (query: ConversationQuery): readonly ConversationRow[] => reads.pages.search(searchFor(query)).rows,

    *allEvaluations(): Generator<Evaluation> {
      for (const page of reads.pagesOfEvaluations()) yield* page;
    },

    traces: (conversation: ConversationRow): readonly TraceRow[] =>
      statements
        .of('SELECT id, trace_id, revision, cause, spans FROM traces WHERE conversation = ? ORDER BY id')
        .all(conversation.row)
        .map((row) => ({
          row: Number(row.id),
          traceId: traceIdOf(row.trace_id),
          revision: Number(row.revision),
          cause: readCloseCause(String(row.cause)),
          spans: Number(row.spans),
        })),

    content(trace: Pick<TraceRow, 'row'>): TraceContent | undefined {
      const row = statements.of('SELECT * FROM traces WHERE id = ?').get(trace.row);
      return row === undefined ? undefined : readContent(row, (place) => files.read(place));
    },

    *allContent(): Generator<{ readonly traceId: TraceId; readonly content: TraceContent }> {
      for (const row of database.prepare('SELECT * FROM traces').iterate())
        yield { traceId: traceIdOf(row.trace_id), content: readContent(row, (place) => files.read(place)) };
    },

    close(): void {
      files.close();
      if (database.isOpen) database.close();
    },
  };
}
