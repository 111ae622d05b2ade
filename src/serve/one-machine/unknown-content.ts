/**
 * Content that no row refers to: may a start cut it? A crash leaves the pieces of a transaction that was not committed,
 * and the spans of each are in the journal, or in the piece that a row refers to. If spans are in neither, the store
 * lacks commits without its mark's showing it, or content was put there: that is the last copy of them.
 */
import { readTables } from '../../journal/read-tables.ts';
import { counted } from '../../model/counted.ts';
import type { Damage } from '../../model/damage.ts';
import type { TraceId } from '../../model/ids.ts';
import { BatchTable } from '../../otlp/batch-table.ts';
import { understandRequest } from '../../receive/understand-request.ts';
import type { TraceContent } from '../../store/engine-store.ts';
import type { Unreferenced } from '../../store/sqlite/examine-store.ts';
import { readStored, readUnreferenced, type UnreferencedStretch } from '../../store/sqlite/unreferenced-content.ts';

/** Spans and log records by their trace, each by the ids that it has. */
type Held = Map<TraceId, Set<string>>;

/** Reports content that is more than a crash leaves. */
export async function findUnknown(
  unreferenced: Unreferenced,
  { storeFile, journal }: { readonly storeFile: string; readonly journal: string },
): Promise<readonly Damage[]> {
  const damage: Damage[] = [];
  for (const stretch of readUnreferenced(storeFile, unreferenced)) {
    const lost = await countLost(stretch.pieces, { storeFile, journal });
    const { name, offset, end, isOfOneTransaction } = stretch;
    // A tail may hold pieces of two transactions: one that was rolled back, and behind it one that was not committed.
    if (lost === 0 && (isOfOneTransaction || (offset > 0 && stretch.pieces.length > 0))) continue;
    const what = `${name} has ${end - offset} bytes from ${offset} on that the store does not know, ${contained(stretch, lost)}`;
    damage.push({
      kind: 'content-unknown',
      what,
      losesData: lost > 0,
      key: `content-unknown:${name.split('/').at(-1)}:${offset}:${end}`,
    });
  }
  return damage;
}

function contained({ pieces }: UnreferencedStretch, lost: number): string {
  if (pieces.length === 0) return 'and in which there is no whole piece of content';
  const turns = counted(pieces.length, 'turn');
  if (lost === 0) return `with ${turns} that are stored elsewhere as well`;
  return `with ${turns}, of which ${lost} are neither in the store nor in the journal: the store is an older copy`;
}

/** Pieces with spans that are nowhere else. */
async function countLost(
  pieces: readonly TraceContent[],
  { storeFile, journal }: { readonly storeFile: string; readonly journal: string },
): Promise<number> {
  if (pieces.length === 0) return 0;
  const missing = pieces.map(heldIn);
  const wanted: Held = new Map();
  for (const held of missing) for (const [traceId] of held) wanted.set(traceId, new Set());
  for await (const table of readTables(journal)) addRows(wanted, BatchTable.read(table));
  const isMissing = (held: Held) => [...held].some(([traceId, ids]) => !ids.isSubsetOf(wanted.get(traceId) ?? ids));
  const rest = new Set(missing.filter(isMissing).flatMap((held) => [...held.keys()]));
  for (const [traceId, content] of readStored(storeFile, rest)) {
    // Deleted content is not missing.
    if (content === 'deleted') wanted.delete(traceId);
    else addContent(wanted, content);
  }
  return missing.filter(isMissing).length;
}

function heldIn(content: TraceContent): Held {
  const held: Held = new Map();
  for (const table of tablesOf(content))
    for (let row = 0; row < table.rowCount; row += 1) {
      const traceId = table.traceId(row);
      if (traceId !== undefined) held.set(traceId, (held.get(traceId) ?? new Set()).add(idIn(table, row)));
    }
  return held;
}

function addContent(wanted: Held, content: TraceContent): void {
  for (const table of tablesOf(content)) addRows(wanted, table);
}

function addRows(wanted: Held, table: BatchTable): void {
  for (let row = 0; row < table.rowCount; row += 1) {
    const traceId = table.traceId(row);
    if (traceId !== undefined) wanted.get(traceId)?.add(idIn(table, row));
  }
}

function idIn(table: BatchTable, row: number): string {
  return `${table.signal} ${table.spanId(row) ?? ''}`;
}

function tablesOf({ traces, logs }: TraceContent): readonly BatchTable[] {
  const requests = [
    { signal: 'traces', bytes: traces } as const,
    ...(logs === undefined ? [] : [{ signal: 'logs', bytes: logs } as const]),
  ];
  return requests.flatMap((request) => {
    const understood = understandRequest({ ...request, format: 'protobuf' }, undefined);
    return 'batch' in understood ? [BatchTable.read(understood.batch.table)] : [];
  });
}
