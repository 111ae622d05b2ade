import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtoWriter } from '../../src/otlp/proto-writer.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { WireError } from '../../src/otlp/wire.ts';
import { readWireBodies } from '../fixtures/read-wire.ts';
import { fuzz } from './fuzzing.ts';
import { otlp } from './otlp.proto.ts';
import { Random, randomRequest } from './random-requests.ts';
import { compareWithReference } from './reference-reading.ts';
import { rounds } from '../rounds.ts';

const TRACE_ID = Buffer.from('0102030405060708090a0b0c0d0e0f10', 'hex');
const SPAN_ID = Buffer.from('0102030405060708', 'hex');

interface SpanFields {
  readonly [field: string]: unknown;
}

function encode(...spans: readonly SpanFields[]): Buffer {
  const message = otlp.TracesData.fromObject({
    resourceSpans: [
      { scopeSpans: [{ spans: spans.map((span) => ({ traceId: TRACE_ID, spanId: SPAN_ID, ...span })) }] },
    ],
  });
  return Buffer.from(otlp.TracesData.encode(message).finish());
}

/** A request of one span with hand-written fields. */
function handMade(write: (span: ProtoWriter) => void): Buffer {
  const writer = new ProtoWriter({ initialBytes: 256 });
  for (const field of [1, 2, 2]) writer.openMessage(field);
  writer.bytes(1, TRACE_ID);
  writer.bytes(2, SPAN_ID);
  write(writer);
  for (let depth = 0; depth < 3; depth++) writer.closeMessage();
  return writer.finish();
}

function problemOf(bytes: Uint8Array): string {
  try {
    indexTraces(bytes);
  } catch (error) {
    if (error instanceof WireError) return error.problem;
    throw error;
  }
  return 'none';
}

describe('beside the conventional decoder', () => {
  const bodies = readWireBodies().filter(({ encoding }) => encoding === 'protobuf');

  it.each(bodies.map((body) => [body.name, body] as const))(
    'says the same of what a real exporter sent: %s',
    (_, body) => {
      const comparison = compareWithReference(body.signal, body.bytes);
      expect(comparison).toMatchObject({ result: 'accepted' });
    },
  );

  it.each(bodies.map((body) => [body.name, body] as const))(
    'refuses the same truncations, at every byte: %s',
    (_, body) => {
      const disagreements: number[] = [];
      let refused = 0;
      for (let length = 0; length < body.bytes.length; length++) {
        const { result } = compareWithReference(body.signal, body.bytes.subarray(0, length));
        if (result === 'refused') refused += 1;
        else if (result !== 'accepted') disagreements.push(length);
      }
      expect(disagreements).toEqual([]);
      expect(refused).toBeGreaterThan(body.bytes.length / 2);
    },
  );

  it('says the same of whatever protobuf allows', () => {
    const tried = rounds(1000);
    let accepted = 0;
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom('traces', 'logs'), (seed, signal) => {
        const comparison = compareWithReference(signal, randomRequest(signal, new Random(seed)));
        if (comparison.result === 'accepted') accepted += 1;
        expect(comparison).toSatisfy(({ result }) => result !== 'disagreement' && result !== 'crash');
      }),
      { numRuns: tried },
    );
    // A few have text where a message should be, and are refused by both.
    expect(accepted).toBeGreaterThan(0.8 * tried);
  });

  it('neither disagrees nor fails at what was broken by chance', () => {
    const findings: string[] = [];
    const totals = fuzz({
      inputs: 6000,
      seed: 20_26,
      corpus: bodies,
      onFinding: ({ input, what }) => findings.push(`input ${input}: ${what}`),
    });
    expect(findings).toEqual([]);
    expect(totals.accepted).toBeGreaterThan(1500);
    expect(totals.refused).toBeGreaterThan(1500);
  });
});

describe('a span', () => {
  it('without valid ids is left out and counted, and the others stay', () => {
    const index = indexTraces(
      encode(
        { name: 'good' },
        { traceId: Buffer.alloc(16) },
        { traceId: Buffer.alloc(15, 1) },
        { spanId: Buffer.alloc(8) },
        { spanId: Buffer.alloc(0) },
        { name: 'also good' },
      ),
    );
    expect([index.spanCount, index.rejected]).toEqual([2, 4]);
    expect([index.rows.invalidTraceIds, index.rows.invalidSpanIds]).toEqual([2, 2]);
    expect([0, 1].map((row) => index.view(row).name)).toEqual(['good', 'also good']);
  });

  it.each([
    ['eight bytes', Buffer.alloc(8, 7), '0707070707070707'],
    ['nothing', Buffer.alloc(0), undefined],
    ['zeros', Buffer.alloc(8), undefined],
    ['seven bytes', Buffer.alloc(7, 7), undefined],
  ])('whose parent id is %s has that parent or none', (_what, parentSpanId, expected) => {
    expect(indexTraces(encode({ parentSpanId })).view(0).parentSpanId).toBe(expected);
  });

  it('keeps its times to a quarter of a microsecond, and an end before its start', () => {
    const view = indexTraces(
      encode({ startTimeUnixNano: '1795224843200123456', endTimeUnixNano: '1795224843199999999' }),
    ).view(0);
    // The nearest double to 1795224843200.123456.
    expect(Math.abs(view.startedAtMs - 1795224843200.1235)).toBeLessThanOrEqual(0.00025);
    expect(view.endedAtMs).toBeLessThan(view.startedAtMs);
  });

  it('gives the last of a field that was sent twice', () => {
    const bytes = handMade((span) => {
      span.text(5, 'first');
      span.uint32(6, 1);
      span.text(5, 'last');
      span.uint32(6, 3);
    });
    const view = indexTraces(bytes).view(0);
    expect([view.name, view.otelKind]).toEqual(['last', 3]);
  });

  it('may come in front of its scope and its resource', () => {
    const span = encode({ name: 'a' });
    // The request ends with a separate resource for the group: appended to it, by hand.
    const inner = span.subarray(2);
    const resource = Buffer.from(
      otlp.Resource.encode(
        otlp.Resource.fromObject({ attributes: [{ key: 'service.name', value: { stringValue: 'late' } }] }),
      ).finish(),
    );
    const writer = new ProtoWriter({ initialBytes: 128 });
    writer.bytes(1, Buffer.concat([inner, Buffer.from([0x0a, resource.length]), resource]));
    expect(indexTraces(writer.finish()).view(0).resource.text('service.name')).toBe('late');
  });

  it('shows at most as many attributes as are ever looked at, and counts the others as dropped', () => {
    const bytes = handMade((span) => {
      for (let i = 0; i < 70_000; i++) span.bytes(9, Buffer.from([0x0a, 3, i & 0xff, (i >> 8) & 0xff, i >> 16]));
    });
    const view = indexTraces(bytes).view(0);
    expect(view.droppedAttributes).toBe(70_000 - 65_536);
    expect(view.attributes.count).toBeLessThanOrEqual(65_536);
  });
});

describe('a resource in several pieces', () => {
  const keyValue = (key: string) => {
    const writer = new ProtoWriter({ initialBytes: 64 });
    writer.openMessage(1);
    writer.text(1, key);
    writer.openMessage(2);
    writer.text(1, `of ${key}`);
    writer.closeMessage();
    writer.closeMessage();
    return writer.finish();
  };

  it('is joined, as protobuf has it, and the index is then of the request that was written anew', () => {
    const writer = new ProtoWriter({ initialBytes: 256 });
    writer.openMessage(1);
    writer.bytes(1, keyValue('a'));
    writer.openMessage(2);
    writer.openMessage(2);
    writer.bytes(1, TRACE_ID);
    writer.bytes(2, SPAN_ID);
    writer.closeMessage();
    writer.closeMessage();
    writer.bytes(1, keyValue('b'));
    writer.closeMessage();
    const bytes = writer.finish();

    const index = indexTraces(bytes);
    expect(index.view(0).resource.keys()).toEqual(['a', 'b']);
    expect(Buffer.from(index.bytes).equals(bytes)).toBe(false);
    expect(indexTraces(index.bytes).view(0).resource.keys()).toEqual(['a', 'b']);
  });
});

describe('hostile input', () => {
  const nested = (depth: number, field: number) => {
    let value: Buffer = Buffer.alloc(0);
    for (let level = 1; level < depth; level++) {
      const writer = new ProtoWriter({ initialBytes: value.length + 64 });
      writer.openMessage(field);
      if (field === 5) writer.bytes(1, value);
      else {
        writer.openMessage(1);
        writer.text(1, 'k');
        writer.bytes(2, value);
        writer.closeMessage();
      }
      writer.closeMessage();
      value = writer.finish();
    }
    return handMade((span) => {
      span.openMessage(9);
      span.text(1, 'deep');
      span.bytes(2, value);
      span.closeMessage();
    });
  };

  it.each([
    ['arrays', 5],
    ['lists of entries', 6],
  ])('may nest %s 64 deep, and no deeper', (_what, field) => {
    expect(problemOf(nested(64, field))).toBe('none');
    expect(indexTraces(nested(64, field)).view(0).attributes.get('deep')).toBeTypeOf('object');
    expect(problemOf(nested(65, field))).toBe('too-deep');
    expect(problemOf(nested(20_000, field))).toBe('too-deep');
  });

  it('is refused where it announces a gibibyte that is not there', () => {
    expect(problemOf(Buffer.from([0x0a, 0x80, 0x80, 0x80, 0x80, 0x04]))).toBe('truncated');
  });

  it('is refused where it uses groups', () => {
    expect(problemOf(Buffer.from([0x0b, 0x0c]))).toBe('group');
  });

  it('cannot reach a prototype by the name of a key', () => {
    const value = {
      kvlistValue: {
        values: [{ key: '__proto__', value: { kvlistValue: { values: [{ key: 'polluted', value: {} }] } } }],
      },
    };
    const view = indexTraces(
      encode({
        attributes: [
          { key: '__proto__', value: { stringValue: 'mine' } },
          { key: 'constructor', value },
        ],
      }),
    ).view(0);
    expect(view.attributes.keys()).toEqual(['__proto__', 'constructor']);
    expect(view.attributes.text('__proto__')).toBe('mine');
    const list = view.attributes.get('constructor');
    expect(Object.getPrototypeOf(list)).toBe(null);
    expect(Object.keys(list ?? {})).toEqual(['__proto__']);
    expect('polluted' in {}).toBe(false);
  });

  it('with text that is not UTF-8 reads as U+FFFD', () => {
    const bytes = handMade((span) => span.bytes(5, Buffer.from([0x61, 0xff, 0x62])));
    expect(indexTraces(bytes).view(0).name).toBe('a\uFFFDb');
  });

  it('of many empty groups makes no rows and no groups', () => {
    const scopes = Buffer.alloc(2 * 500_000);
    for (let at = 0; at < scopes.length; at += 2) scopes[at] = 0x12;
    const writer = new ProtoWriter({ initialBytes: scopes.length + 16 });
    writer.bytes(1, scopes);
    const index = indexTraces(writer.finish());
    expect([index.spanCount, index.rows.groupCount]).toEqual([0, 0]);
  });

  it('of a value with millions of members decodes to a bounded number of them', () => {
    const members = Buffer.alloc(2 * 1_500_000);
    for (let at = 0; at < members.length; at += 2) members[at] = 0x0a;
    const bytes = handMade((span) => {
      span.openMessage(9);
      span.text(1, 'many');
      span.openMessage(2);
      span.bytes(5, members);
      span.closeMessage();
      span.closeMessage();
    });
    expect(indexTraces(bytes).view(0).attributes.get('many')).toHaveLength(1 << 20);
  });
});
