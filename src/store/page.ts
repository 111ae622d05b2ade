/**
 * A page of conversations, latest first. It looks at no more than so many of them, however few it finds, since whoever asks shares a thread or a
 * database with those that score; `next` says where to go on.
 */
interface PageWindow {
  /** Rows from here on, and before there. */
  readonly from: number;
  readonly before: number;
  readonly hasOlder: boolean;
}

/** `first` and `last` are the ends of all that there are; 0 where there are none. */
export function pageWindow(
  ends: { readonly first: number; readonly last: number },
  query: { readonly before?: number | undefined },
  lookedAtMax: number,
): PageWindow {
  const before = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, ends.last + 1);
  const from = before - lookedAtMax;
  return { from, before, hasOlder: from > ends.first };
}

/** Undefined at the end. */
export function nextPage(
  rows: readonly { readonly row: number }[],
  limit: number,
  { from, hasOlder }: PageWindow,
): number | undefined {
  const last = rows.at(-1)?.row;
  if (rows.length === limit && last !== undefined) return last;
  return hasOlder ? from : undefined;
}
