/**
 * The ways in which a text gets into another one before it is sent: as frameworks serialise messages, as logs print them,
 * as URLs carry them. Whole ones say how to get it back out; the others were cut.
 */
import { inspect, stripVTControlCharacters } from 'node:util';
import { runInNewContext } from 'node:vm';

export interface Wrapping {
  readonly wrap: (text: string) => string;
  readonly unwrap?: (wrapped: string) => string;
  /** Stands before the text in the same string. */
  readonly before?: string;
  /** Programs do not write JSON so. */
  readonly isOfProse?: true;
}

const json: Wrapping = {
  wrap: (text) => JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: text }] }]),
  unwrap: (wrapped) => content(JSON.parse(wrapped)),
};
/** As Python's `json.dumps` writes what is not ASCII, and PHP slashes. */
const asciiJson: Wrapping = {
  wrap: (text) =>
    JSON.stringify([{ role: 'user', parts: [{ content: text }] }])
      .replaceAll('/', '\\/')
      .replace(/[\u0080-\uffff]/g, hexOf),
  unwrap: (wrapped) => content(JSON.parse(wrapped)),
};
const numberedJson: Wrapping = {
  wrap: (text) => `{"content":"${text.replace(/[\s\S]/g, hexOf)}"}`,
  unwrap: (wrapped) => content([JSON.parse(wrapped)]),
};
const python: Wrapping = {
  wrap: (text) => `[{'role': 'user', 'content': ${repr(text)}, 'n': None}]`,
  unwrap: (wrapped) => readPython(/'content': ([\s\S]*), 'n': None\}\]$/.exec(wrapped)?.[1] ?? ''),
};
const pythonBytes: Wrapping = {
  wrap: (text) => `{'body': ${reprBytes(text)}}`,
  unwrap: (wrapped) => readPython(/'body': ([\s\S]*)\}$/.exec(wrapped)?.[1] ?? ''),
};
/** As `pprint` writes long strings. */
const pythonPrinted: Wrapping = {
  wrap: (text) => `{'content': (${lines(text).map(repr).join('\n             ')})}`,
  unwrap: (wrapped) => (/\(([\s\S]*)\)\}$/.exec(wrapped)?.[1] ?? '').split('\n             ').map(readPython).join(''),
};
const inspected: Wrapping = {
  wrap: (text) => inspect([{ role: 'user', content: text }], { depth: null }),
  unwrap: (wrapped) => content(runInNewContext(`(${wrapped})`)),
};
const inspectedInLines: Wrapping = {
  wrap: (text) => inspect({ messages: [{ content: `${text}` }] }, { depth: null, breakLength: 20 }),
  unwrap: (wrapped) => {
    const read = runInNewContext(`(${wrapped})`) as { readonly messages: readonly { readonly content: string }[] };
    return content(read.messages);
  },
};
const percent: Wrapping = {
  wrap: (text) => `https://example.com/?q=${encodeURIComponent(text)}&n=1`,
  unwrap: (wrapped) => decodeURIComponent(wrapped.slice('https://example.com/?q='.length, -'&n=1'.length)),
};
const form: Wrapping = {
  wrap: (text) =>
    new URLSearchParams([
      ['n', '1'],
      ['q', `${text}`],
      ['z', 'ä'],
    ]).toString(),
  unwrap: (wrapped) => new URLSearchParams(wrapped).get('q') ?? '',
};

/** As a tool's output for a terminal. */
const colours: Wrapping = {
  wrap: (text) => `${text.replace(/^[^\S\n]*\S.*$/gm, '\x1b[1;31m$&\x1b[0m')}\x1b[K`,
  unwrap: (wrapped) => stripVTControlCharacters(wrapped),
  isOfProse: true,
};
/** As converters from HTML write text. */
const markdown: Wrapping = {
  wrap: (text) => text.replace(/[_-]/g, '\\$&'),
  unwrap: (wrapped) => wrapped.replace(/\\([_-])/g, '$1'),
  isOfProse: true,
};

export function within(outer: Wrapping, inner: Wrapping): Wrapping {
  const { unwrap } = outer;
  const unwrapInner = inner.unwrap;
  const wrap = (text: string) => outer.wrap(inner.wrap(text));
  return unwrap === undefined || unwrapInner === undefined
    ? { wrap }
    : { wrap, unwrap: (wrapped) => unwrapInner(unwrap(wrapped)) };
}

/** Behind the text, so that no bracket and no quote closes. */
function cut(whole: Wrapping): Wrapping {
  return { wrap: (text) => cutBehind(whole, text) };
}

const CUT = '|cut';

export function cutBehind({ wrap }: Wrapping, text: string): string {
  const wrapped = wrap(text + CUT);
  const at = wrapped.search(/(?:\||%(?:25)*7C|\\+u007c)(?:cut|\\+u0063)/);
  if (at === -1) throw new Error(`not found in ${wrapped}`);
  return wrapped.slice(0, at);
}

const BEFORE = 'all\n';

/** In the middle of the string before the text. */
function headless(whole: Wrapping): Wrapping {
  return {
    wrap: (text) => {
      const wrapped = whole.wrap(`first of ${BEFORE}${text}`);
      return wrapped.slice(wrapped.indexOf('all'));
    },
    before: BEFORE,
  };
}

export const WRAPPINGS: { readonly [name: string]: Wrapping } = {
  JSON: json,
  'JSON in ASCII, with escaped slashes': asciiJson,
  'JSON, all signs by number': numberedJson,
  'JSON in JSON': within(json, json),
  'JSON in JSON in JSON': within(json, within(json, json)),
  'JSON in ASCII, twice': within(asciiJson, asciiJson),
  Python: python,
  'bytes of Python': pythonBytes,
  'Python in lines': pythonPrinted,
  JavaScript: inspected,
  'JavaScript in lines': inspectedInLines,
  'a URL': percent,
  'a URL in a URL': within(percent, percent),
  'a form': form,
  'colours of a terminal': colours,
  'Markdown with backslashes': markdown,
  'colours of a terminal in JSON': { ...within(json, colours), isOfProse: true },
  'Markdown with backslashes in JSON': { ...within(json, markdown), isOfProse: true },
  'a URL in Markdown with backslashes': { ...within(markdown, percent), isOfProse: true },
  'JSON in Python': within(python, json),
  'Python in JSON': within(json, python),
  'Python in Python': within(python, python),
  'JSON in JavaScript': within(inspected, json),
  'JavaScript in JSON': within(json, inspected),
  'JSON in a URL': within(percent, json),
  'a URL in JSON': within(json, percent),
  'JSON in a form': within(form, json),
  'Python in a URL in JSON': within(json, within(percent, python)),
  'JSON, cut': cut(json),
  'JSON in ASCII, cut': cut(asciiJson),
  'JSON in JSON, cut': cut(within(json, json)),
  'JSON in JSON in JSON, cut': cut(within(json, within(json, json))),
  'Python, cut': cut(python),
  'JSON in Python, cut': cut(within(python, json)),
  'JavaScript, cut': cut(inspected),
  'JSON in a URL, cut': cut(within(percent, json)),
  'JSON without its beginning': headless(json),
  'JSON in JSON without its beginning': headless(within(json, json)),
  'Python without its beginning': headless(python),
};

function content(value: unknown): string {
  const [first] = value as readonly {
    readonly content?: string;
    readonly parts?: readonly { readonly content: string }[];
  }[];
  return first?.content ?? first?.parts?.[0]?.content ?? '';
}

function hexOf(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function lines(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}

const SHORT: { readonly [sign: string]: string } = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** As `repr` of a text in Python. */
export function repr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const written = [...text].map((sign) => {
    if (sign === quote) return `\\${quote}`;
    const short = SHORT[sign];
    if (short !== undefined) return short;
    const point = sign.codePointAt(0) ?? 0;
    if (point < 0x20 || (point >= 0x7f && point <= 0xa0) || point === 0xad) return `\\x${hex(point, 2)}`;
    return /[\p{Zs}\p{Cf}\p{Zl}\p{Zp}]/u.test(sign) && sign !== ' ' ? `\\u${hex(point, 4)}` : sign;
  });
  return quote + written.join('') + quote;
}

function reprBytes(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const written = [...Buffer.from(text)].map((byte) => {
    const sign = String.fromCharCode(byte);
    if (sign === quote) return `\\${quote}`;
    return SHORT[sign] ?? (byte < 0x20 || byte > 0x7e ? `\\x${hex(byte, 2)}` : sign);
  });
  return `b${quote}${written.join('')}${quote}`;
}

function hex(point: number, digits: number): string {
  return point.toString(16).padStart(digits, '0');
}

/** The text of a literal of Python. */
function readPython(literal: string): string {
  const isBytes = literal.startsWith('b');
  const body = literal.slice(isBytes ? 2 : 1, -1);
  const text = body.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([\s\S]))/g,
    (_, byte?: string, point?: string, short?: string) => {
      if (byte !== undefined || point !== undefined)
        return String.fromCharCode(Number.parseInt(byte ?? point ?? '', 16));
      return { n: '\n', r: '\r', t: '\t' }[short ?? ''] ?? short ?? '';
    },
  );
  return isBytes ? Buffer.from(text, 'latin1').toString() : text;
}
