/** Rows of what is said of conversations from outside of their spans, and has them re-evaluated: truth and feedback. */
import type { DatabaseSync } from 'node:sqlite';
import { FeedbackRows } from './feedback-rows.ts';
import type { Revisits } from './revisits.ts';
import { TruthRows } from './truth-rows.ts';

type FeedbackParts = ConstructorParameters<typeof FeedbackRows>[1];

export class SaidRows {
  readonly truths: TruthRows;
  readonly feedback: FeedbackRows;

  constructor(database: DatabaseSync, parts: FeedbackParts & { readonly revisits: Revisits }) {
    this.truths = new TruthRows(database, parts.revisits, parts.own);
    this.feedback = new FeedbackRows(database, parts);
  }

  /** After a rollback, and where rows were deleted. */
  discard(): void {
    this.truths.discard();
    this.feedback.discard();
  }
}
