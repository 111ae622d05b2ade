/**
 * Puts the bytes of one trace together: what came from the log, and what the store had of it already, as one OTLP
 * message of its own. Spans keep the bytes in which they arrived; only the grouping by resource and scope is made new.
 *
 * A turn in the store is therefore its spans, and anything that is ever asked about it can be answered from them, by a
 * later version of the rules as well.
 */
import type { TraceId } from '../model/ids.ts';
import { BatchTable, encodeTable } from '../otlp/batch-table.ts';
import { indexLogs } from '../otlp/logs-reader.ts';
import type { RecordIndex } from '../otlp/record-index.ts';
import { writeLogsRequest, writeTracesRequest } from '../otlp/request-writer.ts';
import { indexTraces } from '../otlp/traces-reader.ts';
import type { ClosedRow } from './open/open-spans.ts';
import type { RowGroup } from './open/row-groups.ts';

interface Content {
  readonly traces: Uint8Array;
  readonly logs: Uint8Array | undefined;
}

export interface MergedContent {
  readonly content: Content;
  /** Distinct span ids. */
  readonly spans: number;
  /** New rows that were not there yet. */
  readonly added: number;
}

/** A resource and a scope. They are the same as others if their bytes are. */
interface GroupHead {
  readonly key: string;
  readonly resource: Uint8Array;
  readonly scope: Uint8Array;
}

interface Group extends GroupHead {
  readonly records: Uint8Array[];
}

/**
 * The resources and scopes read last. The spans of one request belong to many turns, which close at about the same
 * time and would each read the same resource again. A position of the log never changes its meaning.
 */
export class GroupCache {
  static readonly ENTRIES_MAX = 4096;
  /** Large resources are rare, and not worth the memory. */
  static readonly BYTES_MAX = 16_384;
  readonly #heads = new Map<number, GroupHead>();

  get(group: RowGroup, read: (position: number, length: number) => Uint8Array): GroupHead {
    // The scope lies inside its ScopeSpans, so that its position names the group; a scope may be absent, but not twice.
    const place = group.scopeLength > 0 ? group.scopePosition : -1 - group.resourcePosition;
    const known = this.#heads.get(place);
    if (known !== undefined) return known;
    const head = groupHead(
      copied(read(group.resourcePosition, group.resourceLength)),
      copied(read(group.scopePosition, group.scopeLength)),
    );
    if (group.resourceLength + group.scopeLength > GroupCache.BYTES_MAX) return head;
    if (this.#heads.size >= GroupCache.ENTRIES_MAX) this.#heads.clear();
    this.#heads.set(place, head);
    return head;
  }
}

function groupHead(resource: Uint8Array, scope: Uint8Array): GroupHead {
  return { key: `${resource.length} ${latin1(resource)}${latin1(scope)}`, resource, scope };
}

/** Kept content must not keep alive the block that it was read from. */
function copied(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}

/** Two rows that lie closer than this are read in one go: a read costs more than copying some kilobytes. */
const READ_GAP_BYTES = 4096;
const READ_BYTES_MAX = 1 << 20;

/** The bytes of a closed turn's rows as messages of their own. */
export function contentOfRows(input: {
  readonly rows: readonly ClosedRow[];
  readonly read: (position: number, length: number) => Uint8Array;
  readonly groups: GroupCache;
  /** The caller knows that no span id came twice; saves looking for duplicates. */
  readonly spansAreDistinct: boolean;
}): { readonly content: Content; readonly spans: number } {
  const traces = new Grouping();
  const logs = new Grouping();
  const bytesOf = readRows(input.rows, input.read);
  for (const [index, row] of input.rows.entries()) {
    const { signal } = row.group;
    const grouping = signal === 'traces' ? traces : logs;
    const group = grouping.open(input.groups.get(row.group, input.read));
    const bytes = bytesOf[index];
    if (bytes === undefined) continue;
    grouping.add(group, bytes, { known: input.spansAreDistinct && signal === 'traces' ? 'distinct' : 'maybe' });
  }
  return { content: contentOf(traces, logs), spans: traces.records };
}

/** Adds spans and log records that came later to those of a trace that are stored. */
export function mergeContents(stored: Content, later: Content): MergedContent {
  const traces = new Grouping();
  const logs = new Grouping();
  const add = (content: Content) =>
    traces.addMessage(content.traces, indexTraces(content.traces)) +
    (content.logs === undefined ? 0 : logs.addMessage(content.logs, indexLogs(content.logs)));
  add(stored);
  const added = add(later);
  return { content: contentOf(traces, logs), spans: traces.records, added };
}

/** Everything that some export requests hold of each trace, the first trace first. All of it is in memory. */
export function contentsByTrace(
  requests: Iterable<{ readonly signal: 'traces' | 'logs'; readonly bytes: Uint8Array }>,
): readonly Content[] {
  const byTrace = new Map<TraceId, Readonly<Record<'traces' | 'logs', Grouping>>>();
  for (const { signal, bytes: given } of requests) {
    const index = signal === 'traces' ? indexTraces(given) : indexLogs(given);
    const { bytes } = index;
    const table = BatchTable.read(encodeTable(index));
    for (let row = 0; row < table.rowCount; row += 1) {
      const traceId = table.traceId(row);
      // A log record outside any trace, and what Assay itself emits, belong to no turn.
      if (traceId === undefined || table.isOwn(row)) continue;
      const found = byTrace.get(traceId) ?? { traces: new Grouping(), logs: new Grouping() };
      byTrace.set(traceId, found);
      found[signal].addRow(bytes, table, row);
    }
  }
  return [...byTrace.values()].map(({ traces, logs }) => contentOf(traces, logs));
}

function contentOf(traces: Grouping, logs: Grouping): Content {
  return {
    traces: writeTracesRequest(traces.groups()),
    logs: logs.isEmpty ? undefined : writeLogsRequest(logs.groups()),
  };
}

/** Records by resource and scope, each record once. Resources and scopes are the same if their bytes are. */
class Grouping {
  readonly #groups = new Map<string, Group>();
  readonly #seen = new Set<string>();
  records = 0;

  get isEmpty(): boolean {
    return this.records === 0;
  }

  open(head: GroupHead): Group {
    const known = this.#groups.get(head.key);
    if (known !== undefined) return known;
    const group = { ...head, records: [] };
    this.#groups.set(head.key, group);
    return group;
  }

  add(group: Group, bytes: Uint8Array, options: { readonly known: 'distinct' | 'maybe' }): boolean {
    if (options.known === 'maybe') {
      const identity = `${group.key.length} ${group.key}${latin1(bytes)}`;
      if (this.#seen.has(identity)) return false;
      this.#seen.add(identity);
    }
    group.records.push(bytes);
    this.records += 1;
    return true;
  }

  /** Returns how many of its records were not there yet. */
  addMessage(bytes: Uint8Array, index: { readonly rows: RecordIndex }): number {
    let added = 0;
    const table = BatchTable.read(encodeTable(index));
    for (let row = 0; row < table.rowCount; row += 1) if (this.addRow(bytes, table, row)) added += 1;
    return added;
  }

  /** Returns whether it was not there yet. */
  addRow(bytes: Uint8Array, table: BatchTable, row: number): boolean {
    const number = table.group(row);
    const resource = bytes.subarray(table.resourceStart(number), table.resourceEnd(number));
    const scope = bytes.subarray(table.scopeStart(number), table.scopeEnd(number));
    const group = this.open(groupHead(resource, scope));
    return this.add(group, bytes.subarray(table.start(row), table.end(row)), { known: 'maybe' });
  }

  groups(): readonly Group[] {
    return [...this.#groups.values()];
  }
}

/** The bytes of each row, in the rows' order; rows that lie together are read together. */
function readRows(rows: readonly ClosedRow[], read: (position: number, length: number) => Uint8Array): Uint8Array[] {
  const order = rows.map((_, index) => index).sort((a, b) => positionOf(rows, a) - positionOf(rows, b));
  const bytes: Uint8Array[] = new Array(rows.length);
  for (let first = 0; first < order.length; ) {
    const start = positionOf(rows, order[first] ?? 0);
    let end = start;
    let next = first;
    for (; next < order.length; next += 1) {
      const row = rows[order[next] ?? 0];
      if (row === undefined) break;
      const rowEnd = row.position + row.length;
      if (next > first && (row.position - end > READ_GAP_BYTES || rowEnd - start > READ_BYTES_MAX)) break;
      end = Math.max(end, rowEnd);
    }
    const stretch = read(start, end - start);
    for (let index = first; index < next; index += 1) {
      const rowIndex = order[index] ?? 0;
      const row = rows[rowIndex];
      if (row !== undefined) {
        bytes[rowIndex] = stretch.subarray(row.position - start, row.position - start + row.length);
      }
    }
    first = next;
  }
  return bytes;
}

function positionOf(rows: readonly ClosedRow[], index: number): number {
  return rows[index]?.position ?? 0;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
