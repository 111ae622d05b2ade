import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, test } from 'vitest';
import { TranscodeError, transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import type { AttributeValue } from '../../src/model/attribute-value.ts';
import type { SpanView } from '../../src/otlp/views.ts';
import { readWireBodies } from '../fixtures/read-wire.ts';
import { toOtlpJson } from './otlp-json.ts';
import { mutate, Random, randomRequest } from './random-requests.ts';
import { compareWithReference, readOurs } from './reference-reading.ts';
import { rounds } from '../rounds.ts';

const IDS = '"traceId":"0102030405060708090A0b0c0d0e0f10","spanId":"0102030405060708"';

function spanOf(members: string): SpanView {
  return indexTraces(transcodeTraces(Buffer.from(document(members)))).view(0);
}

function document(members: string): string {
  return `{"resourceSpans":[{"scopeSpans":[{"spans":[{${IDS},${members}}]}]}]}`;
}

function valueOfJson(json: string): AttributeValue | undefined {
  return spanOf(`"attributes":[{"key":"a","value":${json}}]`).attributes.get('a');
}

function errorOf(text: string | Uint8Array): TranscodeError {
  try {
    transcodeTraces(typeof text === 'string' ? Buffer.from(text) : text);
  } catch (error) {
    if (error instanceof TranscodeError) return error;
    throw error;
  }
  throw new Error('expected a TranscodeError');
}

describe('OTLP/JSON', () => {
  it('says what the same request says in protobuf, in every spelling', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom('traces', 'logs'), (seed, signal) => {
        const random = new Random(seed);
        const request = randomRequest(signal, random);
        fc.pre(compareWithReference(signal, request).result === 'accepted');
        const json = Buffer.from(toOtlpJson(signal, request, random));
        const transcoded = signal === 'traces' ? transcodeTraces(json) : transcodeLogs(json);
        expect(isDeepStrictEqual(readOurs(signal, transcoded), readOurs(signal, request))).toBe(true);
      }),
      { numRuns: rounds(500) },
    );
  });

  it('of a real exporter becomes a request that the conventional decoder reads alike', () => {
    const body = readWireBodies().find(({ encoding }) => encoding === 'json');
    const bytes = transcodeTraces(body?.bytes ?? Buffer.alloc(0));
    expect(compareWithReference('traces', bytes)).toMatchObject({ result: 'accepted' });
    const { name, attributes } = JSON.parse(String(body?.bytes)).resourceSpans[0].scopeSpans[0].spans[0];
    const view = indexTraces(bytes).view(0);
    expect([view.name, view.attributes.keys()]).toEqual([
      name,
      attributes.map(({ key }: { readonly key: string }) => key),
    ]);
  });

  it('that was broken anywhere is refused or is a request that can be read', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = new Random(seed);
        const broken = mutate(
          Buffer.from(document('"name":"a\\n\\ud83d\\ude00","kind":"SPAN_KIND_CLIENT","flags":1e2')),
          random,
        );
        try {
          indexTraces(transcodeTraces(broken));
        } catch (error) {
          expect(error).toBeInstanceOf(TranscodeError);
        }
      }),
      { numRuns: rounds(2000) },
    );
  });

  it('is refused at every truncation', () => {
    const bytes = Buffer.from(document('"name":"a\\u00e4","attributes":[{"key":"k","value":{"intValue":"-12"}}]'));
    for (let length = 0; length < bytes.length; length++) errorOf(bytes.subarray(0, length));
    expect(indexTraces(transcodeTraces(bytes)).spanCount).toBe(1);
  });
});

test.each([
  ['{"not":"otlp"}', 'no resourceSpans'],
  ['{"resourceLogs":[]}', 'a request of logs, and not of traces'],
  ['{"resource_metrics":[{}],"more":1}', 'a request of metrics, and not of traces'],
])('the document %s is refused: %s', (json, why) => {
  expect(() => transcodeTraces(Buffer.from(json))).toThrow(why);
});

test.each([
  '{}',
  '{"resourceSpans":null}',
  '{"more":[1],"resource_spans":[]}',
  '{"resourceLogs":[],"resourceSpans":[]}',
])('the document %s is a request of nothing', (json) => {
  expect(indexTraces(transcodeTraces(Buffer.from(json))).spanCount).toBe(0);
});

describe('tolerance', () => {
  it('for ids in any case, names of enums, snake case, unknown keys and null', () => {
    const view = spanOf(
      '"parent_span_id":"AABBCCDDEEFF0011","kind":"SPAN_KIND_SERVER","future":{"a":[1,{}]},"name":null,"status":{"code":"STATUS_CODE_ERROR"}',
    );
    expect(view.traceId).toBe('0102030405060708090a0b0c0d0e0f10');
    expect(view.parentSpanId).toBe('aabbccddeeff0011');
    expect([view.otelKind, view.name, view.statusCode]).toEqual([2, '', 'error']);
  });

  it.each([
    ['a string', '"1795224843200123456"'],
    ['a number', '1795224843200123456'],
  ])('for times given as %s, to the microsecond', (_what, json) => {
    expect(spanOf(`"startTimeUnixNano":${json}`).startedAtMs).toBeCloseTo(1795224843200.1235, 3);
  });

  it.each([
    ['{"stringValue":"ü\\ud83d\\ude00\\u0000"}', 'ü😀\0'],
    ['{"stringValue":"\\ud83d"}', '\uFFFD'],
    ['{"stringValue":"\\ud83d\\u0041"}', '\uFFFDA'],
    ['{"stringValue":"\\ud83d\\ud83d\\ude00"}', '\uFFFD😀'],
    ['{"stringValue":"\\ude00\\ud83d"}', '\uFFFD\uFFFD'],
    ['{"intValue":"9223372036854775807"}', 9223372036854775807n],
    ['{"intValue":-9223372036854775808}', -9223372036854775808n],
    ['{"intValue":12}', 12],
    ['{"intValue":1.2e1}', 12],
    ['{"doubleValue":"NaN"}', Number.NaN],
    ['{"doubleValue":"-Infinity"}', Number.NEGATIVE_INFINITY],
    ['{"doubleValue":-0.5e-3}', -0.0005],
    ['{"boolValue":false}', false],
    ['{"bytesValue":"-_8="}', Uint8Array.from([0xfb, 0xff])],
    ['{"arrayValue":{"values":[{"intValue":"1"},null,{}]}}', [1, null, null]],
    ['{"arrayValue":{}}', []],
    ['{}', null],
    ['null', null],
  ])('for the value %s', (json, value) => {
    expect(valueOfJson(json)).toEqual(value);
  });

  it('for a byte order mark', () => {
    const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(document('"name":"a"'))]);
    expect(indexTraces(transcodeTraces(bytes)).view(0).name).toBe('a');
  });

  it('for keys named like prototypes, which are just keys', () => {
    const view = spanOf(
      '"__proto__":{"name":"x"},"attributes":[{"key":"__proto__","value":{"kvlistValue":{"values":[{"key":"__proto__","value":{"stringValue":"s"}}]}}}]',
    );
    expect([view.name, view.attributes.keys()]).toEqual(['', ['__proto__']]);
    expect(Object.keys(view.attributes.get('__proto__') ?? {})).toEqual(['__proto__']);
  });
});

describe('a mistake', () => {
  const inSpan = 'resourceSpans[0].scopeSpans[0].spans[0]';
  it.each([
    ['"name":1', `${inSpan}.name`, /expected a string, got "1/],
    ['"kind":"KIND"', `${inSpan}.kind`, /expected a number or one of SPAN_KIND_UNSPECIFIED.*got "KIND"/],
    ['"parentSpanId":"xyz0"', `${inSpan}.parentSpanId`, /hexadecimal digits, got "xyz0"/],
    ['"parentSpanId":"abc"', `${inSpan}.parentSpanId`, /pairs of hexadecimal digits, got "abc"/],
    ['"startTimeUnixNano":"-1"', `${inSpan}.startTimeUnixNano`, /-1 is not an unsigned 64-bit integer/],
    ['"startTimeUnixNano":"18446744073709551616"', `${inSpan}.startTimeUnixNano`, /not an unsigned 64-bit integer/],
    ['"startTimeUnixNano":"soon"', `${inSpan}.startTimeUnixNano`, /expected an integer, got soon/],
    ['"flags":4294967296', `${inSpan}.flags`, /not an unsigned 32-bit integer/],
    ['"flags":0.5', `${inSpan}.flags`, /expected an integer, got 0\.5/],
    ['"attributes":{}', `${inSpan}.attributes`, /expected an array, got an object/],
    ['"attributes":[1]', `${inSpan}.attributes[0]`, /expected an object/],
    [
      '"attributes":[{"value":{"boolValue":"true"}}]',
      `${inSpan}.attributes[0].value.boolValue`,
      /expected true or false, got a string/,
    ],
    [
      '"attributes":[{"value":{"intValue":1.5}}]',
      `${inSpan}.attributes[0].value.intValue`,
      /expected an integer, got 1\.5/,
    ],
    [
      '"attributes":[{"value":{"intValue":"9223372036854775808"}}]',
      `${inSpan}.attributes[0].value.intValue`,
      /not a 64-bit integer/,
    ],
    [
      '"attributes":[{"value":{"doubleValue":"much"}}]',
      `${inSpan}.attributes[0].value.doubleValue`,
      /"NaN", "Infinity"/,
    ],
    ['"attributes":[{"value":{"bytesValue":"%"}}]', `${inSpan}.attributes[0].value.bytesValue`, /expected base64/],
    ['"name":"a\\x"', `${inSpan}.name`, /: \\x is not an escape/],
    ['"name":"a\nb"', `${inSpan}.name`, /control character 10/],
    ['"future":01', `${inSpan}.future`, /01 is not a number/],
    ['"future":nul', `${inSpan}.future`, /expected null/],
  ])('is named with its path: %s', (members, path, says) => {
    const error = errorOf(document(members));
    expect(error.path).toBe(path);
    expect(error.message).toMatch(says);
  });

  it('of the document as a whole says so', () => {
    expect(errorOf('').message).toBe(
      'OTLP/JSON at the document (byte 0): expected an object, got the end of the document',
    );
    expect(errorOf('[]').message).toMatch(/expected an object, got an array/);
    expect(errorOf('{} {}').message).toMatch(/expected the end of the document, got an object/);
  });
});

describe('depth', () => {
  const value = (depth: number) => `${'{"arrayValue":{"values":['.repeat(depth - 1)}{}${']}}'.repeat(depth - 1)}`;

  it('of values goes to 64, as in protobuf, and no further', () => {
    expect(valueOfJson(value(64))).toBeTypeOf('object');
    expect(errorOf(document(`"attributes":[{"value":${value(65)}}]`)).message).toMatch(/nested more than 64 deep/);
  });

  it('of what is passed over is bounded too, however long the document is', () => {
    expect(errorOf(`{"x":${'['.repeat(3_000_000)}`).message).toMatch(/nested more than 64 deep/);
    const deep = `${'['.repeat(63)}{}${']'.repeat(63)}`;
    expect(transcodeTraces(Buffer.from(`{"x":${deep},"resourceSpans":[]}`))).toHaveLength(0);
  });
});
