import { expect, test } from 'vitest';
import { BatchTable, encodeTable } from '../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { splitByTrace } from '../../src/receive/split-by-trace.ts';
import type { ReceivedBatch } from '../../src/receive/sink.ts';

const A = 'a'.repeat(32);
const B = 'b'.repeat(32);

function batchOf(
  groups: readonly { readonly service: string; readonly spans: readonly [trace: string, name: string][] }[],
) {
  let id = 0;
  const request = {
    resourceSpans: groups.map(({ service, spans }) => ({
      resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
      scopeSpans: [
        {
          scope: { name: 'tests' },
          spans: spans.map(([traceId, name]) => {
            id += 1;
            return { traceId, spanId: id.toString(16).padStart(16, '0'), name };
          }),
        },
      ],
    })),
  };
  const bytes = transcodeTraces(Buffer.from(JSON.stringify(request)));
  const index = indexTraces(bytes);
  return { signal: 'traces', bytes, table: encodeTable(index), rows: index.spanCount } satisfies ReceivedBatch;
}

/** Each span with its resource, as bytes. */
function spansOf(bytes: Uint8Array): readonly string[] {
  const index = indexTraces(bytes);
  const table = BatchTable.read(encodeTable(index));
  return Array.from({ length: table.rowCount }, (_, row) => {
    const group = table.group(row);
    const text = (start: number, end: number) => Buffer.from(index.bytes.subarray(start, end)).toString('latin1');
    return `${text(table.resourceStart(group), table.resourceEnd(group))} ${text(table.start(row), table.end(row))}`;
  });
}

test('each part holds the spans of one trace, with their resources; nothing is lost or doubled', () => {
  const batch = batchOf([
    {
      service: 'one',
      spans: [
        [A, 'a1'],
        [B, 'b1'],
        [A, 'a2'],
      ],
    },
    {
      service: 'two',
      spans: [
        [B, 'b2'],
        [A, 'a3'],
      ],
    },
  ]);

  const parts = splitByTrace(batch, { bytesMax: 1_000_000 });

  expect(parts.map(({ traceId, rows }) => [traceId, rows])).toEqual([
    [A, 3],
    [B, 2],
  ]);
  const all = parts.flatMap(({ bytes }) => spansOf(bytes));
  expect(all.toSorted()).toEqual(spansOf(batch.bytes).toSorted());
});

test('a request of one trace goes on as it came', () => {
  const batch = batchOf([
    {
      service: 'one',
      spans: [
        [A, 'a1'],
        [A, 'a2'],
      ],
    },
  ]);

  expect(splitByTrace(batch, { bytesMax: 1_000_000 })[0]?.bytes).toBe(batch.bytes);
});

test('what would be too large for a record becomes several, and a span that is too large by itself stays alone', () => {
  const spans = Array.from({ length: 20 }, (_, index): [string, string] => [A, `${index} `.repeat(50)]);
  const batch = batchOf([{ service: 'one', spans: [...spans, [A, 'x'.repeat(2000)]] }]);

  const parts = splitByTrace(batch, { bytesMax: 1000 });

  const large = parts.filter(({ bytes }) => bytes.length > 1100);
  expect(large.map(({ rows }) => rows)).toEqual([1]);
  expect(parts.length).toBeGreaterThan(3);
  expect(parts.flatMap(({ bytes }) => spansOf(bytes)).toSorted()).toEqual(spansOf(batch.bytes).toSorted());
});
