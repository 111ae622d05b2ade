/** Outcomes of the world (outcome-label-store.ts), on the shared store: one row for each name. */
import type { NamedOutcome, SaidOutcome } from '../../model/validity.ts';
import type { OutcomeLabelStore } from '../outcome-label-store.ts';
import { lockKey } from './advisory-locks.ts';
import type { Link } from './link.ts';
import { textKey } from './row-keys.ts';
import type { Session } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';

/** Two who put the same conversations in another order would wait for each other for ever. */
const PUTTING = { begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('labels')})` };

export class OutcomeLabelRows implements OutcomeLabelStore {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async put(outcomes: readonly SaidOutcome[], now: number = Date.now()): Promise<number> {
    return this.#link.transaction(async (session) => {
      let changed = 0;
      for (const one of outcomes) changed += await write(session, one, now);
      return changed;
    }, PUTTING);
  }
}

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

async function write(session: Session, said: SaidOutcome, now: number): Promise<number> {
  const { conversationId, label, isGood, value, case: ofCase } = said;
  const place = [textKey(conversationId), textKey(label)];
  if (isGood === undefined) return session.run(REMOVE, place);
  const texts = [conversationId, label].map(toStorable);
  return session.run(PUT, [...place, ...texts, isGood, storable(value), storable(ofCase), now]);
}

function storable(text: string | undefined): string | null {
  return text === undefined ? null : toStorable(text);
}

export interface OutcomeCells {
  readonly conversation_id: string;
  readonly label: string;
  readonly good: boolean;
  readonly value: string | null;
  readonly of_case: string | null;
}

export const OUTCOME_CELLS = 'conversation_id, label, good, value, of_case';

export function outcomeFrom({ conversation_id, label, good, value, of_case }: OutcomeCells): NamedOutcome {
  return {
    conversationId: fromStorable(conversation_id),
    label: fromStorable(label),
    isGood: good,
    value: value === null ? undefined : fromStorable(value),
    case: of_case === null ? undefined : fromStorable(of_case),
  };
}

const PUT = {
  name: 'put-outcome-label',
  sql: `INSERT INTO outcome_labels (key, label_key, conversation_id, label, good, value, of_case, put_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (key, label_key) DO UPDATE
      SET good = excluded.good, value = excluded.value, of_case = excluded.of_case, put_at = excluded.put_at
      WHERE (outcome_labels.good, outcome_labels.value, outcome_labels.of_case) IS DISTINCT FROM (excluded.good, excluded.value, excluded.of_case)`,
};
const ADD = `INSERT INTO outcome_labels (key, label_key, conversation_id, label, good, value, of_case, put_at)
  SELECT o.*, $8::bigint FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[]) AS o
  ON CONFLICT (key, label_key) DO NOTHING`;
const REMOVE = { name: 'remove-outcome-label', sql: 'DELETE FROM outcome_labels WHERE key = $1 AND label_key = $2' };
