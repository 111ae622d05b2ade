/** Labels by people and the verdicts of judges beside them (rules/labels.ts). Rows are only ever added. */
import type { Evaluation } from '../../model/evaluation.ts';
import type { LabelledVerdict, StoredLabel } from '../../model/labels.ts';
import { decidedIn, type LabelStore } from '../label-store.ts';
import { type LabelDialect, putLabels } from '../rules/labels.ts';
import { change, type Rule, rows } from '../sql.ts';
import { DIALECT } from './dialect.ts';
import type { OwnTransaction } from './own-transaction.ts';
import { SqliteSql } from './sqlite-sql.ts';
import type { Statements } from './statements.ts';

const LABELLING: LabelDialect = { ...DIALECT, noteVerdicts };

export class LabelRows implements LabelStore {
  readonly #sql: SqliteSql<LabelDialect>;
  #hasAny: boolean | undefined;

  constructor(statements: Statements, own: OwnTransaction) {
    this.#sql = new SqliteSql(LABELLING, statements, own);
  }

  put(labels: readonly StoredLabel[]): number {
    this.#hasAny = undefined;
    return this.#sql.run(putLabels(LABELLING, labels));
  }

  /** An evaluation is stored. */
  note(evaluation: Evaluation, now: number): void {
    this.#hasAny ??= this.#sql.inside(has(ANY));
    if (this.#hasAny && this.#sql.inside(has(OF_CONVERSATION, evaluation.conversationId)))
      this.#sql.inside(noteVerdicts(decidedIn(evaluation, now)));
  }

  /** After a rollback. */
  discard(): void {
    this.#hasAny = undefined;
  }
}

const ANY = { name: 'any-labels', sql: 'SELECT EXISTS (SELECT 1 FROM labels) AS has' };
const OF_CONVERSATION = {
  name: 'has-labels',
  sql: 'SELECT EXISTS (SELECT 1 FROM labels WHERE conversation_id = ?) AS has',
};
const NOTE = {
  name: 'note-labelled',
  sql: `INSERT OR IGNORE INTO labelled_verdicts
      (conversation_id, turn_id, suite, criterion, judge_version, revision, judge, verdict, noted_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};

function* has(statement: typeof ANY, ...values: readonly string[]): Rule<boolean> {
  const [row] = yield* rows<{ has: number }>(statement, values);
  return row?.has === 1;
}

function* noteVerdicts(verdicts: readonly LabelledVerdict[]): Rule<void> {
  for (const { conversationId, turnId, suite, criterion, judgeVersion, revision, judge, verdict, notedAt } of verdicts)
    yield* change(NOTE, [
      conversationId,
      turnId ?? '',
      suite,
      criterion,
      judgeVersion,
      revision,
      judge,
      verdict,
      notedAt,
    ]);
}
