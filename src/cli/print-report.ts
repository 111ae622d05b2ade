/** A report as the flags of a command want it: for a person or as JSON, and as Markdown in a file. */
import { visibleJson } from '../model/visible-text.ts';
import type { Document } from '../report/documents/document.ts';
import { documentMarkdown } from '../report/documents/document-markdown.ts';
import { printDocument } from './print-document.ts';
import type { Terminal } from './terminal.ts';
import { writeReport } from './write-report.ts';

export async function printReport(
  terminal: Terminal,
  flags: { readonly json?: boolean; readonly markdown?: string },
  report: { readonly document: Document; readonly json: unknown; readonly indent?: number },
): Promise<void> {
  await writeReport(flags.markdown, () => documentMarkdown(report.document), terminal);
  if (flags.json === true) terminal.out(visibleJson(report.json, report.indent));
  else if (flags.markdown !== '-') printDocument(terminal, report.document);
}
