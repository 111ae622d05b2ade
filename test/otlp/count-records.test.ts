import { describe, expect, it } from 'vitest';
import { countRecords } from '../../src/otlp/count-records.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { tinySpans } from '../receive/tiny-spans.ts';

const SPAN = { traceId: '5'.repeat(32), spanId: '5'.repeat(16), name: 'a' };

function request(...groups: readonly (readonly number[])[]): Buffer {
  const resourceSpans = groups.map((scopes) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: 'a' } }] },
    scopeSpans: scopes.map((spans) => ({ scope: { name: 'b' }, spans: Array.from({ length: spans }, () => SPAN) })),
  }));
  return Buffer.from(transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans }))));
}

describe('counting records', () => {
  it.each([
    ['none', request(), 0],
    ['some in several resources and scopes', request([1, 2], [0, 3], [4]), 10],
    ['as many as there may be', tinySpans(100), 100],
    ['one more', tinySpans(101), Number.POSITIVE_INFINITY],
  ])('%s', (_, bytes, expected) => {
    expect(countRecords(bytes, 100)).toBe(expected);
  });

  it('takes a request of nothing but empty resources for one with too many', () => {
    expect(countRecords(Buffer.from('0a00'.repeat(1000), 'hex'), 100)).toBe(Number.POSITIVE_INFINITY);
    expect(countRecords(Buffer.from('0a021200'.repeat(1000), 'hex'), 100)).toBe(Number.POSITIVE_INFINITY);
    expect(countRecords(Buffer.from('0a00'.repeat(100), 'hex'), 100)).toBe(0);
  });

  it('ends where the bytes are malformed, and leaves the error to the reader', () => {
    const cut = tinySpans(50).subarray(0, 700);
    expect(countRecords(cut, 100)).toBeLessThanOrEqual(50);
    expect(() => indexTraces(cut)).toThrow(/protobuf at byte/);
  });
});
