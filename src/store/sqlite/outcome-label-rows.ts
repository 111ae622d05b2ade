/** Outcomes of the world (outcome-label-store.ts): one row for each name. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { NamedOutcome, SaidOutcome } from '../../model/validity.ts';
import type { OutcomeLabelStore, OutcomeName } from '../outcome-label-store.ts';
import type { OwnTransaction } from './own-transaction.ts';
import type { Statements } from './statements.ts';

const PAGE = 1000;

export class OutcomeLabelRows implements OutcomeLabelStore {
  readonly #own: OwnTransaction;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync, own: OwnTransaction) {
    this.#own = own;
    this.#put = database.prepare(
      `INSERT INTO outcome_labels (conversation_id, label, good, value, of_case, put_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (conversation_id, label) DO UPDATE
         SET good = excluded.good, value = excluded.value, of_case = excluded.of_case, put_at = excluded.put_at
         WHERE (good, value, of_case) IS NOT (excluded.good, excluded.value, excluded.of_case)`,
    );
    this.#remove = database.prepare('DELETE FROM outcome_labels WHERE conversation_id = ? AND label = ?');
  }

  put(outcomes: readonly SaidOutcome[]): number {
    return this.#own('outcomes', () =>
      outcomes.reduce((changed, one) => changed + Number(this.#write(one, Date.now())), 0),
    );
  }

  #write({ conversationId, label, isGood, value, case: ofCase }: SaidOutcome, now: number): number | bigint {
    if (isGood === undefined) return this.#remove.run(conversationId, label).changes;
    return this.#put.run(conversationId, label, isGood ? 1 : 0, value ?? null, ofCase ?? null, now).changes;
  }
}

export function readOutcomeNames(statements: Statements): readonly OutcomeName[] {
  return statements
    .of('SELECT label, count(*) AS outcomes FROM outcome_labels GROUP BY label ORDER BY label')
    .all()
    .map(({ label, outcomes }) => ({ label: String(label), outcomes: Number(outcomes) }));
}

export function* outcomesNamed(statements: Statements, label: string): Generator<readonly NamedOutcome[]> {
  const page = statements.of(
    `SELECT * FROM outcome_labels WHERE label = ? AND conversation_id > ? ORDER BY conversation_id LIMIT ${PAGE}`,
  );
  for (let after = ''; ; ) {
    // Read whole, so that the reader does not hold on to an old state of the store.
    const rows = page.all(label, after).map(toOutcome);
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.conversationId ?? after;
    if (rows.length < PAGE) return;
  }
}

export const OUTCOMES_OF = 'SELECT * FROM outcome_labels WHERE conversation_id = ? ORDER BY label';

export function toOutcome(row: Readonly<Record<string, unknown>>): NamedOutcome {
  return {
    conversationId: String(row.conversation_id),
    label: String(row.label),
    isGood: row.good === 1,
    value: textOf(row.value),
    case: textOf(row.of_case),
  };
}

function textOf(cell: unknown): string | undefined {
  return typeof cell === 'string' ? cell : undefined;
}
