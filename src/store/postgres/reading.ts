/** How PostgreSQL finds the rows that readers ask for: by which index, by which days, and with which cursor. */
import {
  askedWords,
  type CandidateRows,
  type Condition,
  type ConversationSearch,
  EVERYWHERE,
  inStretch,
  stretchOf,
} from '../conversation-search.ts';
import { madeSince } from '../evaluation-scan.ts';
import type { FrameDialect } from '../rules/frame.ts';
import type { EvaluationsDialect } from '../rules/evaluations.ts';
import type { Scan, ScanDialect } from '../rules/scans.ts';
import { type IndexedSearch, type PlaceRow, toPlace } from '../rules/search.ts';
import { cells, given, type Pages, page, type Rule, rows } from '../sql.ts';
import { DIALECT } from './dialect.ts';
import { readWaiting } from './waiting.ts';

const WITH_WORDS_MAX = 1000;
const FETCHED = 1_000;
const DAY_MS = 86_400_000;

export const READING: EvaluationsDialect & IndexedSearch & ScanDialect & FrameDialect = {
  ...DIALECT,
  inItsDays: '(e.day >= c.first_day OR e.day < 0)',
  failedAmong: 'e.failed && ?::text[]',
  contains: (text) => `strpos(${text}, ?) > 0`,
  limits: { lookedAt: 10_000, searched: 5_000 },
  anyOrder: 'id > 0 AND first_closed_at IS NOT NULL ORDER BY id DESC',
  candidates: rowsWithWords,
  worst: () => given(undefined),
  rowsOf: () => given({ rows: EVERYWHERE }),
  wayThrough: () => ({ by: '', between: [] }),
  waiting: readWaiting,
  isShadow: (table) => `left(${table}.suite, 7) = 'shadow:'`,
  madeSince: (time) => given([daysSince(time)]),
  each,
  countFrame: (window) => `SELECT frame, feedback, came_out, foretold, count(*) AS conversations FROM conversations c
    WHERE ${window} AND frame IS NOT NULL GROUP BY frame, feedback, came_out, foretold`,
};

const HAS_WORDS = { name: 'has-words', sql: 'SELECT EXISTS (SELECT 1 FROM spoken) AS has' };
const WITH_WORDS = {
  name: 'with-words',
  sql: `SELECT c.id, c.began_at FROM spoken s JOIN conversations c ON c.key = s.key
    WHERE s.words @@ ?::tsquery AND c.first_closed_at IS NOT NULL AND ${inStretch(stretchOf({})).sql}
    ORDER BY c.began_at DESC, c.id DESC LIMIT ?`,
};

/** Undefined where no words are asked for, or none are kept. */
function* rowsWithWords(search: ConversationSearch): Rule<CandidateRows | undefined> {
  const asked = askedWords(search);
  if (asked === undefined) return undefined;
  const [kept] = yield* rows<{ has: boolean }>(HAS_WORDS);
  if (kept?.has !== true) return undefined;
  const { forms, beginning } = asked;
  const query = forms
    .map((all, at) => [...all.map((form) => `'${form}'`), ...(at === forms.length - 1 ? [`'${beginning}':*`] : [])])
    .map((either) => `(${either.join(' | ')})`)
    .join(' & ');
  const values = [query, ...inStretch(stretchOf(search)).values, WITH_WORDS_MAX];
  const found = yield* rows<PlaceRow>(WITH_WORDS, values);
  const last = found.length === WITH_WORDS_MAX ? found.map(toPlace).at(-1) : undefined;
  const isOneOf = () => ({ sql: 'c.id = ANY(?::bigint[])', values: [found.map(({ id }) => id)] });
  return { isOneOf, count: found.length, last, hasWords: true };
}

/** Kept rows have a negative day, so other partitions are not searched in vain. */
function daysSince(time: number): Condition {
  return { sql: '(e.day >= ?::int OR e.day < 0)', values: [Math.floor(madeSince(time) / DAY_MS) - 1] };
}

const CURSOR = 'DECLARE each_row NO SCROLL CURSOR FOR';

/** With a cursor, so that no more than some rows are in memory. */
function* each<Cells extends readonly unknown[], T>(scan: Scan, to: (cells: Cells) => T): Pages<readonly T[]> {
  const { select, from, where, order, limit } = scan;
  const sql = `SELECT ${select} FROM ${from} WHERE ${where.map((one) => one.sql).join(' AND ')}`;
  const all =
    limit === undefined
      ? `${sql} ORDER BY ${order}`
      : `SELECT e.* FROM (${sql} ORDER BY ${order} DESC LIMIT ${Math.trunc(limit)}) e ORDER BY ${order}`;
  yield* once('BEGIN READ ONLY');
  yield* rows(
    { name: 'declare', sql: `${CURSOR} ${all}`, varies: true },
    where.flatMap((one) => one.values),
  );
  for (;;) {
    const found = yield* cells<Cells>({ name: 'fetch', sql: `FETCH ${FETCHED} FROM each_row`, varies: true });
    if (found.length > 0) yield page(found.map(to));
    if (found.length < FETCHED) break;
  }
  yield* once('COMMIT');
}

function once(sql: string): Rule<readonly object[]> {
  return rows({ name: 'cursor', sql, varies: true });
}
