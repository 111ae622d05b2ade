/** Labels by people, and the verdicts of judges beside them (label-store.ts). */
import type { ConversationId, TurnId } from '../../model/ids.ts';
import type { AskedOf, LabelledVerdict, StoredLabel, StoredLabelKind } from '../../model/labels.ts';
import type { ConversationRow } from '../conversation-row.ts';
import { isLive } from '../evaluation-columns.ts';
import {
  decidedIn,
  JUDGED_TOTAL,
  judgedCountOf,
  type Labelled,
  type LabelLimits,
  standingLabels,
} from '../label-store.ts';
import type { KeptLabel } from '../read-evaluation.ts';
import { change, type Dialect, type Rule, rows, type Statement, transaction, type Value } from '../sql.ts';
import { decodeVerdicts } from '../verdict-codec.ts';

export interface LabelDialect extends Dialect {
  /** Each once, and none where there are no labels of its conversation. */
  readonly noteVerdicts: (verdicts: readonly LabelledVerdict[]) => Rule<unknown>;
}

/**
 * How many of them were new. The writer of an evaluation looks for labels; the writer of a label looks for evaluations,
 * after its commit and when nobody scores the conversation: so one of the two sees the other's row.
 */
export function* putLabels(
  dialect: LabelDialect,
  labels: readonly StoredLabel[],
  now: number = Date.now(),
): Rule<number> {
  const added = yield* transaction({ what: 'labels', lock: 'labels' }, function* () {
    const put = putSql(dialect);
    let count = 0;
    for (const label of labels) count += yield* change(put, valuesOf(dialect, label, now));
    return count;
  });
  // Also where they were there: who was not answered puts them again.
  for (const conversationId of new Set(labels.map((label) => label.conversationId)))
    yield* transaction({ what: 'verdicts beside labels' }, () => noteStored(dialect, conversationId, now));
  return added;
}

/** The last label of the same person for the same is not put again, and a person who said nothing withdraws nothing. */
function putSql({ isHashed }: Dialect): Statement {
  const isSame = isHashed
    ? 'key = ?11'
    : 'conversation_id = ?1 AND turn_id = ?2 AND suite = ?3 AND criterion = ?4 AND person = ?5 AND seen = ?9';
  return {
    name: 'put-label',
    sql: `INSERT INTO labels (conversation_id, turn_id, suite, criterion, person, label, note, put_at, seen${isHashed ? ', conversation, key' : ''})
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9${isHashed ? ', ?10, ?11' : ''}
      WHERE NOT EXISTS (SELECT 1 FROM (SELECT label, note FROM labels WHERE ${isSame} ORDER BY id DESC LIMIT 1) last
        WHERE last.label = ?6 AND last.note IS NOT DISTINCT FROM ?7)
        AND (?6 <> 'withdrawn' OR EXISTS (SELECT 1 FROM labels WHERE ${isSame}))`,
  };
}

function valuesOf(dialect: Dialect, label: StoredLabel, now: number): readonly Value[] {
  const { isHashed, keyOf, toStored } = dialect;
  const thing = [label.conversationId, label.turnId ?? '', label.suite, label.criterion, label.by];
  const note = label.note === undefined ? null : toStored(label.note);
  const isSeen = label.seen === true;
  // A person's answer with the verdict in sight, and the one without it, are two.
  const same = JSON.stringify(isSeen ? [...thing, 'seen'] : thing);
  const keys = isHashed ? [keyOf(label.conversationId), keyOf(same)] : [];
  return [...thing.map(toStored), label.label, note, now, isSeen ? 1 : 0, ...keys];
}

interface StoredRow {
  readonly turn_id: string;
  readonly suite: string;
  readonly suite_version: string;
  readonly revision: number;
  readonly verdicts: string;
}

const STORED: Statement = {
  name: 'labelled-evaluations',
  sql: `SELECT e.turn_id, e.suite, e.suite_version, e.revision, e.verdicts FROM evaluations e
    WHERE e.conversation = ? AND ${isLive('e')} ORDER BY e.id`,
};

function* noteStored(dialect: LabelDialect, conversationId: string, now: number): Rule<void> {
  const { key, keyOf, forShare, fromStored } = dialect;
  // Waits for whoever scores it.
  const hold = { name: 'hold-labelled', sql: `SELECT id FROM conversations WHERE ${key} = ? ${forShare}` };
  const [head] = yield* rows<{ id: number }>(hold, [keyOf(conversationId)]);
  if (head === undefined) return;
  const stored = yield* rows<StoredRow>(STORED, [head.id]);
  const verdicts = stored.flatMap(({ turn_id, suite, suite_version, revision, verdicts: said }) =>
    decidedIn(
      {
        // The casts are the brands: the store's writer wrote them, and the conversation was found by its id.
        conversationId: conversationId as ConversationId,
        turnId: turn_id === '' ? undefined : (turn_id as TurnId),
        suite: fromStored(suite),
        suiteVersion: fromStored(suite_version),
        revision,
        verdicts: decodeVerdicts(said).verdicts,
      },
      now,
    ),
  );
  if (verdicts.length > 0) yield* dialect.noteVerdicts(verdicts);
}

interface ThingRow {
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly suite: string;
  readonly criterion: string;
}

interface LabelRow extends ThingRow {
  readonly id: number;
  readonly label: string;
  readonly person: string;
  readonly note: string | null;
  readonly put_at: number;
  readonly seen: number;
}

interface VerdictRow extends ThingRow {
  readonly judge: string;
  readonly judge_version: string;
  readonly verdict: string;
  readonly revision: number;
  readonly noted_at: number;
}

const JUDGED: Statement = {
  name: 'judged-verdicts',
  sql: 'SELECT labels, sum(value) AS value FROM totals WHERE metric = ? GROUP BY labels',
};

/** For all criteria, or for one; without labels that were given with the verdict in sight. */
export function* labelled(dialect: Dialect, limits: LabelLimits, asked?: AskedOf): Rule<Labelled> {
  const { toStored, fromStored } = dialect;
  const where = asked === undefined ? '' : 'WHERE suite = ? AND criterion = ?';
  const of = asked === undefined ? [] : [toStored(asked.suite), toStored(asked.criterion)];
  const named = asked === undefined ? 'all' : 'one';
  const blind = where === '' ? 'WHERE seen = 0' : `${where} AND seen = 0`;
  const labels = yield* rows<LabelRow>(
    { name: `labels-of-${named}`, sql: `SELECT * FROM labels ${blind} ORDER BY id DESC LIMIT ?` },
    [...of, limits.labels],
  );
  const verdicts = yield* rows<VerdictRow>(
    { name: `labelled-of-${named}`, sql: `SELECT * FROM labelled_verdicts ${where} ORDER BY noted_at DESC LIMIT ?` },
    [...of, limits.verdicts],
  );
  const judged = yield* rows<{ labels: string; value: number }>(JUDGED, [JUDGED_TOTAL]);
  return {
    labels: standingLabels(
      labels
        .map((row) => ({
          ...thingOf(dialect, row),
          // The cast holds because `putLabels` wrote it.
          label: row.label as StoredLabelKind,
          by: fromStored(row.person),
          note: row.note === null ? undefined : fromStored(row.note),
        }))
        .reverse(),
    ),
    verdicts: verdicts.map((row) => ({
      ...thingOf(dialect, row),
      judge: row.judge,
      judgeVersion: row.judge_version,
      verdict: row.verdict === 'pass' ? ('pass' as const) : ('fail' as const),
      revision: row.revision,
      notedAt: row.noted_at,
    })),
    judged: judged
      .map((row) => judgedCountOf(fromStored(row.labels), row.value))
      .filter((one) => asked === undefined || (one.suite === asked.suite && one.criterion === asked.criterion)),
  };
}

/** In the order in which they were put; the last ones, if there are more than the limit. */
export function* labelsOf(
  dialect: Dialect,
  { conversationId }: ConversationRow,
  limit: number,
): Rule<readonly KeptLabel[]> {
  const { labelKey, keyOf, fromStored } = dialect;
  const sql = `SELECT * FROM labels WHERE ${labelKey} = ? ORDER BY id DESC LIMIT ?`;
  const found = yield* rows<LabelRow>({ name: 'labels-of-conversation', sql }, [keyOf(conversationId), limit]);
  return found
    .map((row) => {
      const { conversationId: _, ...thing } = thingOf(dialect, row);
      const note = row.note === null ? undefined : fromStored(row.note);
      return {
        ...thing,
        id: row.id,
        label: row.label,
        by: fromStored(row.person),
        note,
        putAt: row.put_at,
        seen: row.seen === 1,
      };
    })
    .reverse();
}

function thingOf({ fromStored }: Dialect, { conversation_id, turn_id, suite, criterion }: ThingRow) {
  return {
    conversationId: fromStored(conversation_id),
    turnId: turn_id === '' ? undefined : fromStored(turn_id),
    suite: fromStored(suite),
    criterion: fromStored(criterion),
  };
}
