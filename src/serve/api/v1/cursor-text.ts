/** The cursor of a search, as text in an answer and in a query. */
import type { SearchCursor } from '../../../store/conversation-search.ts';

export function cursorText({ before, last }: SearchCursor): string {
  const ofLast = last === undefined ? [] : [last.value, last.at, last.row];
  return [before.at, before.row, ...ofLast].join('.');
}

/** The text has to match `CURSOR`. */
export function cursorOf(text: string): SearchCursor {
  const [at = 0, row = 0, value, lastAt = 0, lastRow = 0] = text.split('.').map(Number);
  return { before: { at, row }, ...(value === undefined ? {} : { last: { value, at: lastAt, row: lastRow } }) };
}
