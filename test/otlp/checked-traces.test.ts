import { describe, expect, it } from 'vitest';
import { indexCheckedTraces, indexTraces, type TracesIndex } from '../../src/otlp/traces-reader.ts';
import { WireError } from '../../src/otlp/wire.ts';
import { Random, randomRequest } from './random-requests.ts';

/** The positions of all parts, and the result of a walk over the places of the attributes. */
function rowsOf(index: TracesIndex): unknown {
  return Array.from({ length: index.spanCount }, (_, row) => {
    const { rows } = index;
    const { traceId, spanId, parentSpanId, attributes, resource } = index.view(row);
    return {
      ids: [traceId, spanId, parentSpanId],
      place: [rows.start(row), rows.end(row), rows.group(row), rows.flags(row)],
      keys: [attributes.keys(), resource.keys()],
      values: attributes.keys().map((key) => attributes.get(key)),
    };
  });
}

function tryIndex(bytes: Uint8Array): TracesIndex | undefined {
  try {
    return indexTraces(bytes);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

describe('an index of spans that were checked before', () => {
  it('has the rows that an index with all checks has', () => {
    const random = new Random(7);
    let spans = 0;
    for (let round = 0; round < 300; round++) {
      const bytes = randomRequest('traces', random);
      const checked = tryIndex(bytes);
      // Some random requests are malformed: those never reach this point.
      if (checked === undefined) continue;
      const unchecked = indexCheckedTraces(bytes);
      spans += checked.spanCount;

      expect(unchecked.rejected).toBe(checked.rejected);
      expect(rowsOf(unchecked)).toEqual(rowsOf(checked));
    }
    expect(spans).toBeGreaterThan(300);
  });
});
