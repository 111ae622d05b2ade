/**
 * Redaction works on what a person wrote, whatever wraps it: to redact a text and then wrap it is the same as to wrap it
 * and then redact it, wherever it stands in a request.
 */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { DIALECTS } from '../../src/normalize/dialects.ts';
import { otlp } from '../otlp/otlp.proto.ts';
import { FOUND, HARMLESS } from './examples.ts';
import { BY_DEFAULT, redactRequest, textRedactor } from './redacting.ts';
import { FOUND_SECOND, HARMLESS_SECOND } from './second-review.ts';
import { cutBehind, WRAPPINGS, within } from './wrappings.ts';
import { WRITTEN_FIRST, WRITTEN_SECOND, type Written } from './written.ts';
import { rounds } from '../rounds.ts';

const redact = textRedactor(BY_DEFAULT);
const MARKED = /⟦([\s\S]*?)\|(\w*)⟧/gu;
const plainOf = (marked: string) => marked.replace(MARKED, '$1');
const WRITTEN: readonly Written[] = [...WRITTEN_FIRST, ...WRITTEN_SECOND];

/** Letters and digits of the secrets, which no encoding hides, and of which none may be left. */
function piecesOf(marked: string): readonly string[] {
  return [...marked.matchAll(MARKED)].flatMap(([, secret = '']) =>
    secret.split(/[^A-Za-z0-9]+/).filter(({ length }) => length >= 4),
  );
}

function isGone(marked: string, redacted: string): boolean {
  return piecesOf(marked).every((piece) => !redacted.includes(piece));
}

describe('of what people wrote', () => {
  it.each([
    ['before', WRITTEN_FIRST],
    ['afterwards', WRITTEN_SECOND],
  ])('%s, 95 % is found in plain text at least', (_, written) => {
    const left = written.filter(([, marked]) => !isGone(marked, redact(plainOf(marked))));

    expect(written.length).toBeGreaterThanOrEqual(60);
    expect(left.length, left.map(([what]) => what).join(', ')).toBeLessThanOrEqual(written.length * 0.05);
  });
});

describe.each(Object.entries(WRAPPINGS))('in %s', (_, { wrap, unwrap, before = '' }) => {
  test('the same is found as in plain text', () => {
    const others: string[] = [];
    for (const [what, marked] of WRITTEN) {
      const text = plainOf(marked);
      const plain = redact(before + text);
      const wrapped = wrap(text);
      if (unwrap !== undefined) expect(unwrap(wrapped), what).toBe(text);

      const redacted = redact(wrapped);

      const isSame = unwrap === undefined || tryTo(() => unwrap(redacted)) === plain;
      if (!isSame || isGone(marked, redacted) !== isGone(marked, plain)) others.push(`${what}: ${redacted}`);
      expect(redact(redacted), what).toBe(redacted);
    }

    expect(others).toEqual([]);
  });
});

// Without its beginning, a text is divided at other quotes, and may lose the line that a name stands in.
const WHOLE = Object.entries(WRAPPINGS).filter(([, { before = '', isOfProse }]) => before === '' && isOfProse !== true);

describe.each(WHOLE)('in %s', (_, { wrap }) => {
  test('what is found in other examples goes as well, and what is none of it stays', () => {
    const others: string[] = [];
    for (const [what, marked] of [...FOUND, ...FOUND_SECOND]) {
      const text = plainOf(marked);
      const redacted = redact(wrap(text));
      if (isGone(marked, redact(text)) && !isGone(marked, redacted)) others.push(`${what}: ${redacted}`);
    }
    for (const [what, text] of [...HARMLESS, ...HARMLESS_SECOND])
      if (redact(wrap(text)) !== wrap(text)) others.push(`${what}: ${redact(wrap(text))}`);

    expect(others).toEqual([]);
  });
});

describe('wherever it stands in a request', () => {
  const texts = Object.entries(WRAPPINGS).flatMap(([, { wrap }]) => WRITTEN.map(([, marked]) => wrap(plainOf(marked))));
  const expected = texts.map((text) => redact(text));
  const IDS = { traceId: '0102030405060708090a0b0c0d0e0f10', spanId: '0102030405060708' };
  const kv = (key: string, value: object) => ({ key, value });
  const string = (stringValue: string) => ({ stringValue });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const attribute = (value: object) => ({ attributes: [kv('k', value)] });

  /** With lengths that are no longer than need be. */
  const encoded = (bytes: Uint8Array) => Buffer.from(otlp.TracesData.encode(otlp.TracesData.decode(bytes)).finish());
  const encodedLogs = (bytes: Uint8Array) => Buffer.from(otlp.LogsData.encode(otlp.LogsData.decode(bytes)).finish());

  /** All of them in one request: what makes a span of a text, and what is to be read from it. */
  test.each<readonly [where: string, spanOf: (text: string) => object]>([
    ['an attribute', (text) => attribute(string(text))],
    ['a list', (text) => attribute({ arrayValue: { values: [{ intValue: 1 }, string(text)] } })],
    ['a list in a list', (text) => attribute({ arrayValue: { values: [{ arrayValue: { values: [string(text)] } }] } })],
    ['a member', (text) => attribute({ kvlistValue: { values: [kv('content', string(text))] } })],
    [
      'a member in a list',
      (text) => attribute({ arrayValue: { values: [{ kvlistValue: { values: [kv('content', string(text))] } }] } }),
    ],
    ['the name of a member', (text) => attribute({ kvlistValue: { values: [kv(text, { boolValue: true })] } })],
    ['bytes', (text) => attribute({ bytesValue: base64(text) })],
    ['the name of the span', (text) => ({ name: text })],
    ['the message of its status', (text) => ({ status: { code: 2, message: text } })],
    ['the trace state', (text) => ({ traceState: text })],
    ['the name of an event', (text) => ({ events: [{ name: text }] })],
    ['an attribute of an event', (text) => ({ events: [{ name: 'e', ...attribute(string(text)) }] })],
    ['an attribute of a link', (text) => ({ links: [{ ...IDS, ...attribute(string(text)) }] })],
  ])('%s of a span', (_, spanOf) => {
    const request = (of: readonly string[]) =>
      transcodeTraces(
        Buffer.from(
          JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: of.map((t) => ({ ...IDS, ...spanOf(t) })) }] }] }),
        ),
      );

    const redacted = redactRequest(request(texts), BY_DEFAULT)?.bytes ?? Buffer.alloc(0);

    expect(encoded(redacted).equals(encoded(request(expected)))).toBe(true);
  });

  test.each<readonly [where: string, recordOf: (text: string) => object]>([
    ['the body', (text) => ({ body: string(text) })],
    ['a member of the body', (text) => ({ body: { kvlistValue: { values: [kv('content', string(text))] } } })],
    ['an attribute', (text) => attribute(string(text))],
    ['the event name', (text) => ({ eventName: text })],
  ])('%s of a log record', (_, recordOf) => {
    const request = (of: readonly string[]) =>
      transcodeLogs(
        Buffer.from(
          JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: of.map((text) => recordOf(text)) }] }] }),
        ),
      );

    const redacted = redactRequest(request(texts), BY_DEFAULT, 'logs')?.bytes ?? Buffer.alloc(0);

    expect(encodedLogs(redacted).equals(encodedLogs(request(expected)))).toBe(true);
  });

  it('under every key that a dialect reads', () => {
    const keys = new Set(DIALECTS.flatMap(({ rows = [] }) => rows.map(({ key }) => key)));
    const lost: string[] = [];
    expect(keys.size).toBeGreaterThan(100);

    for (const [what, marked] of WRITTEN) {
      if (!isGone(marked, redact(plainOf(marked)))) continue;
      const messages = JSON.stringify([{ role: 'user', content: plainOf(marked) }]);
      const attributes = [...keys].map((key) => kv(key, string(messages)));
      const bytes = transcodeTraces(
        Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...IDS, attributes }] }] }] })),
      );
      const redacted = redactRequest(bytes, BY_DEFAULT)?.bytes.toString() ?? '';
      // The keys themselves have words such as "live", which are parts of secrets elsewhere.
      const values = [...keys].reduce((left, key) => left.replaceAll(key, ''), redacted);
      if (!isGone(marked, values.replaceAll(/hmac:[0-9a-f]{32}/g, ''))) lost.push(what);
    }

    expect(lost).toEqual([]);
  });
});

describe('however it was wrapped', () => {
  const names = Object.keys(WRAPPINGS).filter(
    (name) => WRAPPINGS[name]?.unwrap !== undefined && !/number|JSON in JSON in/.test(name),
  );
  const chosen = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });
  const nested = (of: readonly string[]) =>
    of.map((name) => WRAPPINGS[name] ?? { wrap: (text: string) => text }).reduce(within);
  const written = fc.constantFrom(...WRITTEN.map(([, marked]) => marked));
  /** JavaScript quotes a line with both other quotes in backticks, behind pieces in those. */
  const inBackticks: [string[], string] = [
    ['JavaScript in lines', 'Python in lines', 'JavaScript in lines'],
    'my card is\n⟦4111\n1111\n1111\n1111|card⟧\nthanks',
  ];

  test('the same is found', () => {
    fc.assert(
      fc.property(chosen, written, (of, marked) => {
        const { wrap, unwrap } = nested(of);
        const text = plainOf(marked);
        const redacted = redact(wrap(text));

        expect(tryTo(() => unwrap?.(redacted))).not.toBeUndefined();
        expect(isGone(marked, redacted)).toBe(isGone(marked, redact(text)));
        expect(redact(redacted)).toBe(redacted);
      }),
      { numRuns: rounds(300), examples: [inBackticks] },
    );
  });

  test('nothing is left where it was cut behind the text', () => {
    fc.assert(
      fc.property(chosen, written, (of, marked) => {
        const { wrap } = nested(of);
        const redacted = redact(cutBehind({ wrap }, plainOf(marked)));

        expect(isGone(marked, redacted)).toBe(isGone(marked, redact(plainOf(marked))));
        expect(redact(redacted)).toBe(redacted);
      }),
      { numRuns: rounds(300), examples: [inBackticks] },
    );
  });

  test('it comes to rest wherever it was cut', () => {
    fc.assert(
      fc.property(
        chosen,
        written,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        (of, marked, part, isEnd) => {
          const { wrap } = nested(of);
          const whole = wrap(plainOf(marked));
          const at = Math.floor(whole.length * part);
          const redacted = redact(isEnd ? whole.slice(0, at) : whole.slice(at));

          expect(redact(redacted)).toBe(redacted);
        },
      ),
      { numRuns: rounds(300) },
    );
  });
});

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // What came out is no longer what went in.
  }
}
