/**
 * `GET /api/v1/export`: the conversations that a list finds, latest first, a line of JSON each. It is read a part at a
 * time, so that neither the reading thread nor the memory is its own: `next` of an answer is the query of the part that
 * follows, and `streamed-reads.ts` sends one after the other.
 */
import { exportLine, type ExportLine, type ExportQuery, exportQuery } from '../../../model/api/export.ts';
import { visibleJson } from '../../../model/visible-text.ts';
import { mistakesAnswer } from '../../../report/http/answer.ts';
import type { RemoteRead } from '../../../report/http/route.ts';
import type { ConversationRow } from '../../../store/conversation-row.ts';
import { conversationItemOf } from './conversation-item.ts';
import { cursorText, searchOf } from './conversation-list.ts';
import { fullEvaluations } from './full-evaluations.ts';
import { isoTime } from './iso-time.ts';
import { givenIn } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** Conversations that a part looks for, and those whose evaluations are read at once. */
const PART_ROWS = 100;
const READ_TOGETHER = 10;
/** A part that is longer ends early: a conversation may have thousands of evaluations. */
const PART_CHARACTERS = 1_000_000;

export const exportConversations: RemoteRead<Pick<V1Side, 'reader' | 'suites'>> = {
  method: 'GET',
  may: 'read',
  takes: 'read',
  path: '/api/v1/export',
  summary: `?format=jsonl and the filters of /api/v1/conversations: all conversations that they find, with their last verdicts,
a line of JSON each`,
  shapes: { query: exportQuery, answer: exportLine, type: 'application/jsonl' },
  handle: async ({ reader, suites }, { query: asked }) => {
    const given = givenIn(asked, exportQuery);
    const parsed = exportQuery.safeParse(given);
    if (!parsed.success) return mistakesAnswer('query', parsed.error, given);
    const query = parsed.data;
    const page = await reader.pages.search(searchOf({ ...query, order: 'latest', limit: PART_ROWS }));
    const lines: string[] = [];
    let characters = 0;
    let done: ConversationRow | undefined;
    for (let from = 0; from < page.rows.length && characters < PART_CHARACTERS; from += READ_TOGETHER) {
      const rows = page.rows.slice(from, from + READ_TOGETHER);
      const evaluations = await reader.pages.evaluations(rows, { revisions: 'last', of: 'live' });
      for (const row of rows) {
        const {
          evaluations: _listed,
          evaluations_left_out: _left,
          ...item
        } = conversationItemOf(row, evaluations.get(row.row) ?? [], suites());
        const line: ExportLine = { ...item, evaluations: fullEvaluations(evaluations.get(row.row) ?? [], suites()) };
        lines.push(`${visibleJson(line)}\n`);
        characters += lines.at(-1)?.length ?? 0;
        done = row;
      }
    }
    const cursor = done === page.rows.at(-1) ? page.next : { before: done?.row ?? 0 };
    return {
      status: 200,
      type: 'application/jsonl',
      body: lines.join(''),
      headers: { 'content-disposition': 'attachment; filename="conversations.jsonl"' },
      ...(cursor === undefined ? {} : { next: nextQuery(asked, query, cursorText(cursor)) }),
    };
  },
};

/** The same question. Its times are those that the first part was asked for, however long the export takes. */
function nextQuery(asked: URLSearchParams, { since, until }: ExportQuery, cursor: string): string {
  const next = new URLSearchParams(asked);
  if (since !== undefined) next.set('since', isoTime(since));
  if (until !== undefined) next.set('until', isoTime(until));
  next.set('cursor', cursor);
  return next.toString();
}
