/**
 * Conversations that an export finds, the latest first, a few at a time. Pages follow one another by the number of the
 * row, so that no page costs more than another. A conversation that is written while the export runs is read as it is
 * when its page is read; one that begins after the export is not in it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ExportQuery } from '../../api/export.ts';
import type { ConversationReader } from '../../store/conversation-reader.ts';
import type { ConversationRow } from '../../store/conversation-row.ts';
import type { ReadEvaluation } from '../../store/read-evaluation.ts';
import { searchOf } from '../api/v1/conversation-list.ts';

/** Conversations that a page looks for. */
const PAGE_ROWS = 500;
/** Turns of the conversations whose evaluations are read at once: a conversation of a thousand turns has as many. */
const TURNS_TOGETHER = 200;
/** A store that is away for a moment is asked again. */
const TRIES_MAX = 60;
const RETRY_MS = 1_000;

export interface ExportedConversation {
  readonly row: ConversationRow;
  /** The last ones of live suites, and those that wait. */
  readonly evaluations: readonly ReadEvaluation[];
}

export type ExportReader = Pick<ConversationReader, 'pages' | 'find'>;

/** Empty lists come as well, so that a caller can see that it goes on. Rejects where the store cannot be read for a minute. */
export async function* exportedConversations(
  reader: ExportReader,
  query: ExportQuery,
  { retryMs = RETRY_MS }: { readonly retryMs?: number } = {},
): AsyncGenerator<readonly ExportedConversation[]> {
  const { pages } = reader;
  const asked = await patiently(async () => searchOf(reader, { ...query, order: 'latest', limit: PAGE_ROWS }), retryMs);
  let { cursor } = asked;
  for (;;) {
    const search = { ...asked, cursor };
    const page = await patiently(async () => pages.search(search), retryMs);
    for (const rows of fewAtATime(page.rows)) {
      const read = await patiently(async () => pages.evaluations(rows, { revisions: 'last', of: 'live' }), retryMs);
      yield rows.map((row) => ({ row, evaluations: read.get(row.row) ?? [] }));
    }
    cursor = page.next;
    if (cursor === undefined) return;
    if (page.rows.length === 0) yield [];
  }
}

function* fewAtATime(rows: readonly ConversationRow[]): Generator<readonly ConversationRow[]> {
  let few: ConversationRow[] = [];
  let turns = 0;
  for (const row of rows) {
    if (few.length > 0 && turns + row.turns > TURNS_TOGETHER) {
      yield few;
      few = [];
      turns = 0;
    }
    few.push(row);
    turns += row.turns;
  }
  if (few.length > 0) yield few;
}

async function patiently<T>(read: () => Promise<T>, retryMs: number): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await read();
    } catch (error) {
      if (tried === TRIES_MAX) throw error;
      await pause(retryMs);
    }
  }
}
