/** A turn that closed in the journal, as it crosses to the other thread: numbers in one buffer, groups once each. */
import type { ClosedTurn, RowGroup } from '../../assemble/open-turns.ts';

export interface PackedTurn {
  readonly traceId: ClosedTurn['traceId'];
  readonly cause: ClosedTurn['cause'];
  readonly closedAt: number;
  readonly position: number;
  readonly spansAreDistinct: boolean;
  /** Position, length and number of the group, for each row. */
  readonly rows: Float64Array<ArrayBuffer>;
  readonly groups: readonly RowGroup[];
}

export function packTurn(turn: ClosedTurn): PackedTurn {
  const groups: RowGroup[] = [];
  const numbers = new Map<RowGroup, number>();
  const rows = new Float64Array(turn.rows.length * 3);
  for (const [index, row] of turn.rows.entries()) {
    let number = numbers.get(row.group);
    if (number === undefined) {
      number = groups.push(row.group) - 1;
      numbers.set(row.group, number);
    }
    rows[index * 3] = row.position;
    rows[index * 3 + 1] = row.length;
    rows[index * 3 + 2] = number;
  }
  const { traceId, cause, closedAt, position, spansAreDistinct } = turn;
  return { traceId, cause, closedAt, position, spansAreDistinct, rows, groups };
}

export function unpackTurn({ rows: packed, groups, ...turn }: PackedTurn): ClosedTurn {
  const rows = [];
  for (let at = 0; at < packed.length; at += 3) {
    const group = groups[packed[at + 2] ?? -1];
    if (group === undefined) throw new Error(`unpack turn ${turn.traceId}: row ${at / 3} has no group`);
    rows.push({ position: packed[at] ?? 0, length: packed[at + 1] ?? 0, group });
  }
  return { ...turn, rows };
}
