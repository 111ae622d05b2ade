import { expect, test } from 'vitest';
import { encodeTable, BatchTable } from '../../src/otlp/batch-table.ts';
import { blankRows } from '../../src/otlp/blank-rows.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';

const trace = (number: number) => number.toString(16).padStart(32, '0');

/** Two resources, of which the first has two scopes. */
function request(names: readonly (readonly [resource: string, scope: string, trace: number])[]): Buffer {
  const resources = Map.groupBy(names, ([resource]) => resource);
  const resourceSpans = [...resources].map(([resource, of]) => ({
    resource: { attributes: [{ key: 'name', value: { stringValue: resource } }] },
    scopeSpans: [...Map.groupBy(of, ([, scope]) => scope)].map(([scope, spans]) => ({
      scope: { name: scope },
      spans: spans.map(([, , number], index) => ({
        traceId: trace(number),
        spanId: (number * 100 + index + 1).toString(16).padStart(16, '0'),
        name: `span of ${number}`,
        attributes: [{ key: 'text', value: { stringValue: `text of ${number} ${'x'.repeat(number)}` } }],
      })),
    })),
  }));
  return Buffer.from(transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans }))));
}

function blanked(bytes: Buffer, gone: readonly number[]) {
  const table = Buffer.from(encodeTable(indexTraces(bytes)));
  const before = BatchTable.read(Buffer.from(table));
  const result = blankRows(table, bytes, (traceId) => gone.map(trace).includes(traceId));
  return { table: BatchTable.read(table), before, result };
}

test('removes the rows of a trace, and leaves a valid request in which the others are where they were', () => {
  const bytes = request([
    ['first', 'a', 1],
    ['first', 'a', 200],
    ['first', 'b', 200],
    ['second', 'c', 200],
    ['second', 'c', 3],
  ]);

  const { table, before, result } = blanked(bytes, [200]);

  expect(result).toEqual({ rows: 3, isEmpty: false });
  expect(bytes.includes('of 200')).toBe(false);
  const index = indexTraces(bytes);
  expect(Array.from({ length: index.spanCount }, (_, row) => index.view(row).name)).toEqual(['span of 1', 'span of 3']);
  for (const row of [0, 4]) {
    expect(table.traceId(row)).toBe(before.traceId(row));
    expect([table.start(row), table.end(row)]).toEqual([before.start(row), before.end(row)]);
  }
  for (const row of [1, 2, 3]) expect([table.traceId(row), table.isOwn(row)]).toEqual([undefined, true]);
});

test.each([
  ['a scope goes with its last row', [200], { a: true, b: false, first: true }],
  ['a resource goes with its last row', [1, 200], { a: false, b: false, first: false }],
] as const)('%s', (_name, gone, stays) => {
  const bytes = request([
    ['first', 'scope a', 1],
    ['first', 'scope b', 200],
    ['second', 'scope c', 3],
  ]);

  blanked(bytes, gone);

  expect({ a: bytes.includes('scope a'), b: bytes.includes('scope b'), first: bytes.includes('first') }).toEqual(stays);
  expect(bytes.includes('scope c') && bytes.includes('second')).toBe(true);
});

test('says when nothing is left, also when it went one after the other, and nothing where nothing is meant', () => {
  const bytes = request([
    ['first', 'a', 1],
    ['first', 'a', 2],
  ]);
  const table = Buffer.from(encodeTable(indexTraces(bytes)));
  const of = (number: number) => blankRows(table, bytes, (traceId) => traceId === trace(number));

  expect(of(9)).toEqual({ rows: 0, isEmpty: false });
  expect(of(1)).toEqual({ rows: 1, isEmpty: false });
  expect(of(1)).toEqual({ rows: 0, isEmpty: false });
  expect(of(2)).toEqual({ rows: 1, isEmpty: true });
});
