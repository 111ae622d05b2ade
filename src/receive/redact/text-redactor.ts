/**
 * Takes secrets out of one text. In a text that is JSON it is the strings that are looked at, as what they say rather
 * than as they are written, and JSON inside them likewise, so that what was JSON stays JSON and numbers stay numbers.
 *
 * It is done again until nothing more is found. So what comes out is what comes out when it is redacted again; a text
 * that will not come to rest is replaced as a whole.
 */
import { isUtf8 } from 'node:buffer';
import { redactionMarker } from '../../model/redaction.ts';
import type { CustomPatterns } from './custom-patterns.ts';
import type { Found } from './found.ts';
import { isJson, jsonStrings, stringOfText, textOfString } from './json-strings.ts';
import { type Replacement, splice } from './splice.ts';
import type { TextScanner } from './text-scanner.ts';

const ROUNDS_MAX = 4;
/** JSON in a string in JSON…: what lies deeper is looked at as it is written. */
const NESTED_MAX = 8;

export class TextRedactor {
  readonly #scanner: TextScanner;
  readonly #custom: CustomPatterns;
  readonly #onFound: (name: string) => void;
  readonly #bytesMin: number;
  #lastFound = '';

  constructor(scanner: TextScanner, custom: CustomPatterns, onFound: (name: string) => void) {
    this.#scanner = scanner;
    this.#custom = custom;
    this.#bytesMin = custom.isEmpty ? scanner.bytesMin : 1;
    this.#onFound = (name) => {
      this.#lastFound = name;
      onFound(name);
    };
  }

  /** The redacted text; undefined where there is nothing to redact, which is found out without a copy. */
  redact(bytes: Buffer, start: number, end: number): Buffer | undefined {
    if (end - start < this.#bytesMin || !this.#isSuspicious(bytes, start, end)) return undefined;
    let current: Buffer | undefined;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const next = this.#once(current ?? bytes.subarray(start, end), 0);
      if (next === undefined) return current;
      current = next;
    }
    return Buffer.from(redactionMarker(this.#lastFound));
  }

  #isSuspicious(bytes: Buffer, start: number, end: number): boolean {
    if (this.#scanner.scan(bytes, start, end).length > 0 || this.#scanner.hasHidingEscapes) return true;
    return !this.#custom.isEmpty && this.#custom.mayBeIn(bytes.toString('utf8', start, end));
  }

  #once(text: Buffer, depth: number): Buffer | undefined {
    return depth < NESTED_MAX && isJson(text) ? this.#json(text, depth) : this.#plain(text);
  }

  #json(text: Buffer, depth: number): Buffer | undefined {
    const replacements: Replacement[] = [];
    for (const string of jsonStrings(text)) {
      const { start, end, hasEscapes } = string;
      if (end - start < this.#bytesMin || !this.#isSuspicious(text, start, end)) continue;
      const redacted = this.#once(textOfString(text, string), depth + 1);
      if (redacted !== undefined) replacements.push({ start, end, by: hasEscapes ? stringOfText(redacted) : redacted });
    }
    return replacements.length === 0 ? undefined : splice(text, replacements);
  }

  #plain(text: Buffer): Buffer | undefined {
    const unescaped = this.#scanPlain(text);
    let redacted = unescaped.found.length === 0 ? undefined : this.#replace(unescaped.text, unescaped.found);
    if (!this.#custom.isEmpty && isUtf8(redacted ?? text)) {
      const byUser = this.#custom.redact((redacted ?? text).toString(), this.#onFound);
      if (byUser !== undefined) redacted = Buffer.from(byUser);
    }
    return redacted;
  }

  /** Where escapes hide a part of something, the text goes on without those that need not be. */
  #scanPlain(text: Buffer): { readonly text: Buffer; readonly found: readonly Found[] } {
    const found = this.#scanner.scan(text, 0, text.length);
    if (!this.#scanner.hasHidingEscapes || !isUtf8(text)) return { text, found };
    const plain = Buffer.from(text.toString().replaceAll(HIDING, withoutEscape));
    const hidden = this.#scanner.scan(plain, 0, plain.length);
    return lengthOf(hidden) > lengthOf(found) ? { text: plain, found: hidden } : { text, found };
  }

  #replace(text: Buffer, all: readonly Found[]): Buffer {
    return splice(
      text,
      all.map(({ start, end, pattern }) => {
        this.#onFound(pattern);
        return { start: behindEscape(text, start, end), end, by: Buffer.from(redactionMarker(pattern)) };
      }),
    );
  }
}

function lengthOf(all: readonly Found[]): number {
  return all.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Signs that stand for themselves in JSON, written as escapes all the same; in JSON within JSON with more backslashes. */
const HIDING = /\\{1,64}(?:u00([2-7][0-9a-fA-F])|\/)/g;

function withoutEscape(written: string, hex: string | undefined): string {
  if (hex === undefined) return '/';
  const sign = String.fromCharCode(Number.parseInt(hex, 16));
  return sign === '"' || sign === '\\' || sign === '\u007f' ? written : sign;
}

const BACKSLASH = 0x5c;
const SHORT_ESCAPES: readonly number[] = [...'bfnrt'].map((sign) => sign.charCodeAt(0));
const UNICODE_ESCAPE = 0x75;

/** `\nbob@example.com` in JSON that was cut off: the `n` is not bob's. */
function behindEscape(text: Buffer, start: number, end: number): number {
  if (start === 0 || text[start - 1] !== BACKSLASH) return start;
  const sign = text[start] ?? 0;
  const behind = SHORT_ESCAPES.includes(sign) ? start + 1 : sign === UNICODE_ESCAPE ? start + 5 : start;
  return Math.min(behind, end);
}
