/**
 * From the entries of a log to closed turns: takes each entry's rows to the open turns, moves their time along, and gives rows
 * back to the log as turns are stored. A journal, a lane of Kafka and a recording all go through here.
 */
import type { RowGroup } from '../assemble/open/row-groups.ts';
import { type ClosedTurn, OpenTurns, type TraceIdWords, type TurnLimits } from '../assemble/open-turns.ts';
import type { TraceId } from '../model/ids.ts';
import { UNKNOWN_SENDER } from '../model/sender.ts';
import { BatchTable } from '../otlp/batch-table.ts';
import type { NamingTurn } from '../store/cluster-store.ts';

/** Fields of a log's entry; the journal's entries have them. */
export interface LogEntry {
  readonly signal: 'traces' | 'logs';
  readonly position: number;
  readonly nextPosition: number;
  readonly logTime: number;
  /** `model/sender.ts`; undefined where the log does not say. */
  readonly sender?: number | undefined;
  readonly table: Uint8Array;
  readonly payloadPosition: number;
}

/** The log whose entries these are. */
export interface IntakeOwner {
  /** A turn has closed. */
  closed(turn: ClosedTurn): void;
  /** A span of an open turn is its first to name a conversation. */
  named?(turn: NamingTurn): void;
  /** Rows of the entry at this position are not needed any more. */
  released(position: number, rows: number): void;
}

const ROWS_OF_STEP = 256;

export class Intake {
  readonly turns: OpenTurns;
  readonly #owner: IntakeOwner;

  constructor(limits: TurnLimits, owner: IntakeOwner) {
    this.turns = new OpenTurns(limits);
    this.#owner = owner;
  }

  /** Rows of traces that `isStored` knows are left out. */
  take(entry: LogEntry, isStored?: (traceId: TraceId) => boolean): void {
    for (const _ of this.taking(entry, isStored));
  }

  /** Takes an entry in steps. Until the last of them no other entry may be taken, and time may not be advanced. */
  *taking(entry: LogEntry, isStored?: (traceId: TraceId) => boolean): Generator<undefined> {
    yield* this.advancing(entry.logTime);
    const table = BatchTable.read(entry.table);
    const groups = groupsOf(entry, table);
    let unwanted = 0;
    for (let row = 0; row < table.rowCount; row += 1) {
      const traceId = table.traceIdWords(row);
      const group = groups[table.group(row)];
      // A log record outside any trace, and what Assay itself emits, belong to no turn.
      const isOutside = group === undefined || isNone(traceId) || table.isOwn(row);
      if (isOutside || isStored?.(textOf(table, row)) === true) {
        unwanted += 1;
        continue;
      }
      const start = table.start(row);
      const conversation = table.conversationHash(row);
      const isNew = this.turns.add(
        {
          traceId,
          spanIdHigh: table.spanIdHigh(row),
          spanIdLow: table.spanIdLow(row),
          parentIdHigh: table.parentIdHigh(row),
          parentIdLow: table.parentIdLow(row),
          parentIsRemote: table.parentIsRemote(row),
          position: entry.payloadPosition + start,
          length: table.end(row) - start,
          group,
          conversation,
        },
        { at: entry.logTime, nextPosition: entry.nextPosition },
      );
      if (isNew) this.#owner.named?.({ traceId: textOf(table, row), conversation, at: entry.logTime });
      if (row % ROWS_OF_STEP === ROWS_OF_STEP - 1) yield;
    }
    if (unwanted > 0) this.#owner.released(entry.position, unwanted);
  }

  advance(logTime: number): void {
    for (const _ of this.advancing(logTime));
  }

  /** Advances time in steps, as for `taking`. */
  *advancing(logTime: number): Generator<undefined> {
    if (logTime <= this.turns.time) return;
    for (const closed of this.turns.advancing(logTime)) {
      if (closed !== undefined) this.#owner.closed(closed);
      yield;
    }
  }

  /** The turn is stored, or will not be: its rows are not needed any more. */
  release(turn: ClosedTurn): void {
    const counts = new Map<number, number>();
    for (const { group } of turn.rows) {
      counts.set(group.entryPosition, (counts.get(group.entryPosition) ?? 0) + 1);
    }
    for (const [position, rows] of counts) this.#owner.released(position, rows);
  }
}

/** Traces that have rows in a batch. */
export function traceIdsIn(table: Uint8Array): ReadonlySet<TraceId> {
  const found = new Set<TraceId>();
  const rows = BatchTable.read(table);
  for (let row = 0; row < rows.rowCount; row += 1) {
    const traceId = rows.traceId(row);
    if (traceId !== undefined) found.add(traceId);
  }
  return found;
}

function isNone([a, b, c, d]: TraceIdWords): boolean {
  return (a | b | c | d) === 0;
}

function textOf(table: BatchTable, row: number): TraceId {
  const traceId = table.traceId(row);
  if (traceId === undefined) throw new Error(`row ${row} belongs to no trace`);
  return traceId;
}

function groupsOf(entry: LogEntry, table: BatchTable): RowGroup[] {
  const groups: RowGroup[] = [];
  for (let group = 0; group < table.groupCount; group += 1) {
    const resource = table.resourceStart(group);
    const scope = table.scopeStart(group);
    groups.push({
      entryPosition: entry.position,
      signal: entry.signal,
      sender: entry.sender ?? UNKNOWN_SENDER,
      resourcePosition: entry.payloadPosition + resource,
      resourceLength: table.resourceEnd(group) - resource,
      scopePosition: entry.payloadPosition + scope,
      scopeLength: table.scopeEnd(group) - scope,
    });
  }
  return groups;
}
