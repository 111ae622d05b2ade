/** Resource and span attributes with scalar values, for `match`. The span's own win over the resource's. */
import type { Attributes, SpanView } from '../otlp/views.ts';

/** Longer texts are left out: no suite matches on a message history, and a turn would hold on to them. */
const TEXT_LENGTH_MAX = 1_024;

export function scalarAttributes(span: SpanView): ReadonlyMap<string, string | number | boolean> {
  const scalars = new Map<string, string | number | boolean>();
  collect(span.resource, scalars);
  collect(span.attributes, scalars);
  return scalars;
}

function collect(attributes: Attributes, into: Map<string, string | number | boolean>): void {
  for (const key of attributes.keys()) {
    const value = attributes.get(key);
    if (typeof value === 'string') {
      if (value.length <= TEXT_LENGTH_MAX) into.set(key, value);
    } else if (typeof value === 'number' || typeof value === 'boolean') {
      into.set(key, value);
    } else if (typeof value === 'bigint') {
      into.set(key, value.toString());
    }
  }
}
