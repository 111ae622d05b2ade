/**
 * The files of one batch: the tables of an export, and the content from which conversations can be scored again. They
 * are built in memory, so a batch ends early when they are large.
 */
import type { ConversationReader } from '../../store/conversation-reader.ts';
import { intactContent } from '../../store/intact-content.ts';
import { evaluationIdOf } from '../../report/results/evaluation-record.ts';
import { ARCHIVE_TABLES, type ArchiveTable } from '../../archive/archive-keys.ts';
import { columnsOf, type ExportColumn, type ExportRow, ExportRows } from '../exporting/export-tables.ts';
import { ParquetFile } from '../exporting/parquet-file.ts';

export type ArchiveReader = Pick<ConversationReader, 'find' | 'traces' | 'content' | 'pages'>;
/** Undefined for a table without rows. */
type ArchiveFiles = { readonly [T in ArchiveTable]: Uint8Array<ArrayBuffer> | undefined };

const CONTENT_COLUMNS: readonly ExportColumn[] = [
  { name: 'conversation_id', kind: 'text', always: true },
  { name: 'trace_id', kind: 'text', always: true },
  { name: 'spans', kind: 'bytes', always: true },
  { name: 'log_records', kind: 'bytes', always: false },
];
const EVALUATION_ID: ExportColumn = { name: 'evaluation_id', kind: 'text', always: true };

const COLUMNS: { readonly [T in ArchiveTable]: readonly ExportColumn[] } = {
  conversations: columnsOf('conversations'),
  evaluations: [EVALUATION_ID, ...columnsOf('evaluations')],
  verdicts: [EVALUATION_ID, ...columnsOf('verdicts')],
  content: CONTENT_COLUMNS,
};

/** Bytes of content before compression, after which a batch takes no more conversations. */
const CONTENT_BYTES_MAX = 32 << 20;
/** The same of one conversation, after which its later turns are left out: files are made in memory. */
const CONVERSATION_BYTES_MAX = 256 << 20;

export interface BuiltFiles {
  /** How many of the conversations were looked at. */
  readonly taken: number;
  /** Ids of those that are in the files. */
  readonly conversations: readonly string[];
  readonly files: ArchiveFiles;
}

export async function buildFiles(
  reader: ArchiveReader,
  ids: readonly string[],
  contentBytesMax = CONTENT_BYTES_MAX,
): Promise<BuiltFiles> {
  const written = new WrittenTables(COLUMNS);
  const exported = new ExportRows(undefined);
  const conversations: string[] = [];
  let taken = 0;
  let contentBytes = 0;
  for (const id of ids) {
    if (contentBytes >= contentBytesMax) break;
    taken += 1;
    const row = await reader.find(id);
    if (row === undefined) continue;
    conversations.push(id);
    const evaluations = (await reader.pages.evaluations([row], { revisions: 'last', of: 'live' })).get(row.row) ?? [];
    const conversation = { row, evaluations };
    written.add('conversations', exported.of('conversations', conversation));
    for (const table of ['evaluations', 'verdicts'] as const)
      written.add(
        table,
        exported.of(table, conversation).map((one) => ({ evaluation_id: evaluationIdOf(placeIn(one)), ...one })),
      );
    const begins = contentBytes;
    for (const trace of await reader.traces(row)) {
      if (contentBytes - begins >= CONVERSATION_BYTES_MAX) break;
      const content = await intactContent(reader, trace);
      // Damage is reported by whoever scores or shows it.
      if (content === undefined || content === 'damaged') continue;
      const { traces: spans, logs } = content;
      contentBytes += spans.length + (logs?.length ?? 0);
      written.add('content', [{ conversation_id: id, trace_id: trace.traceId, spans, log_records: logs ?? null }]);
    }
  }
  return { taken, conversations, files: written.end() };
}

/** Files of several tables, of which those without rows are left out. */
export class WrittenTables {
  readonly #files = new Map<
    ArchiveTable,
    { readonly file: ParquetFile; readonly pieces: Uint8Array[]; rows: number }
  >();

  constructor(columns: { readonly [T in ArchiveTable]?: readonly ExportColumn[] }) {
    for (const table of ARCHIVE_TABLES) {
      const own = columns[table];
      if (own !== undefined) this.#files.set(table, { file: new ParquetFile(own, 'ZSTD'), pieces: [], rows: 0 });
    }
  }

  add(table: ArchiveTable, rows: readonly ExportRow[]): void {
    const file = this.#files.get(table);
    if (file === undefined) return;
    file.pieces.push(file.file.add(rows));
    file.rows += rows.length;
  }

  end(): ArchiveFiles {
    const ended = (table: ArchiveTable) => {
      const file = this.#files.get(table);
      if (file === undefined || file.rows === 0) return undefined;
      return Uint8Array.from(Buffer.concat([...file.pieces, file.file.end()]));
    };
    return {
      conversations: ended('conversations'),
      evaluations: ended('evaluations'),
      verdicts: ended('verdicts'),
      content: ended('content'),
    };
  }
}

/** The columns from which the id of an evaluation is derived. */
function placeIn(row: ExportRow): Parameters<typeof evaluationIdOf>[0] {
  const { conversation_id, turn_id, suite, suite_version, revision } = row;
  // The cast holds because the row was made of an evaluation.
  return {
    conversationId: conversation_id,
    turnId: turn_id ?? undefined,
    suite,
    suiteVersion: suite_version,
    revision,
  } as Parameters<typeof evaluationIdOf>[0];
}
