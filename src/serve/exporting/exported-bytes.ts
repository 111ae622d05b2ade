/** An export as the bytes of its file, a piece at a time. The memory of one piece and of one group of rows is all it takes. */
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { ExportLine, ExportQuery } from '../../api/export.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { conversationItemOf } from '../api/v1/conversation-item.ts';
import { fullEvaluations } from '../api/v1/full-evaluations.ts';
import { columnsOf, ExportRows } from './export-tables.ts';
import { type ExportedConversation, type ExportReader, exportedConversations } from './exported-conversations.ts';
import { ParquetFile } from './parquet-file.ts';

interface ExportSource {
  readonly reader: ExportReader;
  /** Suites that run, which say the weight and the question of a criterion. */
  readonly suites: readonly SuiteOutline[];
}

/** Pieces may be empty. Without the last one, the file is not whole. */
export async function* exportedBytes(
  { reader, suites }: ExportSource,
  query: ExportQuery,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { table, format, suite } = query;
  const rows = new ExportRows(suite);
  if (format === 'parquet') {
    const file = new ParquetFile(columnsOf(table));
    for await (const few of exportedConversations(reader, query))
      yield file.add(few.flatMap((conversation) => rows.of(table, conversation)));
    yield file.end();
    return;
  }
  const encoder = new TextEncoder();
  for await (const few of exportedConversations(reader, query)) {
    const values =
      table === 'conversations'
        ? few.map((conversation) => wholeLine(conversation, suites))
        : few.flatMap((conversation) => rows.of(table, conversation));
    yield encoder.encode(values.map((value) => `${visibleJson(value)}\n`).join(''));
  }
}

function wholeLine({ row, evaluations }: ExportedConversation, suites: readonly SuiteOutline[]): ExportLine {
  const { evaluations: _listed, evaluations_left_out: _left, ...item } = conversationItemOf(row, evaluations, suites);
  return { ...item, evaluations: fullEvaluations(evaluations, suites) };
}
