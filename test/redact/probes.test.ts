import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { newToken } from '../../src/access/token.ts';
import { ROLES } from '../../src/model/caller.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import {
  BUILT_IN_PATTERNS,
  DEFAULT_PATTERNS,
  isRedactionMarkerOfOurs,
  redactionMarker,
} from '../../src/model/redaction.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { otlp } from '../otlp/otlp.proto.ts';
import { OWN_TOKENS, PROBES, type Probe } from './probes.ts';
import { ALL_RULES, BY_DEFAULT, redactRequest, textRedactor } from './redacting.ts';
import { FOUND, HARMLESS, LEFT, ADDRESSES } from './examples.ts';
import {
  FOUND_SECOND,
  HARMLESS_SECOND,
  IMPERSONAL_SECOND,
  KEPT_SECOND,
  LEFT_SECOND,
  PERSONAL_SECOND,
  PROBES_SECOND,
} from './second-review.ts';
import { rounds } from '../rounds.ts';

const LEFT_MAX = 5;
const IDS = { traceId: '0102030405060708090a0b0c0d0e0f10', spanId: '0102030405060708' };

function requestOf({ attributes = {}, span = {}, resource }: Probe): Uint8Array {
  const values = Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
  const group = { scopeSpans: [{ spans: [{ ...IDS, name: 'execute_tool', attributes: values, ...span }] }] };
  return transcodeTraces(
    Buffer.from(JSON.stringify({ resourceSpans: [resource === undefined ? group : { ...group, resource }] })),
  );
}

function anyValue(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'any' in value ? value.any : { stringValue: value };
}

/** As bytes, and as what a reader of the spans sees. */
function holds(bytes: Uint8Array, secret: string): boolean {
  const read = JSON.stringify(
    otlp.TracesData.toObject(otlp.TracesData.decode(bytes), { longs: String, bytes: String }),
  );
  const inJson = JSON.stringify(secret).slice(1, -1);
  return Buffer.from(bytes).includes(secret) || read.includes(secret) || read.includes(inJson);
}

describe('of the probes of a review', () => {
  it('there are eighty, of which at most five are left', () => {
    expect(PROBES).toHaveLength(80);
    expect(PROBES.filter(({ left }) => left !== undefined).length).toBeLessThanOrEqual(LEFT_MAX);
  });

  test.each(KEPT_SECOND.map((probe) => [probe.what, probe] as const))('kept: %s', (_, probe) => {
    const bytes = requestOf(probe);
    expect(holds(bytes, probe.secret)).toBe(true);
    expect(redactRequest(bytes, BY_DEFAULT)).toBeUndefined();
  });

  test.each([...PROBES, ...OWN_TOKENS, ...PROBES_SECOND].map((probe) => [probe.what, probe] as const))(
    '%s',
    (_, probe) => {
      const bytes = requestOf(probe);
      expect(holds(bytes, probe.secret)).toBe(true);

      const redacted = redactRequest(bytes, BY_DEFAULT)?.bytes ?? Buffer.from(bytes);

      expect(holds(redacted, probe.secret)).toBe(probe.left !== undefined);
      expect(indexTraces(redacted).spanCount).toBe(1);
      expect(redactRequest(redacted, BY_DEFAULT)).toBeUndefined();
    },
  );
});

const SECRET = /⟦(.*?)\|(\w*)⟧/gsu;
/** The later parts of one that is split have no pattern. */
const marked = (_: string, __: string, pattern: string) => (pattern === '' ? '' : `[REDACTED:${pattern}]`);
const redact = textRedactor(BY_DEFAULT);
const redactAll = textRedactor({ ...ALL_RULES, patterns: BUILT_IN_PATTERNS, custom: [], keys: [] });

describe('of more examples', () => {
  it('there are a hundred and fifty and more', () => {
    expect(FOUND.length + LEFT.length + ADDRESSES.length).toBeGreaterThanOrEqual(150);
    expect(LEFT.length).toBeLessThanOrEqual(20);
  });

  test.each([...FOUND, ...FOUND_SECOND])('found: %s', (_, example) => {
    const before = example.replace(SECRET, '$1');
    const after = example.replace(SECRET, marked);
    expect(before).not.toBe(after);

    expect(redact(before)).toBe(after);
    expect(redact(after)).toBe(after);
  });

  test.each([...LEFT, ...LEFT_SECOND])('left: %s', (_, text, reason) => {
    expect(reason).not.toBe('');
    expect(redact(text)).toBe(text);
  });

  test.each([...ADDRESSES, ...PERSONAL_SECOND])('found only if they are asked for: %s', (_, example) => {
    expect(redact(example.replace(SECRET, '$1'))).toBe(example.replace(SECRET, '$1'));
    expect(redactAll(example.replace(SECRET, '$1'))).toBe(example.replace(SECRET, marked));
  });

  test.each(IMPERSONAL_SECOND)('not taken for personal: %s', (_, text) => {
    expect(redactAll(text)).toBe(text);
  });

  test.each([...HARMLESS, ...HARMLESS_SECOND, ...IMPERSONAL_SECOND])('not taken for a secret: %s', (_, text) => {
    expect(redact(text)).toBe(text);
  });
});

test('every token that Assay makes is found, whatever its role', () => {
  for (const role of ROLES)
    for (let made = 0; made < 500; made++) {
      const { token } = newToken(role, { name: 'agents', now: 0, expiresAt: undefined });
      expect(redact(`token=${token}, and (${token})`), token).not.toContain(token);
    }
});

test('what stands in place of a secret is known for that by scoring', () => {
  for (const pattern of BUILT_IN_PATTERNS) expect(isRedactionMarkerOfOurs(redactionMarker(pattern))).toBe(true);
});

test('redacting what was redacted changes nothing, whatever the examples are beside', () => {
  const pieces = fc.oneof(
    fc.constantFrom(
      ...[...FOUND, ...FOUND_SECOND, ...ADDRESSES, ...PERSONAL_SECOND].map(([, marked]) =>
        marked.replace(SECRET, '$1'),
      ),
    ),
    fc.constantFrom(...[...LEFT, ...LEFT_SECOND, ...HARMLESS, ...HARMLESS_SECOND].map(([, text]) => text)),
    fc.constantFrom(
      '"',
      '\\',
      '[REDACTED:secret]',
      '[REDACTED:',
      'password=',
      '":"',
      '%22',
      '\u200b',
      '://',
      '@',
      '{',
      '\n',
      ',',
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), fc.constantFrom('', ' ', '\n'), (parts, between) => {
      for (const through of [redact, redactAll]) {
        const once = through(parts.join(between));
        expect(through(once)).toBe(once);
        const json = through(JSON.stringify({ a: parts, password: parts.at(0) ?? 1 }));
        expect(through(json)).toBe(json);
        expect(() => JSON.parse(json) as unknown).not.toThrow();
      }
    }),
    { numRuns: rounds(1000) },
  );
});

test('a request with secrets by name, as numbers and in bytes stays a request', () => {
  for (const probe of [...PROBES, ...PROBES_SECOND]) {
    const bytes = requestOf(probe);
    const redacted = redactRequest(bytes, { ...BY_DEFAULT, patterns: BUILT_IN_PATTERNS })?.bytes ?? Buffer.from(bytes);
    expect(() => otlp.TracesData.decode(redacted), probe.what).not.toThrow();
    expect(indexTraces(redacted).rows.rowCount, probe.what).toBe(indexTraces(bytes).rows.rowCount);
  }
});

test('the default patterns are all but those that agents are judged by', () => {
  expect(BUILT_IN_PATTERNS.filter((pattern) => !DEFAULT_PATTERNS.includes(pattern))).toEqual(['email', 'phone']);
});
