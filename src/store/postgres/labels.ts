/**
 * Labels by people and the verdicts of judges beside them (label-store.ts), on the shared store. The writer of an
 * evaluation looks for labels; the writer of the first label looks for evaluations, after its commit and when nobody
 * scores the conversation: so one of the two sees the other's row.
 */
import type { Evaluation } from '../../model/evaluation.ts';
import type { ConversationId, TurnId } from '../../model/ids.ts';
import type { AskedOf, LabelledVerdict, StoredLabel, StoredLabelKind } from '../../model/labels.ts';
import {
  JUDGED_TOTAL,
  judgedCountOf,
  decidedIn,
  type Labelled,
  type LabelLimits,
  type LabelStore,
  standingLabels,
} from '../label-store.ts';
import { decodeVerdicts } from '../verdict-codec.ts';
import { lockKey } from './advisory-locks.ts';
import type { Link } from './link.ts';
import { fromUuid, textKey } from './row-keys.ts';
import type { Session } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';

/** Labels come from people, one after the other. */
const PUTTING = { begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('labels')})` };

export class LabelRows implements LabelStore {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async put(labels: readonly StoredLabel[], now: number = Date.now()): Promise<number> {
    const added = await this.#link.transaction(async (session) => {
      let count = 0;
      for (const label of labels) count += await session.run(PUT, valuesOf(label, now));
      return count;
    }, PUTTING);
    // Also where they were there: who was not answered puts them again.
    for (const conversationId of new Set(labels.map((label) => label.conversationId)))
      await this.#link.transaction(async (session) => noteStored(session, conversationId, now));
    return added;
  }
}

function valuesOf({ conversationId, turnId, suite, criterion, label, by, note }: StoredLabel, now: number) {
  const turn = turnId ?? '';
  const key = textKey(JSON.stringify([conversationId, turn, suite, criterion, by]));
  const texts = [conversationId, turn, suite, criterion, by].map(toStorable);
  return [textKey(conversationId), key, ...texts, label, note === undefined ? null : toStorable(note), now];
}

async function noteStored(session: Session, conversationId: string, now: number): Promise<void> {
  const [head] = await session.rows<{ id: number }>(HOLD, [textKey(conversationId)]);
  if (head === undefined) return;
  const rows = await session.rows<StoredRow>(STORED, [head.id]);
  await noteAll(
    session,
    // The casts are the brands: the store's writer wrote them, and the conversation was found by its id.
    rows.flatMap(({ turn_id, suite, suite_version, revision, verdicts }) =>
      decidedIn(
        {
          ...UNSAID,
          conversationId: conversationId as ConversationId,
          turnId: turn_id === '' ? undefined : (turn_id as TurnId),
          suite: fromStorable(suite),
          suiteVersion: fromStorable(suite_version),
          revision,
          ...decodeVerdicts(verdicts),
        },
        now,
      ),
    ),
  );
}

/** Parts of an evaluation that are not needed here. */
const UNSAID = { scope: 'conversation', score: undefined, outcome: 'unscored', explanation: '' } as const;

/** With the transaction that stores these evaluations. Few conversations have labels, so these are looked for first. */
export async function noteLabelled(session: Session, evaluations: readonly Evaluation[], now: number): Promise<void> {
  if (evaluations.length === 0) return;
  const keys = new Map<string, string>();
  for (const { conversationId } of evaluations)
    if (!keys.has(conversationId)) keys.set(conversationId, textKey(conversationId));
  const rows = await session.rows<{ conversation: string }>(LABELLED, [[...keys.values()]]);
  const labelled = new Set(rows.map(({ conversation }) => fromUuid(conversation)));
  await noteAll(
    session,
    evaluations
      .filter(({ conversationId }) => labelled.has(keys.get(conversationId) ?? ''))
      .flatMap((evaluation) => decidedIn(evaluation, now)),
  );
}

async function noteAll(session: Session, verdicts: readonly LabelledVerdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  await session.run(NOTE, [
    verdicts.map(({ conversationId }) => textKey(conversationId)),
    verdicts.map((one) =>
      textKey(JSON.stringify([one.conversationId, one.turnId ?? '', one.suite, one.criterion, one.judgeVersion])),
    ),
    verdicts.map(({ revision }) => revision),
    verdicts.map(({ conversationId }) => toStorable(conversationId)),
    verdicts.map(({ turnId }) => turnId ?? ''),
    verdicts.map(({ suite }) => toStorable(suite)),
    verdicts.map(({ criterion }) => toStorable(criterion)),
    verdicts.map(({ judge }) => judge),
    verdicts.map(({ judgeVersion }) => judgeVersion),
    verdicts.map(({ verdict }) => verdict),
    verdicts.map(({ notedAt }) => notedAt),
  ]);
}

export async function readLabelled(session: Session, limits: LabelLimits, asked?: AskedOf): Promise<Labelled> {
  const where = asked === undefined ? '' : 'WHERE suite = $2 AND criterion = $3';
  const of = asked === undefined ? [] : [toStorable(asked.suite), toStorable(asked.criterion)];
  const labels = await session.once<ThingRow & { label: string; person: string; note: string | null }>(
    `SELECT * FROM labels ${where} ORDER BY id DESC LIMIT $1`,
    [limits.labels, ...of],
  );
  const verdicts = await session.once<VerdictRow>(
    `SELECT * FROM labelled_verdicts ${where} ORDER BY noted_at DESC LIMIT $1`,
    [limits.verdicts, ...of],
  );
  const judged = await session.once<{ labels: string; value: number }>(
    'SELECT labels, sum(value) AS value FROM totals WHERE metric = $1 GROUP BY labels',
    [JUDGED_TOTAL],
  );
  return {
    labels: standingLabels(
      labels
        .map((row) => ({
          ...thingOf(row),
          // The cast holds because `Labels.put` wrote it.
          label: row.label as StoredLabelKind,
          by: fromStorable(row.person),
          note: row.note === null ? undefined : fromStorable(row.note),
        }))
        .reverse(),
    ),
    verdicts: verdicts.map((row) => ({
      ...thingOf(row),
      judge: row.judge,
      judgeVersion: row.judge_version,
      verdict: row.verdict === 'pass' ? 'pass' : 'fail',
      revision: row.revision,
      notedAt: row.noted_at,
    })),
    judged: judged
      .map((row) => judgedCountOf(fromStorable(row.labels), row.value))
      .filter((one) => asked === undefined || (one.suite === asked.suite && one.criterion === asked.criterion)),
  };
}

function thingOf({ conversation_id, turn_id, suite, criterion }: ThingRow) {
  return {
    conversationId: fromStorable(conversation_id),
    turnId: turn_id === '' ? undefined : fromStorable(turn_id),
    suite: fromStorable(suite),
    criterion: fromStorable(criterion),
  };
}

interface StoredRow {
  readonly turn_id: string;
  readonly suite: string;
  readonly suite_version: string;
  readonly revision: number;
  readonly verdicts: string;
}

interface ThingRow {
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly suite: string;
  readonly criterion: string;
}

interface VerdictRow extends ThingRow {
  readonly judge: string;
  readonly judge_version: string;
  readonly verdict: string;
  readonly revision: number;
  readonly noted_at: number;
}

const PUT = {
  name: 'put-label',
  sql: `INSERT INTO labels (conversation, key, conversation_id, turn_id, suite, criterion, person, label, note, put_at)
    SELECT $1::uuid, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::bigint
    WHERE NOT EXISTS (SELECT 1 FROM (SELECT label, note FROM labels WHERE key = $2 ORDER BY id DESC LIMIT 1) last
      WHERE last.label = $8 AND last.note IS NOT DISTINCT FROM $9)
      AND ($8::text <> 'withdrawn' OR EXISTS (SELECT 1 FROM labels WHERE key = $2))`,
};
/** Waits for whoever scores it. */
const HOLD = { name: 'hold-labelled', sql: 'SELECT id FROM conversations WHERE key = $1 FOR SHARE' };
const STORED = {
  name: 'labelled-evaluations',
  sql: `SELECT turn_id, suite, suite_version, revision, verdicts FROM evaluations
    WHERE conversation = $1 AND left(suite, 7) <> 'shadow:' ORDER BY id`,
};
const LABELLED = {
  name: 'labelled-conversations',
  sql: 'SELECT DISTINCT conversation FROM labels WHERE conversation = ANY($1::uuid[])',
};
const NOTE = {
  name: 'note-labelled',
  sql: `INSERT INTO labelled_verdicts (conversation, key, revision, conversation_id, turn_id, suite, criterion, judge, judge_version, verdict, noted_at)
    SELECT v.* FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[], $11::bigint[])
      AS v (conversation, key, revision, conversation_id, turn_id, suite, criterion, judge, judge_version, verdict, noted_at)
    WHERE EXISTS (SELECT 1 FROM labels l WHERE l.conversation = v.conversation)
    ON CONFLICT (key, revision) DO NOTHING`,
};
