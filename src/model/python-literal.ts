/**
 * A value as Python prints it, `{'at': 1, 'who': ["Ann's"], 'all': None}`, which frameworks in Python write where others
 * write JSON. Only literals: dictionaries with keys that are texts, lists, tuples, texts, numbers, and the three names.
 * Anything else (an ellipsis, an object that says only where it is) makes the whole of it no literal.
 */
import type { AttributeValue } from './attribute-value.ts';

const DEPTH_MAX = 64;

export function pythonLiteral(text: string): AttributeValue | undefined {
  return wholeOf(new Reader(text, { hasObjects: false }));
}

/**
 * The same where objects stand among the literals, as their classes print them: `Item(name='a', _count=1)` is read as
 * `{name: 'a', count: 1}`, and a member of an enumeration, `<Role.USER: 'user'>`, as its value.
 */
export function pythonObject(text: string): AttributeValue | undefined {
  return wholeOf(new Reader(text, { hasObjects: true }));
}

/**
 * The fields of an object as Pydantic prints it, without the name of its class: `status='success' result=None`. Fields
 * whose values are printed in another way end it, and those before them are there.
 */
export function pythonFields(text: string): Readonly<Record<string, AttributeValue>> {
  return new Reader(text, { hasObjects: true }).fields();
}

/** The last object of that class in a text that has more before and after it; undefined where it is cut. */
export function pythonObjectIn(text: string, className: string): AttributeValue | undefined {
  const at = text.lastIndexOf(`${className}(`);
  return at === -1 ? undefined : new Reader(text, { hasObjects: true, at }).value(0);
}

function wholeOf(reader: Reader): AttributeValue | undefined {
  const value = reader.value(0);
  return value !== undefined && reader.isAtEnd() ? value : undefined;
}

const NUMBER = /-?(?:0|[1-9]\d{0,15})(?:\.\d{1,17})?(?:e[+-]?\d{1,3})?/y;
const NAMES: readonly (readonly [string, AttributeValue])[] = [
  ['True', true],
  ['False', false],
  ['None', null],
];
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
]);
const CODE_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

const CLASS = /[A-Za-z_][\w.]{0,80}\(/y;
const PARAMETER = /_?([A-Za-z]\w{0,80})=/y;
const CONSTANT = /[A-Za-z_]\w{0,80}(?:\.\w{1,80}){1,8}(?=[,)])/y;
const ENUMERATED = /<[A-Za-z_][\w.]{0,80}: /y;

class Reader {
  readonly #text: string;
  readonly #hasObjects: boolean;
  #at: number;

  constructor(text: string, { hasObjects, at = 0 }: { readonly hasObjects: boolean; readonly at?: number }) {
    this.#text = text;
    this.#hasObjects = hasObjects;
    this.#at = at;
  }

  isAtEnd(): boolean {
    this.#skipBlanks();
    return this.#at === this.#text.length;
  }

  value(depth: number): AttributeValue | undefined {
    if (depth > DEPTH_MAX) return undefined;
    this.#skipBlanks();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#dictionary(depth);
      case '[':
        return this.#list(']', depth);
      case '(':
        return this.#list(')', depth);
      case "'":
      case '"':
        return this.#string();
      default:
        return this.#name(depth);
    }
  }

  fields(): Readonly<Record<string, AttributeValue>> {
    const fields: { [key: string]: AttributeValue } = Object.create(null);
    while (!this.isAtEnd()) {
      const name = this.#matches(PARAMETER)?.[1];
      const value = name === undefined ? undefined : this.value(0);
      if (name === undefined || value === undefined) return fields;
      fields[name] = value;
    }
    return fields;
  }

  #dictionary(depth: number): AttributeValue | undefined {
    const members: { [key: string]: AttributeValue } = Object.create(null);
    this.#at++;
    while (!this.#takes('}')) {
      const key = this.value(depth + 1);
      if (typeof key !== 'string' || !this.#takes(':')) return undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      members[key] = value;
      if (!this.#takes(',') && !this.#isNext('}')) return undefined;
    }
    return members;
  }

  #list(end: string, depth: number): AttributeValue | undefined {
    const items: AttributeValue[] = [];
    this.#at++;
    while (!this.#takes(end)) {
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      if (!this.#takes(',') && !this.#isNext(end)) return undefined;
    }
    return items;
  }

  #string(): string | undefined {
    const quote = this.#text[this.#at];
    let value = '';
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at];
      if (char === quote) {
        this.#at++;
        return value;
      }
      const plain = char === '\\' ? this.#escaped() : char;
      if (plain === undefined) return undefined;
      value += plain;
    }
    return undefined;
  }

  /** Stops on the last character of the escape. */
  #escaped(): string | undefined {
    this.#at++;
    const kind = this.#text[this.#at] ?? '';
    const digits = CODE_DIGITS.get(kind);
    if (digits === undefined) return ESCAPES.get(kind);
    const code = this.#text.slice(this.#at + 1, this.#at + 1 + digits);
    this.#at += digits;
    const point = /^[0-9a-fA-F]+$/.test(code) && code.length === digits ? Number.parseInt(code, 16) : Number.NaN;
    return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
  }

  #name(depth: number): AttributeValue | undefined {
    for (const [name, value] of NAMES) {
      if (!this.#text.startsWith(name, this.#at)) continue;
      this.#at += name.length;
      return value;
    }
    return this.#number() ?? (this.#hasObjects ? (this.#enumerated(depth) ?? this.#object(depth)) : undefined);
  }

  #object(depth: number): AttributeValue | undefined {
    if (this.#matches(CLASS) === undefined) return undefined;
    const members: { [key: string]: AttributeValue } = Object.create(null);
    for (let at = 0; !this.#takes(')'); at++) {
      // Some classes print values without names: `datetime.datetime(2026, 11, 29, tzinfo=datetime.timezone.utc)`.
      const name = this.#matches(PARAMETER)?.[1] ?? String(at);
      const read = this.value(depth + 1);
      const value = read === undefined ? this.#matches(CONSTANT)?.[0] : read;
      if (value === undefined) return undefined;
      members[name] = value;
      if (!this.#takes(',') && !this.#isNext(')')) return undefined;
    }
    return members;
  }

  #enumerated(depth: number): AttributeValue | undefined {
    if (this.#matches(ENUMERATED) === undefined) return undefined;
    const value = this.value(depth + 1);
    return this.#takes('>') ? value : undefined;
  }

  #matches(pattern: RegExp): RegExpExecArray | undefined {
    this.#skipBlanks();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }

  #number(): number | undefined {
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return Number(found);
  }

  #takes(char: string): boolean {
    if (!this.#isNext(char)) return false;
    this.#at++;
    return true;
  }

  #isNext(char: string): boolean {
    this.#skipBlanks();
    return this.#text[this.#at] === char;
  }

  #skipBlanks(): void {
    for (;;) {
      const char = this.#text[this.#at];
      if (char !== ' ' && char !== '\n') return;
      this.#at++;
    }
  }
}
