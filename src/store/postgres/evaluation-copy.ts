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

const text = (cell: Cell) => (cell === undefined ? undefined : String(cell));
const number = (cell: Cell) => (cell === undefined ? undefined : Number(cell));
const CELLS: Readonly<Record<Column<unknown>['type'], (rows: BinaryRows, cell: Cell) => void>> = {
  text: (rows, cell) => rows.text(cell === undefined ? undefined : toStorable(String(cell))),
  plain: (rows, cell) => rows.text(text(cell)),
  smallint: (rows, cell) => rows.int2(number(cell)),
  int: (rows, cell) => rows.int4(number(cell)),
  bigint: (rows, cell) => rows.int8(number(cell)),
};

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

type Cell = string | number | undefined;

/** The way to write each column is looked up once, not for each row. */
const WRITERS = EVALUATION_COLUMNS.map(({ type, of }) => {
  const write = CELLS[type];
  return (rows: BinaryRows, kept: KeptEvaluation) => write(rows, of(kept));
});
