/** Outcomes of the world (outcome-label-store.ts): one row for each name. */
import type { NamedOutcome, SaidOutcome } from '../../model/validity.ts';
import type { ConversationRow } from '../conversation-row.ts';
import type { OutcomeName } from '../outcome-label-store.ts';
import { cells, change, type Dialect, isTrue, type Pages, type Rule, rows, transaction } from '../sql.ts';
import type { ScanDialect } from './scans.ts';

/** How many of them were not known so before. Under a lock: two who put the same in another order would wait for each other for ever. */
export function putOutcomes(
  dialect: Dialect,
  outcomes: readonly SaidOutcome[],
  now: number = Date.now(),
): Rule<number> {
  return transaction({ what: 'outcomes', lock: 'labels' }, function* () {
    let changed = 0;
    for (const one of outcomes) changed += yield* put(dialect, one, now);
    return changed;
  });
}

function put(dialect: Dialect, said: SaidOutcome, now: number): Rule<number> {
  const { conversationId, label, isGood, value, case: ofCase } = said;
  const { key, nameKey, keyOf, isHashed, toStored } = dialect;
  const place = [keyOf(conversationId), keyOf(label)];
  const remove = `DELETE FROM outcome_labels WHERE ${key} = ? AND ${nameKey} = ?`;
  if (isGood === undefined) return change({ name: 'remove-outcome-label', sql: remove }, place);
  const sql = `INSERT INTO outcome_labels (${CELLS}, put_at${isHashed ? `, ${key}, ${nameKey}` : ''})
    VALUES (?, ?, ?, ?, ?, ?${isHashed ? ', ?, ?' : ''})
    ON CONFLICT (${key}, ${nameKey}) DO UPDATE
      SET good = excluded.good, value = excluded.value, of_case = excluded.of_case, put_at = excluded.put_at
      WHERE (outcome_labels.good, outcome_labels.value, outcome_labels.of_case)
        IS DISTINCT FROM (excluded.good, excluded.value, excluded.of_case)`;
  const optional = [value, ofCase].map((text) => (text === undefined ? null : toStored(text)));
  const values = [toStored(conversationId), toStored(label), isGood, ...optional, now, ...(isHashed ? place : [])];
  return change({ name: 'put-outcome-label', sql }, values);
}

type OutcomeCells = readonly [
  conversationId: string,
  label: string,
  good: boolean | number,
  value: string | null,
  ofCase: string | null,
];

const CELLS = 'conversation_id, label, good, value, of_case';

function toOutcome({ fromStored }: Dialect, [conversationId, label, good, value, ofCase]: OutcomeCells): NamedOutcome {
  return {
    conversationId: fromStored(conversationId),
    label: fromStored(label),
    isGood: isTrue(good),
    value: value === null ? undefined : fromStored(value),
    case: ofCase === null ? undefined : fromStored(ofCase),
  };
}

export function* outcomeNames({ byBytes, fromStored }: Dialect): Rule<readonly OutcomeName[]> {
  const sql = `SELECT label, count(*) AS outcomes FROM outcome_labels GROUP BY label ORDER BY ${byBytes('label')}`;
  const found = yield* rows<OutcomeName>({ name: 'outcome-names', sql });
  return found.map(({ label, outcomes }) => ({ label: fromStored(label), outcomes }));
}

export function* outcomesNamed(dialect: ScanDialect, name: string): Pages<readonly NamedOutcome[]> {
  const scan = {
    select: CELLS,
    from: 'outcome_labels',
    where: [{ sql: `${dialect.nameKey} = ?`, values: [dialect.keyOf(name)] }],
    order: dialect.byBytes('conversation_id'),
    by: { column: 'conversation_id', after: '', place: 0 },
  };
  yield* dialect.each(scan, (row: OutcomeCells) => toOutcome(dialect, row));
}

/** By name. */
export function* outcomesOf(dialect: Dialect, { conversationId }: ConversationRow): Rule<readonly NamedOutcome[]> {
  const { key, keyOf, byBytes } = dialect;
  const sql = `SELECT ${CELLS} FROM outcome_labels WHERE ${key} = ? ORDER BY ${byBytes('label')}`;
  const found = yield* cells<OutcomeCells>({ name: 'outcomes-of', sql }, [keyOf(conversationId)]);
  return found.map((row) => toOutcome(dialect, row));
}
