/** Kinds of failure (failure-store.ts): a column of readings, and a row for each kind of which a person said how far it is. */
import type {
  CountedKind,
  FailedReading,
  GivenKind,
  KeptKind,
  KindChange,
  KindState,
} from '../../model/named-kinds.ts';
import type { KindsChanged } from '../failure-store.ts';
import { cells, change, type Dialect, type Rule, rows, transaction } from '../sql.ts';

/** More readings are not shown: all are counted. A kind that none of these names has no examples. */
const READINGS_MAX = 2000;
/** More kinds of an agent are not counted: the rarest. */
const COUNTED_MAX = 2000;
/** More kinds of an agent are not kept. */
const KINDS_MAX = 500;

/** The readings stay as they are in time: a name is no new reading. */
export function giveKinds(dialect: Dialect, kinds: readonly GivenKind[]): Rule<KindsChanged> {
  const { key, nameKey, keyOf, toStored } = dialect;
  const bad = `source = 'person' AND NOT good AND ${key} = ? AND ${nameKey} = ?`;
  const find = `SELECT 1 AS found FROM readings WHERE ${bad}`;
  const give = `UPDATE readings SET kind = ? WHERE ${bad} AND kind IS DISTINCT FROM ?`;
  return transaction({ what: 'kinds of readings', lock: 'labels' }, function* () {
    for (const { conversationId, by } of kinds) {
      const found = yield* rows({ name: 'find-bad-reading', sql: find }, [keyOf(conversationId), keyOf(by)]);
      if (found.length === 0) return { changed: 0, missing: conversationId };
    }
    let changed = 0;
    for (const { conversationId, by, kind } of kinds) {
      const stored = kind === null ? null : toStored(kind);
      const place = [keyOf(conversationId), keyOf(by)];
      changed += yield* change({ name: 'give-kind', sql: give }, [stored, ...place, stored]);
    }
    return { changed };
  });
}

export function changeKind(dialect: Dialect, asked: KindChange): Rule<KindsChanged> {
  return transaction({ what: 'a kind of failure', lock: 'labels' }, function* (): Rule<KindsChanged> {
    if (!(yield* isThere(dialect, asked.agent, asked.kind))) return { changed: 0, missing: asked.kind };
    return { changed: yield* 'into' in asked ? move(dialect, asked) : say(dialect, asked) };
  });
}

function* isThere(dialect: Dialect, agent: string, kind: string): Rule<boolean> {
  const { key, keyOf, toStored } = dialect;
  const sql = `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM failure_kinds WHERE ${ofAgent(dialect)} AND name = ?)
    OR EXISTS (SELECT 1 FROM readings r JOIN conversations c ON c.${key} = r.${key} WHERE r.kind = ? AND c.agent = ?)`;
  const found = yield* rows({ name: 'find-kind', sql }, [
    ...[keyOf(agent), toStored(kind)],
    ...[toStored(kind), toStored(agent)],
  ]);
  return found.length > 0;
}

/** A kind that is there keeps its own state; a new name takes the state along. */
function* move(dialect: Dialect, { agent, kind, into }: Extract<KindChange, { into: string }>): Rule<number> {
  const { key, keyOf, toStored } = dialect;
  const isNew = !(yield* isThere(dialect, agent, into));
  const readings = `UPDATE readings SET kind = ? WHERE kind = ? AND source = 'person'
    AND EXISTS (SELECT 1 FROM conversations c WHERE c.${key} = readings.${key} AND c.agent = ?)`;
  const names = [toStored(into), toStored(kind)];
  const changed = yield* change({ name: 'move-kind', sql: readings }, [...names, toStored(agent)]);
  const from = `${ofAgent(dialect)} AND name = ?`;
  const place = [keyOf(agent), toStored(kind)];
  if (isNew)
    yield* change({ name: 'rename-kind', sql: `UPDATE failure_kinds SET name = ? WHERE ${from}` }, [
      toStored(into),
      ...place,
    ]);
  else yield* change({ name: 'drop-kind', sql: `DELETE FROM failure_kinds WHERE ${from}` }, place);
  return changed;
}

/** Saying again that it is mended moves the time from which on it would be back. */
function say(
  { keyOf, toStored, isHashed }: Dialect,
  { agent, kind, state, by }: Extract<KindChange, { state: KindState }>,
): Rule<number> {
  const names = ['agent', 'name', 'state', 'state_at', 'by', ...(isHashed ? ['agent_key'] : [])];
  const place = isHashed ? 'agent_key' : 'agent';
  const sql = `INSERT INTO failure_kinds (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
    ON CONFLICT (project, ${place}, name)
      DO UPDATE SET state = excluded.state, state_at = excluded.state_at, by = excluded.by
      WHERE failure_kinds.state <> excluded.state OR failure_kinds.state = 'mended'`;
  const values = [toStored(agent), toStored(kind), state, Date.now(), toStored(by)];
  return change({ name: 'say-kind', sql }, [...values, ...(isHashed ? [keyOf(agent)] : [])]);
}

/** Bad readings by people `r` of an agent's conversations `c`. */
function failuresOf({ key }: Dialect): string {
  return `readings r JOIN conversations c ON c.${key} = r.${key}`;
}
const IS_BAD = "r.source = 'person' AND NOT r.good AND c.agent = ?";
const BEGAN = 'coalesce(c.began_at, c.first_closed_at)';

type CountedCells = readonly [kind: string | null, ...counts: [number, number, number, number, number]];

export function* countedKinds(dialect: Dialect, agent: string): Rule<readonly CountedKind[]> {
  const { keyOf, toStored, fromStored } = dialect;
  const sql = `SELECT r.kind, count(*) AS readings, count(DISTINCT c.id),
      count(DISTINCT CASE WHEN ${BEGAN} > k.state_at THEN c.id END), min(${BEGAN}), max(${BEGAN})
    FROM ${failuresOf(dialect)}
      LEFT JOIN (SELECT name, state_at FROM failure_kinds WHERE ${ofAgent(dialect)}) k ON k.name = r.kind
    WHERE ${IS_BAD} GROUP BY r.kind ORDER BY r.kind IS NOT NULL, readings DESC LIMIT ${COUNTED_MAX}`;
  const all = yield* cells<CountedCells>({ name: 'counted-kinds', sql }, [keyOf(agent), toStored(agent)]);
  return all.map(([kind, readings, conversations, later, firstAt, lastAt]) => ({
    kind: kind === null ? undefined : fromStored(kind),
    ...{ readings: Number(readings), conversations: Number(conversations), later: Number(later) },
    ...{ firstAt: Number(firstAt), lastAt: Number(lastAt) },
  }));
}

type FailedCells = readonly [
  conversationId: string,
  by: string,
  kind: string | null,
  note: string | null,
  asked: string | null,
  beganAt: number,
];

export function* failedReadings(
  dialect: Dialect,
  agent: string,
  only?: 'without a kind',
): Rule<readonly FailedReading[]> {
  const { toStored, fromStored } = dialect;
  const sql = `SELECT r.conversation_id, r.name, r.kind, r.note, c.asked, ${BEGAN} AS began
    FROM ${failuresOf(dialect)} WHERE ${IS_BAD} ${only === undefined ? '' : 'AND r.kind IS NULL'}
    ORDER BY began DESC, c.id, r.name LIMIT ${READINGS_MAX}`;
  const all = yield* cells<FailedCells>({ name: 'failed-readings', sql }, [toStored(agent)]);
  const text = (stored: string | null) => (stored === null ? undefined : fromStored(stored));
  return all.map(([conversationId, by, kind, note, asked, beganAt]) => ({
    ...{ conversationId: fromStored(conversationId), by: fromStored(by) },
    ...{ kind: text(kind), note: text(note), asked: text(asked), beganAt: Number(beganAt) },
  }));
}

export function* keptKinds(dialect: Dialect, agent: string): Rule<readonly KeptKind[]> {
  const sql = `SELECT name, state, state_at FROM failure_kinds WHERE ${ofAgent(dialect)}
    ORDER BY ${dialect.byBytes('name')} LIMIT ${KINDS_MAX}`;
  const all = yield* rows<{ name: string; state: KindState; state_at: number }>({ name: 'kept-kinds', sql }, [
    dialect.keyOf(agent),
  ]);
  return all.map(({ name, state, state_at: at }) => ({
    ...{ name: dialect.fromStored(name), state, stateAt: Number(at) },
  }));
}

function ofAgent({ isHashed }: Dialect): string {
  return `project = 'default' AND ${isHashed ? 'agent_key' : 'agent'} = ?`;
}
