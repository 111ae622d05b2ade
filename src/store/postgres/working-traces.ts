/** The traces of one transaction, in memory: those that were stored before and those of the arrivals that are scored in it. */
import type { CloseCause } from '../../model/causes.ts';
import type { TraceId } from '../../model/ids.ts';
import type { NewTrace, StoredTrace, TraceContent, TraceStore } from '../engine-store.ts';
import type { LoadedArrival, LoadedTrace } from './loaded.ts';
import type { WorkingHeads } from './working-heads.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface HeldTrace extends Mutable<StoredTrace> {
  cause: CloseCause;
  content: TraceContent | undefined;
  readonly firstClosedAt: number;
  readonly day: number;
  /** Arrival that holds these bytes; content of no arrival is written with the trace. */
  readonly arrival: number;
  hasOwnContent: boolean;
  /** As it is in the database. */
  readonly loaded: LoadedTrace | undefined;
  isChanged: boolean;
}

export class WorkingTraces implements TraceStore {
  readonly #byRow = new Map<number, HeldTrace>();
  readonly #rowByTrace = new Map<TraceId, number>();
  readonly #rowsByConversation = new Map<number, Set<number>>();
  readonly #arrivals = new Map<TraceId, LoadedArrival[]>();
  /** For those that an arrival may make. */
  readonly #reserved = new Map<TraceId, number>();
  readonly #heads: WorkingHeads;
  readonly #nextRow: () => number;

  constructor(heads: WorkingHeads, nextRow: () => number) {
    this.#heads = heads;
    this.#nextRow = nextRow;
  }

  load(
    traces: readonly (LoadedTrace & { readonly conversationRow: number })[],
    arrivals: readonly LoadedArrival[],
  ): void {
    for (const arrival of arrivals) {
      const same = this.#arrivals.get(arrival.traceId);
      if (same === undefined) this.#arrivals.set(arrival.traceId, [arrival]);
      else same.push(arrival);
    }
    const known = new Set(traces.map(({ traceId }) => traceId));
    const firsts = [...this.#arrivals.values()].flatMap(([first]) => first ?? []);
    const inOrder = [
      ...traces.map((trace) => ({ at: trace.firstClosedAt, traceId: trace.traceId, trace })),
      ...firsts
        .filter(({ traceId }) => !known.has(traceId))
        .map(({ closedAt, traceId }) => ({ at: closedAt, traceId, trace: undefined })),
    ].sort((a, b) => a.at - b.at || (a.traceId < b.traceId ? -1 : 1));
    for (const { traceId, trace } of inOrder) {
      const row = this.#nextRow();
      if (trace === undefined) this.#reserved.set(traceId, row);
      else this.#hold(heldFrom(trace, row));
    }
  }

  clear(): void {
    this.#byRow.clear();
    this.#rowByTrace.clear();
    this.#rowsByConversation.clear();
    this.#arrivals.clear();
    this.#reserved.clear();
  }

  changed(): readonly HeldTrace[] {
    return [...this.#byRow.values()].filter(({ isChanged }) => isChanged);
  }

  find(traceId: TraceId): StoredTrace | undefined {
    const row = this.#rowByTrace.get(traceId);
    return row === undefined ? undefined : { ...this.held(row) };
  }

  /** Spans of such traces are dropped when they are filed (`filing.ts`). */
  wasPruned(): boolean {
    return false;
  }

  at(row: number): StoredTrace | undefined {
    const trace = this.#byRow.get(row);
    return trace === undefined ? undefined : { ...trace };
  }

  idAt(row: number): TraceId | undefined {
    return row === 0 ? undefined : this.at(row)?.traceId;
  }

  held(row: number): HeldTrace {
    const trace = this.#byRow.get(row);
    if (trace === undefined) throw new Error(`store: no trace of the working set has row ${row}`);
    return trace;
  }

  contentOf(row: number): TraceContent {
    const trace = this.held(row);
    if (trace.content === undefined) {
      this.#heads.miss(trace.conversation);
      throw new Error(`store: the bytes of trace ${trace.traceId} were not loaded`);
    }
    return trace.content;
  }

  ofConversation(conversation: number): readonly StoredTrace[] {
    this.#heads.needWhole(conversation);
    const rows = [...(this.#rowsByConversation.get(conversation) ?? [])].sort((a, b) => a - b);
    return rows.map((row) => ({ ...this.held(row) }));
  }

  insert(trace: NewTrace): number {
    const { arrival, isUnchanged } = this.#arrivalOf(trace);
    const { row } = this.#hold({
      ...trace,
      row: this.#reserved.get(trace.traceId) ?? this.#nextRow(),
      firstClosedAt: trace.closedAt,
      day: arrival.day,
      arrival: arrival.id,
      hasOwnContent: !isUnchanged,
      loaded: undefined,
      isChanged: true,
    });
    this.#heads.noteTrace(trace.conversation, trace.traceId);
    return row;
  }

  revise(revised: NewTrace & { readonly row: number }): void {
    const trace = this.held(revised.row);
    this.#place(trace, revised.conversation);
    trace.revision = revised.revision;
    trace.position = revised.position;
    trace.closedAt = revised.closedAt;
    trace.spans = revised.spans;
    trace.sealed = revised.sealed;
    trace.cause = revised.cause;
    trace.content = revised.content;
    trace.hasOwnContent = true;
    trace.isChanged = true;
    this.#heads.noteTrace(trace.conversation, trace.traceId);
  }

  pass(row: number, position: number): void {
    const trace = this.held(row);
    if (trace.position === position) return;
    trace.position = position;
    trace.isChanged = true;
  }

  move(row: number, conversation: number): void {
    const trace = this.held(row);
    this.#place(trace, conversation);
    trace.isChanged = true;
  }

  /** Where its bytes came from: most often they are what was filed, untouched. */
  #arrivalOf(trace: NewTrace): { readonly arrival: LoadedArrival; readonly isUnchanged: boolean } {
    const arrivals = this.#arrivals.get(trace.traceId) ?? [];
    const same = arrivals.find(({ content }) => content === trace.content);
    const arrival = same ?? arrivals[0];
    if (arrival === undefined) throw new Error(`store: nothing of trace ${trace.traceId} is in the working set`);
    return { arrival, isUnchanged: same !== undefined };
  }

  #hold(trace: HeldTrace): HeldTrace {
    this.#byRow.set(trace.row, trace);
    this.#rowByTrace.set(trace.traceId, trace.row);
    this.#rowsOf(trace.conversation).add(trace.row);
    return trace;
  }

  #place(trace: HeldTrace, conversation: number): void {
    this.#rowsByConversation.get(trace.conversation)?.delete(trace.row);
    trace.conversation = conversation;
    this.#rowsOf(conversation).add(trace.row);
  }

  #rowsOf(conversation: number): Set<number> {
    let rows = this.#rowsByConversation.get(conversation);
    if (rows === undefined) {
      rows = new Set();
      this.#rowsByConversation.set(conversation, rows);
    }
    return rows;
  }
}

function heldFrom(loaded: LoadedTrace & { readonly conversationRow: number }, row: number): HeldTrace {
  return {
    row,
    traceId: loaded.traceId,
    conversation: loaded.conversationRow,
    revision: loaded.revision,
    position: loaded.position,
    closedAt: loaded.closedAt,
    spans: loaded.spans,
    sealed: loaded.sealed,
    cause: loaded.cause,
    content: loaded.content,
    firstClosedAt: loaded.firstClosedAt,
    day: loaded.day,
    arrival: loaded.arrival,
    hasOwnContent: false,
    loaded,
    isChanged: false,
  };
}
