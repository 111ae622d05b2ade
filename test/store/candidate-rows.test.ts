/** Searches that an index answers find what a look at every row finds, page by page, in a store of many conversations. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { fillStore } from '../../bench/filled-store.ts';
import type { ConversationSearch, SearchCursor } from '../../src/store/conversation-search.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { tempDirectory } from '../temp-directory.ts';

const CONVERSATIONS = 9_000;

function filled(): StoreReader {
  const file = path.join(tempDirectory(), 'assay.db');
  fillStore(file, CONVERSATIONS);
  return StoreReader.open(file);
}

function pagesOf(reader: StoreReader, search: Partial<ConversationSearch>) {
  const found: number[] = [];
  const looked: number[] = [];
  let cursor: SearchCursor | undefined;
  do {
    const page = reader.pages.search({ order: 'latest', limit: 150, ...search, cursor });
    found.push(...page.rows.map(({ row }) => row));
    looked.push(page.lookedAt);
    cursor = page.next;
  } while (cursor !== undefined && looked.length < 1_000);
  return { found, looked };
}

test('failures are found from their index, each once, latest or worst first', () => {
  const reader = filled();
  const every = pagesOf(reader, {}).found;
  const failed = new Set(
    reader.list({ limit: CONVERSATIONS }).flatMap(({ row, worstOutcome }) => (worstOutcome === 2 ? [row] : [])),
  );
  const wanted = every.filter((row) => failed.has(row));

  expect(failed.size).toBe(CONVERSATIONS / 10);
  const all = ['partial_failure', 'hard_failure'] as const;
  expect(pagesOf(reader, { outcomes: all }).found).toEqual(wanted);
  expect(pagesOf(reader, { outcomes: all, order: 'worst' }).found).toEqual(wanted);
  expect(pagesOf(reader, { failedCriteria: ['criterion_0'] }).found).toEqual(wanted);
  expect(pagesOf(reader, { failedCriteria: ['criterion_0'], outcomes: all, agents: ['agent-10'] }).found).toEqual(
    pagesOf(reader, { agents: ['agent-10'] }).found.filter((row) => failed.has(row)),
  );
});

test('a search that nothing meets ends at its first page', () => {
  const reader = filled();
  const nothing: readonly Partial<ConversationSearch>[] = [
    { outcomes: ['hard_failure'] },
    { failedCriteria: ['nothing'] },
    { isLabelled: true },
    { states: ['open', 'waiting'] },
  ];

  for (const search of nothing) expect(pagesOf(reader, search)).toMatchObject({ found: [], looked: [0] });
});
