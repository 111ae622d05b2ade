import { describe, expect, it } from 'vitest';
import { OWN_SCOPE } from '../../src/model/marks.ts';
import { BatchTable, encodeTable } from '../../src/otlp/batch-table.ts';
import { indexLogs } from '../../src/otlp/logs-reader.ts';
import { writeLogsRequest, writeTracesRequest } from '../../src/otlp/request-writer.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { otlp } from './otlp.proto.ts';

const ids = (byte: number) => ({ traceId: Buffer.alloc(16, byte), spanId: Buffer.alloc(8, byte) });
const resource = (name: string) => ({ attributes: [{ key: 'service.name', value: { stringValue: name } }] });

const REQUEST = Buffer.from(
  otlp.TracesData.encode(
    otlp.TracesData.fromObject({
      resourceSpans: [
        {
          resource: resource('one'),
          scopeSpans: [
            {
              scope: { name: 'agent' },
              spans: [ids(1), { ...ids(2), parentSpanId: Buffer.alloc(8, 1), flags: 0x301 }],
            },
            { scope: { name: OWN_SCOPE }, spans: [{ name: 'no ids' }, ids(3)] },
          ],
        },
        { scopeSpans: [{ spans: [{ ...ids(4), parentSpanId: Buffer.alloc(8, 3), flags: 0x101 }] }] },
      ],
    }),
  ).finish(),
);

describe('a batch table', () => {
  const table = BatchTable.read(encodeTable(indexTraces(REQUEST)));
  const rows = Array.from({ length: table.rowCount }, (_, row) => row);

  it('says whose each row is', () => {
    expect(table.signal).toBe('traces');
    expect(rows.map((row) => table.traceId(row))).toEqual(['01', '02', '03', '04'].map((byte) => byte.repeat(16)));
    expect(rows.map((row) => table.spanId(row))).toEqual(['01', '02', '03', '04'].map((byte) => byte.repeat(8)));
    expect(rows.map((row) => table.parentSpanId(row))).toEqual([undefined, '01'.repeat(8), undefined, '03'.repeat(8)]);
  });

  it('says which parents live elsewhere and which spans are our own', () => {
    expect(rows.map((row) => table.parentIsRemote(row))).toEqual([false, true, false, false]);
    expect(rows.map((row) => table.isOwn(row))).toEqual([false, false, true, false]);
  });

  it('says where rows, resources and scopes lie, so that they can be taken without decoding anything', () => {
    const groups = rows.map((row) => ({
      resource: REQUEST.subarray(table.resourceStart(table.group(row)), table.resourceEnd(table.group(row))),
      scope: REQUEST.subarray(table.scopeStart(table.group(row)), table.scopeEnd(table.group(row))),
      records: [REQUEST.subarray(table.start(row), table.end(row))],
    }));
    const index = indexTraces(writeTracesRequest(groups));
    const seen = rows.map((row) => {
      const view = index.view(row);
      return [view.traceId.slice(0, 2), view.resource.text('service.name'), view.scope.name];
    });
    expect(seen).toEqual([
      ['01', 'one', 'agent'],
      ['02', 'one', 'agent'],
      ['03', 'one', OWN_SCOPE],
      ['04', undefined, ''],
    ]);
    expect(table.groupCount).toBe(3);
  });

  it('takes 48 bytes a row and survives any place in memory', () => {
    const encoded = encodeTable(indexTraces(REQUEST));
    expect(encoded.length).toBe(16 + 3 * 16 + 4 * 48);
    const moved = Buffer.concat([Buffer.alloc(3), encoded]).subarray(3);
    expect(BatchTable.read(moved).traceId(3)).toBe('04'.repeat(16));
  });

  it('knows log records without a trace', () => {
    const bytes = Buffer.from(
      otlp.LogsData.encode(
        otlp.LogsData.fromObject({
          resourceLogs: [{ scopeLogs: [{ logRecords: [ids(5), {}, { traceId: Buffer.alloc(3, 1) }] }] }],
        }),
      ).finish(),
    );
    const logs = BatchTable.read(encodeTable(indexLogs(bytes)));
    expect([logs.signal, logs.rowCount]).toEqual(['logs', 3]);
    expect([0, 1, 2].map((row) => logs.traceId(row))).toEqual(['05'.repeat(16), undefined, undefined]);
    expect([0, 1, 2].map((row) => logs.spanId(row))).toEqual(['05'.repeat(8), undefined, undefined]);
  });

  it.each([
    ['nothing', Buffer.alloc(0), /0 bytes that do not begin like a table/],
    ['something else', Buffer.alloc(64, 1), /do not begin like a table/],
    [
      'a table cut short',
      Buffer.from(encodeTable(indexTraces(REQUEST))).subarray(0, -1),
      /3 groups and 4 rows take 256/,
    ],
  ])('is not made of %s', (_what, bytes, message) => {
    expect(() => BatchTable.read(bytes)).toThrow(message);
  });

  it('has no row and no group beyond its last', () => {
    expect(() => table.start(4)).toThrow('row 4 of a batch table of 4 rows');
    expect(() => table.resourceStart(3)).toThrow('group 3 of a batch table of 3 groups');
  });
});

describe('a request put together from pieces', () => {
  it('is what the conventional encoder writes', () => {
    const span = Buffer.from(otlp.Span.encode(otlp.Span.fromObject({ ...ids(1), name: 'x'.repeat(300) })).finish());
    const resourceBytes = Buffer.from(otlp.Resource.encode(otlp.Resource.fromObject(resource('one'))).finish());
    const scope = Buffer.from(otlp.Scope.encode(otlp.Scope.fromObject({ name: 'agent' })).finish());
    const request = {
      resourceSpans: [
        {
          resource: otlp.Resource.decode(resourceBytes),
          scopeSpans: [{ scope: otlp.Scope.decode(scope), spans: [otlp.Span.decode(span), otlp.Span.decode(span)] }],
        },
        { scopeSpans: [{ spans: [otlp.Span.decode(span)] }] },
      ],
    };
    const expected = Buffer.from(otlp.TracesData.encode(otlp.TracesData.create(request)).finish());
    const empty = new Uint8Array(0);
    const written = writeTracesRequest([
      { resource: resourceBytes, scope, records: [span, span] },
      { resource: empty, scope: empty, records: [span] },
    ]);
    expect(Buffer.from(written).equals(expected)).toBe(true);
    expect(writeLogsRequest([])).toHaveLength(0);
  });
});
