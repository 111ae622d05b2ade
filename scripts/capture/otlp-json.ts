/**
 * Export requests as OTLP/JSON, whatever their original form. Protobuf is converted to JSON field by field by a
 * conventional decoder, not by Assay's, so that a mistake of the latter cannot hide in its own fixtures.
 */
import { otlp } from '../../test/otlp/otlp.proto.ts';

/** JSON made by a decoder or a client; its content is the emitter's. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function jsonOfRequest(signal: 'traces' | 'logs', contentType: string, body: Buffer): Json {
  if (contentType.includes('json')) return JSON.parse(body.toString());
  const type = signal === 'traces' ? otlp.TracesData : otlp.LogsData;
  return tidied(type.toObject(type.decode(body), { longs: String, bytes: Buffer, arrays: false, defaults: false }));
}

const IDS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);

/** Ids are hexadecimal in OTLP/JSON, other bytes base64; an absent id is left out. */
function tidied(value: unknown): Json {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value as Json;
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (!Buffer.isBuffer(item)) entries.push([key, tidied(item)]);
    else if (!IDS.has(key)) entries.push([key, item.toString('base64')]);
    else if (item.length > 0) entries.push([key, item.toString('hex')]);
  }
  return Object.fromEntries(entries);
}
