/** Labels by people and the verdicts of judges beside them (rules/labels.ts), on the shared store. */
import type { Evaluation } from '../../model/evaluation.ts';
import type { LabelledVerdict } from '../../model/labels.ts';
import { decidedIn, type LabelStore } from '../label-store.ts';
import { type LabelDialect, putLabels } from '../rules/labels.ts';
import { bound, change, type Rule } from '../sql.ts';
import { DIALECT } from './dialect.ts';
import type { Link } from './link.ts';
import { PostgresSql, runOn } from './postgres-sql.ts';
import { fromUuid, textKey } from './row-keys.ts';
import type { Session } from './session.ts';
import { toStorable } from './storable-text.ts';

const LABELLING: LabelDialect = { ...DIALECT, noteVerdicts };

export function labelRows(link: Link): LabelStore {
  return bound(new PostgresSql(LABELLING, link), { put: putLabels });
}

/** With the transaction that stores these evaluations. Few conversations have labels, so these are looked for first. */
export async function noteLabelled(session: Session, evaluations: readonly Evaluation[], now: number): Promise<void> {
  if (evaluations.length === 0) return;
  const keys = new Map<string, string>();
  for (const { conversationId } of evaluations)
    if (!keys.has(conversationId)) keys.set(conversationId, textKey(conversationId));
  const rows = await session.rows<{ conversation: string }>(LABELLED, [[...keys.values()]]);
  const labelled = new Set(rows.map(({ conversation }) => fromUuid(conversation)));
  const verdicts = evaluations
    .filter(({ conversationId }) => labelled.has(keys.get(conversationId) ?? ''))
    .flatMap((evaluation) => decidedIn(evaluation, now));
  if (verdicts.length > 0) await runOn(session, noteVerdicts(verdicts));
}

function noteVerdicts(verdicts: readonly LabelledVerdict[]): Rule<number> {
  return change(NOTE, [
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
