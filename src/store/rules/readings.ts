/** Readings (reading-store.ts): one row for each source and name. */
import {
  type KeptReading,
  outcomesAmong,
  type ReadingAnswer,
  type ReadingSource,
  type SaidReading,
} from '../../model/readings.ts';
import type { NamedOutcome } from '../../model/validity.ts';
import type { ConversationRow } from '../conversation-row.ts';
import { cameOutSql } from '../frame-columns.ts';
import type { OutcomeName } from '../reading-store.ts';
import { cells, change, type Dialect, isTrue, type Pages, type Rule, rows, transaction } from '../sql.ts';
import type { ScanDialect } from './scans.ts';

/** How many of them were not known so before. Under a lock: two who put the same in another order would wait for each other for ever. */
export function putReadings(
  dialect: Dialect,
  readings: readonly SaidReading[],
  now: number = Date.now(),
): Rule<number> {
  return transaction({ what: 'readings', lock: 'labels' }, function* () {
    let changed = 0;
    for (const one of readings) changed += yield* put(dialect, one, now);
    const outcomes = readings.filter(({ source }) => source === 'outcome');
    if (changed > 0 && outcomes.length > 0) yield* noteOutcomes(dialect, outcomes);
    return changed;
  });
}

/** Ids among these that name no conversation: it may come later. */
export function* unknownConversations(dialect: Dialect, ids: readonly string[]): Rule<ReadonlySet<string>> {
  const { key, keyOf, among, fromStored } = dialect;
  const sql = `SELECT conversation_id FROM conversations WHERE ${among(key)}`;
  const found = yield* rows<{ conversation_id: string }>({ name: 'known-conversations', sql }, [ids.map(keyOf)]);
  return new Set(ids).difference(new Set(found.map(({ conversation_id: id }) => fromStored(id))));
}

/** For lists and counts of conversations. A conversation that comes later notes it by a trigger. */
function* noteOutcomes({ key, keyOf, among }: Dialect, outcomes: readonly SaidReading[]): Rule<void> {
  const cameOut = cameOutSql(`readings.${key} = conversations.${key}`);
  const sql = `UPDATE conversations SET came_out = ${cameOut} WHERE ${among(key)}`;
  const conversations = [...new Set(outcomes.map(({ conversationId }) => keyOf(conversationId)))];
  yield* change({ name: 'note-outcomes', sql }, [conversations]);
}

const SAID = ['good', 'certain', 'value', 'of_case', 'first_wrong', 'note'];
/** A person who says the same again without a kind does not mean that it has none. */
const SAME_KIND = 'CASE WHEN excluded.good = readings.good THEN readings.kind END';

function put(dialect: Dialect, said: SaidReading, now: number): Rule<number> {
  const { conversationId, source, by, answer } = said;
  const { key, nameKey, keyOf, isHashed, toStored } = dialect;
  const place = [keyOf(conversationId), keyOf(by)];
  const remove = `DELETE FROM readings WHERE ${key} = ? AND ${nameKey} = ? AND source = ?`;
  if (answer === 'withdrawn') return change({ name: 'withdraw-reading', sql: remove }, [...place, source]);
  const names = ['conversation_id', 'source', 'name', ...SAID, 'kind', 'put_at', ...(isHashed ? [key, nameKey] : [])];
  const of = (table: string) => SAID.map((name) => `${table}.${name}`).join(', ');
  const kept = said.kind === undefined;
  const kind = kept ? SAME_KIND : 'excluded.kind';
  const sql = `INSERT INTO readings (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
    ON CONFLICT (${key}, source, ${nameKey}) DO UPDATE
      SET ${[...SAID, 'put_at'].map((name) => `${name} = excluded.${name}`).join(', ')}, kind = ${kind}
      WHERE (${of('readings')}, readings.kind) IS DISTINCT FROM (${of('excluded')}, ${kind})`;
  const isGood = answer === 'cannot_tell' ? null : answer === 'good';
  const texts = [said.value, said.case, said.firstWrong, said.note, said.kind].map((text) =>
    text === undefined || text === null ? null : toStored(text),
  );
  return change({ name: `put-${kept ? 'reading' : 'kind'}`, sql }, [
    ...[toStored(conversationId), source, toStored(by), isGood, said.isCertain, ...texts, now],
    ...(isHashed ? place : []),
  ]);
}

type ReadingCells = readonly [
  conversationId: string,
  source: ReadingSource,
  name: string,
  good: boolean | number | null,
  certain: boolean | number,
  value: string | null,
  ofCase: string | null,
  firstWrong: string | null,
  note: string | null,
  kind: string | null,
  putAt: number,
];

const CELLS = ['conversation_id', 'source', 'name', ...SAID, 'kind', 'put_at'];

function toReading({ fromStored }: Dialect, row: ReadingCells): KeptReading {
  const [conversationId, source, name, good, certain, value, ofCase, firstWrong, note, kind, at] = row;
  const text = (stored: string | null) => (stored === null ? undefined : fromStored(stored));
  return {
    conversationId: fromStored(conversationId),
    source,
    by: fromStored(name),
    answer: answerOf(good),
    isCertain: isTrue(certain),
    value: text(value),
    case: text(ofCase),
    firstWrong: text(firstWrong),
    note: text(note),
    kind: text(kind),
    at,
  };
}

function answerOf(good: boolean | number | null): ReadingAnswer {
  if (good === null) return 'cannot_tell';
  return isTrue(good) ? 'good' : 'bad';
}

export function* outcomeNames({ byBytes, fromStored }: Dialect): Rule<readonly OutcomeName[]> {
  const sql = `SELECT name AS label, count(*) AS outcomes FROM readings WHERE source = 'outcome' AND good IS NOT NULL
    GROUP BY name ORDER BY ${byBytes('name')}`;
  const found = yield* rows<OutcomeName>({ name: 'outcome-names', sql });
  return found.map(({ label, outcomes }) => ({ label: fromStored(label), outcomes }));
}

export function* outcomesNamed(dialect: ScanDialect, name: string): Pages<readonly NamedOutcome[]> {
  const scan = {
    select: CELLS.join(', '),
    from: 'readings',
    where: [
      { sql: `source = 'outcome' AND good IS NOT NULL AND ${dialect.nameKey} = ?`, values: [dialect.keyOf(name)] },
    ],
    order: dialect.byBytes('conversation_id'),
    by: { column: 'conversation_id', after: '', place: 0 },
  };
  yield* dialect.each(scan, (row: ReadingCells) => {
    const [outcome] = outcomesAmong([toReading(dialect, row)]);
    if (outcome === undefined) throw new Error('store: a row of an outcome that is none');
    return outcome;
  });
}

/** Readings of these conversations; those of one are by source and name. */
export function* readingsOfKeys(dialect: Dialect, conversations: readonly string[]): Rule<readonly KeptReading[]> {
  const { key, keyOf, among, byBytes } = dialect;
  const sql = `SELECT ${CELLS.join(', ')} FROM readings WHERE ${among(key)} ORDER BY ${key}, source, ${byBytes('name')}`;
  const found = yield* cells<ReadingCells>({ name: 'readings-of-keys', sql }, [conversations.map(keyOf)]);
  return found.map((row) => toReading(dialect, row));
}

/** By source and name. */
export function* readingsOf(dialect: Dialect, { conversationId }: ConversationRow): Rule<readonly KeptReading[]> {
  const { key, keyOf, byBytes } = dialect;
  const sql = `SELECT ${CELLS.join(', ')} FROM readings WHERE ${key} = ? ORDER BY source, ${byBytes('name')}`;
  const found = yield* cells<ReadingCells>({ name: 'readings-of', sql }, [keyOf(conversationId)]);
  return found.map((row) => toReading(dialect, row));
}
