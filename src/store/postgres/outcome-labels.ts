/** Outcomes of the world that another store held (rules/outcome-labels.ts). */
import type { NamedOutcome } from '../../model/validity.ts';
import { textKey } from './row-keys.ts';
import type { Session } from './session.ts';
import { toStorable } from './storable-text.ts';

/** Inserts only missing outcomes; existing ones stay as they are. */
export async function addOutcomes(session: Session, outcomes: readonly NamedOutcome[], now: number): Promise<void> {
  await session.once(ADD, [
    outcomes.map(({ conversationId }) => textKey(conversationId)),
    outcomes.map(({ label }) => textKey(label)),
    outcomes.map(({ conversationId }) => toStorable(conversationId)),
    outcomes.map(({ label }) => toStorable(label)),
    outcomes.map(({ isGood }) => isGood),
    outcomes.map(({ value }) => storable(value)),
    outcomes.map((one) => storable(one.case)),
    now,
  ]);
}

function storable(text: string | undefined): string | null {
  return text === undefined ? null : toStorable(text);
}

const ADD = `INSERT INTO outcome_labels (key, label_key, conversation_id, label, good, value, of_case, put_at)
  SELECT o.*, $8::bigint FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[]) AS o
  ON CONFLICT (key, label_key) DO NOTHING`;
