import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexLogs } from '../../src/otlp/logs-reader.ts';
import { ProtoWriter } from '../../src/otlp/proto-writer.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { WireError } from '../../src/otlp/wire.ts';
import { understandRequest } from '../../src/receive/understand-request.ts';
import { SecretNames } from '../../src/redact/secret-names.ts';
import { RequestRedactor } from '../../src/redact/request-redactor.ts';
import { readWireBodies } from '../fixtures/read-wire.ts';
import { otlp } from '../otlp/otlp.proto.ts';
import { Random, randomRequest } from '../otlp/random-requests.ts';
import { keyValues } from '../normalize/support/otlp.ts';
import { ALL_RULES, redactRequest, SECRETS, textRedactor } from './redacting.ts';
import { rounds } from '../rounds.ts';

const IDS = { traceId: '0102030405060708090a0b0c0d0e0f10', spanId: '0102030405060708' };
const MAIL = 'bob@example.com';
const MARKER = '[REDACTED:email]';

function traces(span: object, group: object = {}): Uint8Array {
  return transcodeTraces(
    Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...IDS, ...span }] }], ...group }] })),
  );
}

function logs(record: object): Uint8Array {
  return transcodeLogs(
    Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ ...IDS, ...record }] }] }] })),
  );
}

function attributes(entries: { readonly [key: string]: unknown }): object {
  return { attributes: keyValues(Object.entries(entries)) };
}

function redacted(bytes: Uint8Array, signal: 'traces' | 'logs' = 'traces'): Buffer {
  return redactRequest(bytes, ALL_RULES, signal)?.bytes ?? Buffer.from(bytes);
}

function attributeOf(bytes: Uint8Array, key: string): unknown {
  return indexTraces(bytes).view(0).attributes.get(key);
}

describe('every text of a request is looked at', () => {
  test.each([
    ['the name of a span', traces({ name: MAIL })],
    ['its trace state', traces({ traceState: MAIL })],
    ['the message of its status', traces({ status: { message: MAIL } })],
    ['an attribute', traces(attributes({ a: MAIL }))],
    ['an attribute that is a list', traces(attributes({ a: ['x', [MAIL]] }))],
    ['an attribute that is an object', traces(attributes({ a: { b: { c: MAIL } } }))],
    ['the name of a member', traces(attributes({ a: { [MAIL]: 1 } }))],
    [
      'bytes that are text',
      traces({ attributes: [{ key: 'a', value: { bytesValue: Buffer.from(MAIL).toString('base64') } }] }),
    ],
    ['the name of an event', traces({ events: [{ name: MAIL }] })],
    ['an attribute of an event', traces({ events: [attributes({ a: MAIL })] })],
    ['an attribute of a link', traces({ links: [{ ...IDS, traceState: MAIL, ...attributes({ a: MAIL }) }] })],
    ['a resource', traces({}, { resource: attributes({ a: MAIL }) })],
    [
      'a scope',
      traces({}, { scopeSpans: [{ scope: { name: MAIL, version: MAIL, ...attributes({ a: MAIL }) }, spans: [IDS] }] }),
    ],
    ['schema URLs', traces({}, { schemaUrl: MAIL, scopeSpans: [{ schemaUrl: MAIL, spans: [IDS] }] })],
    ['a span that is rejected', traces({ spanId: '', name: MAIL })],
  ])('%s', (_, bytes) => {
    const found = redacted(bytes);

    expect(found.includes(MAIL)).toBe(false);
    expect(found.includes(MARKER)).toBe(true);
    expect(indexTraces(found).spanCount).toBe(indexTraces(bytes).spanCount);
    expect(redactRequest(found)).toBeUndefined();
  });

  test.each([
    ['the body of a log record', logs({ body: { stringValue: MAIL } })],
    ['a body that is an object', logs({ body: { kvlistValue: { values: keyValues([['a', [MAIL]]]) } } })],
    ['its attributes', logs(attributes({ a: MAIL }))],
    ['its severity and event name', logs({ severityText: MAIL, eventName: MAIL })],
  ])('%s', (_, bytes) => {
    const found = redacted(bytes, 'logs');

    expect(found.includes(MAIL)).toBe(false);
    expect(indexLogs(found).recordCount).toBe(1);
    expect(redactRequest(found, ALL_RULES, 'logs')).toBeUndefined();
  });

  it('but keys of attributes stay', () => {
    const bytes = traces(attributes({ [MAIL]: 'x' }));
    expect(redactRequest(bytes)).toBeUndefined();
  });

  it('and a field that is not known goes where something is found in it', () => {
    const field = (text: string) => {
      const writer = new ProtoWriter({ initialBytes: 64 });
      writer.openMessage(1);
      writer.text(77, text);
      writer.closeMessage();
      return writer.finish();
    };
    expect(redacted(field(`a ${MAIL}`)).includes('bob')).toBe(false);
    expect(redactRequest(field('harmless enough'))).toBeUndefined();
  });
});

describe('by key', () => {
  it('the whole value goes, whatever it is', () => {
    const before = traces(
      attributes({ 'http.request.header.cookie': ['a'], 'db.statement': 'SELECT 1', 'db.system': 'pg' }),
    );
    const found = redactRequest(before);

    expect(found?.counts).toEqual({ key: 2 });
    const { bytes } = found ?? { bytes: before };
    expect(attributeOf(bytes, 'http.request.header.cookie')).toBe('[REDACTED:key]');
    expect(attributeOf(bytes, 'db.statement')).toBe('[REDACTED:key]');
    expect(attributeOf(bytes, 'db.system')).toBe('pg');
    expect(redactRequest(bytes)).toBeUndefined();
  });

  it('also where key and value came in an odd order and in pieces', () => {
    const writer = new ProtoWriter({ initialBytes: 64 });
    for (const field of [1, 2, 2, 9]) writer.openMessage(field);
    for (const text of ['SELECT 1', 'SELECT 2']) {
      writer.openMessage(2);
      writer.text(1, text);
      writer.closeMessage();
    }
    writer.text(1, 'db.statement');
    for (let open = 0; open < 4; open++) writer.closeMessage();
    const found = redacted(writer.finish());

    expect(found.includes('SELECT')).toBe(false);
    expect(found.includes('[REDACTED:key]')).toBe(true);
  });
});

describe('user ids', () => {
  const HASH = /^hmac:[0-9a-f]{32}$/;
  const idOf = (id: unknown) => attributeOf(redacted(traces(attributes({ 'user.id': id }))), 'user.id');

  it('become the same hash wherever they are, as text and as a number', () => {
    expect(idOf('42')).toMatch(HASH);
    expect(idOf(42)).toBe(idOf('42'));
    expect(idOf('43')).not.toBe(idOf('42'));
    const within = redacted(
      traces(attributes({ metadata: '{ "n": 9007199254740993, "user_id": 42, "a": {"user_id": 1} }' })),
    );
    expect(attributeOf(within, 'metadata')).toBe(
      `{ "n": 9007199254740993, "user_id": "${String(idOf('42'))}", "a": {"user_id": 1} }`,
    );
    const structured = redacted(traces(attributes({ metadata: { user_id: '42', other: 'x' } })));
    expect(attributeOf(structured, 'metadata')).toEqual({ user_id: idOf('42'), other: 'x' });
  });

  it('depend on the salt, and are not hashed twice', () => {
    const bytes = traces(attributes({ 'user.id': 'bob@example.com' }));
    const other = redactRequest(bytes, { ...ALL_RULES, salt: 'another salt of tests' });

    expect(other?.counts).toEqual({ user_id: 1 });
    expect(attributeOf(other?.bytes ?? bytes, 'user.id')).not.toBe(idOf('bob@example.com'));
    expect(redactRequest(redacted(bytes))).toBeUndefined();
  });
});

test('an identifier with a secret in it is hashed, so that what belongs together stays together', () => {
  const conversation = (id: string) =>
    attributeOf(redacted(traces(attributes({ 'gen_ai.conversation.id': id }))), 'gen_ai.conversation.id');

  expect(conversation('+14155550132')).toMatch(/^hmac:/);
  expect(conversation('+14155550132')).not.toBe(conversation('+14155550133'));
  expect(conversation('thread_abc')).toBe('thread_abc');
});

test('a request with nothing to redact is the same bytes, and is not copied', () => {
  const rules = { ...ALL_RULES, userIds: undefined, patterns: [], custom: [] };
  for (const { signal, bytes } of readWireBodies().filter(({ name }) => name.endsWith('.pb'))) {
    expect(redactRequest(bytes, rules, signal === 'logs' ? 'logs' : 'traces')).toBeUndefined();
  }
  const body = traces(attributes({ a: 'nothing to see', b: [1, 2.5, true] }));
  const understood = understandRequest(
    { signal: 'traces', format: 'protobuf', bytes: body },
    new RequestRedactor(ALL_RULES),
  );
  expect('batch' in understood && understood.batch.bytes.buffer).toBe(body.buffer);
});

test('requests that no exporter would send stay requests, and are redacted once', () => {
  for (let seed = 1; seed <= 600; seed++) {
    const signal = seed % 2 === 0 ? 'traces' : 'logs';
    const index = signal === 'traces' ? indexTraces : indexLogs;
    const bytes = withSecrets(randomRequest(signal, new Random(seed)), new Random(seed));
    let rows: number;
    try {
      rows = index(bytes).rows.rowCount;
    } catch (error) {
      expect(error).toBeInstanceOf(WireError);
      continue;
    }
    const joined = index(bytes).bytes;
    const found = redacted(joined, signal);
    expect(index(found).rows.rowCount, `seed ${seed}`).toBe(rows);
    expect(redactRequest(found, ALL_RULES, signal), `seed ${seed}`).toBeUndefined();
  }
});

/** Overwrites the long values among the bytes with a secret of the same length. */
function withSecrets(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf('x'.repeat(40)); at !== -1; at = copy.indexOf('x'.repeat(40), at + 41)) {
    copy.write(random.pick([` ${MAIL} `, ' 4111111111111111 ', ' EMP-123456 ']), at, 'latin1');
  }
  return copy;
}

test('no secret is left in a request, and the rest of it says what it said', () => {
  const redact = textRedactor();
  const secret = fc.constantFrom(...Object.values(SECRETS).flat());
  const text = fc.tuple(fc.stringMatching(/^[a-z ]{0,200}$/), secret).map(([before, found]) => `${before} | ${found}`);
  // Values of such a name as `pwd` are redacted whatever they are, which the texts alone do not say.
  const names = new SecretNames({ builtIn: true, globs: ALL_RULES.keys });
  const key = fc.stringMatching(/^[a-z]{1,5}$/).filter((name) => names.of(name) === undefined);
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.array(tie('any'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(key, tie('any'), { maxKeys: 3 }),
  }));
  const span = fc.record({ name: text, attributes: value.object, event: value.object, message: text });
  const build = (
    given: readonly { name: string; attributes: unknown; event: unknown; message: string }[],
    shown: (text: string) => string,
  ) => {
    const through = (node: unknown): unknown => {
      if (typeof node === 'string') return shown(node);
      if (Array.isArray(node)) return node.map(through);
      if (typeof node !== 'object' || node === null) return node;
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, through(item)]));
    };
    const entries = (node: unknown) => keyValues(Object.entries(through(node) as object));
    const spans = given.map(({ name, attributes: own, event, message }) => ({
      ...IDS,
      name: shown(name),
      attributes: entries(own),
      events: [{ name: 'e', attributes: entries(event) }],
      status: { message: shown(message) },
    }));
    return transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })));
  };
  const read = (bytes: Uint8Array) => otlp.TracesData.toObject(otlp.TracesData.decode(bytes));

  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 3 }), (spans) => {
      const found = redacted(build(spans, (plain) => plain));

      expect(read(found)).toEqual(read(build(spans, redact)));
      for (const plain of Object.values(SECRETS).flat())
        expect(found.includes(plain.replace(/^(?:bearer|basic) /i, ''))).toBe(false);
    }),
    { numRuns: rounds(100) },
  );
});
