/**
 * JSON that an attribute length limit cut in the middle: what was there is kept, what was begun is closed. For showing
 * and for finding one's way in it; whoever needs all of it is told that it was cut.
 *
 *     [{"role": "user", "content": "Is the ro      ->      [{"role": "user", "content": "Is the ro"}]
 *     {"room": 12, "gue                            ->      {"room": 12}
 *
 * One pass, whatever the text.
 */
const BEGINNING = /^\s*(?:\{\s*(?:"|$)|\[\s*(?:["{[\d-]|$))/;
const DEPTH_MAX = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** undefined where the text is not the beginning of a JSON object or list. */
export function completedPrefix(text: string): { readonly value: unknown } | undefined {
  if (!BEGINNING.test(text.slice(0, 64))) return undefined;
  const end = scan(text);
  if (end === undefined) return undefined;
  for (const candidate of [end.inValue, end.whole]) {
    if (candidate === undefined) continue;
    try {
      return { value: JSON.parse(candidate) };
    } catch {
      // A literal or an escape was cut as well: the next candidate leaves it out.
    }
  }
  return undefined;
}

interface Candidates {
  /** Text that was cut in the middle, if any. */
  readonly inValue: string | undefined;
  /** Up to the last value that is complete. */
  readonly whole: string;
}

/** Undefined if every bracket is closed: the text is broken in another way. */
function scan(text: string): Candidates | undefined {
  const closers: string[] = [];
  let inString = false;
  let isKey = false;
  let expectsKey = false;
  /** After the last complete value, and what was open there. */
  let safe = 0;
  let safeClosers = '';
  const keep = (at: number) => {
    safe = at;
    safeClosers = closers.toReversed().join('');
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) {
        inString = false;
        if (!isKey) keep(at + 1);
      }
      continue;
    }
    switch (code) {
      case QUOTE:
        inString = true;
        isKey = expectsKey;
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (closers.length >= DEPTH_MAX) return undefined;
        closers.push(code === 0x7b ? '}' : ']');
        expectsKey = code === 0x7b;
        keep(at + 1);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        if (closers.pop() === undefined) return undefined;
        expectsKey = false;
        keep(at + 1);
        break;
      case COMMA:
        // A number or a literal is complete only when something follows it.
        keep(at);
        expectsKey = closers.at(-1) === '}';
        break;
      case COLON:
        expectsKey = false;
        break;
    }
  }
  if (!inString && closers.length === 0) return undefined;
  const open = closers.toReversed().join('');
  return {
    inValue: inString && !isKey ? `${withoutHalfEscape(text)}"${open}` : undefined,
    whole: text.slice(0, safe) + safeClosers,
  };
}

const HALF_ESCAPE = /\\(?:u[\da-fA-F]{0,3})?$/;

/** `\\` is a complete escape; the beginning of a cut one is removed. */
function withoutHalfEscape(text: string): string {
  const tail = text.slice(-6);
  const half = HALF_ESCAPE.exec(tail);
  if (half === null) return text;
  const start = text.length - half[0].length;
  let backslashes = 0;
  while (text.charCodeAt(start - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 0 ? text.slice(0, start) : text;
}
