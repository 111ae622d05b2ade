/** A binary heap of (time, trace id), earliest first; equal times in order of trace id, so that order is total. */
import type { TraceId } from '../model/ids.ts';

interface Deadline {
  readonly at: number;
  readonly traceId: TraceId;
}

export class DeadlineHeap {
  readonly #entries: Deadline[] = [];

  get size(): number {
    return this.#entries.length;
  }

  peek(): Deadline | undefined {
    return this.#entries[0];
  }

  push(at: number, traceId: TraceId): void {
    const entries = this.#entries;
    const entry = { at, traceId };
    let index = entries.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = entries[parent];
      if (above === undefined || isBefore(above, entry)) break;
      entries[index] = above;
      index = parent;
    }
    entries[index] = entry;
  }

  pop(): Deadline | undefined {
    const entries = this.#entries;
    const top = entries[0];
    const last = entries.pop();
    if (top === undefined || last === undefined || entries.length === 0) return top;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const leftEntry = entries[left];
      if (leftEntry === undefined) break;
      const rightEntry = entries[right];
      const rightIsNext = rightEntry !== undefined && isBefore(rightEntry, leftEntry);
      const next = rightIsNext ? rightEntry : leftEntry;
      if (isBefore(last, next)) break;
      entries[index] = next;
      index = rightIsNext ? right : left;
    }
    entries[index] = last;
    return top;
  }
}

function isBefore(a: Deadline, b: Deadline): boolean {
  return a.at < b.at || (a.at === b.at && a.traceId <= b.traceId);
}
