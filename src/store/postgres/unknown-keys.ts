/**
 * Finds the references of arrivals that were filed without them, from the content of everything filed of their traces.
 * A few megabytes at a time, and nothing of it is kept.
 */
import { decodeContent } from '../content-codec.ts';
import type { ConversationKeys, TraceContent } from '../engine-store.ts';
import { filedKey } from './filed-keys.ts';
import { fromUuid } from './row-keys.ts';
import type { Session } from './session.ts';

/** How the content of an arrival is understood; the store knows nothing of spans. */
export type KeysOf = (content: TraceContent) => ConversationKeys;

interface Unknown {
  readonly traceId: string;
  readonly bytes: number;
}

interface OfTrace<T> {
  readonly traceId: string;
  readonly arrivals: T[];
  bytes: number;
}

const BYTES_AT_ONCE = 8 << 20;

export class UnknownKeys {
  readonly #keysOf: KeysOf | undefined;

  constructor(keysOf: KeysOf | undefined) {
    this.#keysOf = keysOf;
  }

  async workOut<T extends Unknown>(
    session: Session,
    arrivals: readonly T[],
  ): Promise<readonly { readonly of: T; readonly key: bigint; readonly wanted: boolean }[]> {
    const found: { readonly of: T; readonly key: bigint; readonly wanted: boolean }[] = [];
    for (const some of inParts(arrivals)) {
      const byTrace = new Map(some.map((trace) => [fromUuid(trace.traceId), trace.arrivals]));
      const rows = await session.rows<{ key: string; traces: Buffer; logs: Buffer | null }>(CONTENT, [
        some.map(({ traceId }) => traceId),
      ]);
      for (const { key, traces, logs } of rows) {
        const content = { traces: decodeContent(traces), logs: logs === null ? undefined : decodeContent(logs) };
        const { has, wants } = this.#understood(content);
        for (const of of byTrace.get(fromUuid(key)) ?? []) {
          for (const text of has) found.push({ of, key: filedKey(text), wanted: false });
          for (const text of wants) found.push({ of, key: filedKey(text), wanted: true });
        }
      }
    }
    return found;
  }

  #understood(content: TraceContent): ConversationKeys {
    if (this.#keysOf === undefined) {
      throw new Error(
        'store: arrivals were filed without saying to what they refer, and this store was opened without a way to find it out',
      );
    }
    return this.#keysOf(content);
  }
}

function* inParts<T extends Unknown>(arrivals: readonly T[]): Iterable<readonly OfTrace<T>[]> {
  const traces = new Map<string, OfTrace<T>>();
  for (const arrival of arrivals) {
    const { traceId, bytes } = arrival;
    const trace = traces.get(traceId);
    if (trace === undefined) traces.set(traceId, { traceId, arrivals: [arrival], bytes });
    else {
      trace.arrivals.push(arrival);
      trace.bytes += bytes;
    }
  }
  let part: OfTrace<T>[] = [];
  let bytes = 0;
  for (const trace of traces.values()) {
    if (part.length > 0 && bytes + trace.bytes > BYTES_AT_ONCE) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(trace);
    bytes += trace.bytes;
  }
  if (part.length > 0) yield part;
}

const CONTENT = {
  name: 'content-of-unknown',
  sql: 'SELECT trace_id AS key, traces, logs FROM arrivals WHERE trace_id = ANY($1::uuid[])',
};
