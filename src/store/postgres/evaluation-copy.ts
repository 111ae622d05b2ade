/** Rows of evaluations for COPY. */
import type { TraceId } from '../../model/ids.ts';
import { type Column, namesOf } from '../column.ts';
import { EVALUATION_COLUMNS, failedCriteria, type KeptEvaluation } from '../evaluation-columns.ts';
import type { BinaryRows } from './binary-copy.ts';
import { toStorable } from './storable-text.ts';

/** All columns but the day. */
export const EVALUATION_REST = `conversation, trace_id, failed, ${namesOf(EVALUATION_COLUMNS)}`;
/** Into which they are copied. */
export const EVALUATIONS = `evaluations (day, ${EVALUATION_REST})`;

export function addEvaluation(
  rows: BinaryRows,
  kept: KeptEvaluation,
  { day, head, traceId }: { readonly day: number; readonly head: number; readonly traceId: TraceId | undefined },
): void {
  rows
    .row(4 + WRITERS.length)
    .int4(day)
    .int8(head)
    .uuid(traceId);
  rows.texts(failedCriteria(kept.evaluation).map(toStorable));
  for (const write of WRITERS) write(rows, kept);
}

const WRITERS = EVALUATION_COLUMNS.map(writerOf);

function writerOf<Of>({ type, of }: Column<Of>): (rows: BinaryRows, value: Of) => void {
  const text = (value: Of) => {
    const found = of(value);
    return found === undefined ? undefined : String(found);
  };
  const number = (value: Of) => {
    const found = of(value);
    return found === undefined ? undefined : Number(found);
  };
  switch (type) {
    case 'text':
      return (rows, value) => {
        const found = text(value);
        rows.text(found === undefined ? undefined : toStorable(found));
      };
    case 'plain':
      return (rows, value) => rows.text(text(value));
    case 'smallint':
      return (rows, value) => rows.int2(number(value));
    case 'int':
      return (rows, value) => rows.int4(number(value));
    case 'bigint':
      return (rows, value) => rows.int8(number(value));
  }
}
