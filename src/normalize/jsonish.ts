/**
 * Attribute values are polymorphic: the same key holds a JSON string from one emitter and a structured value from the
 * next, and a string that was JSON may have been cut in the middle by an attribute length limit. Here such a value is
 * decoded once, and what comes out is plain data that is safe to walk: objects without prototype, at most 64 deep.
 */
import { parseExactly } from '../model/exact-json.ts';
import type { Json } from '../model/json.ts';
import type { ContentState } from '../model/step.ts';
import type { AttributeValue } from '../model/attribute-value.ts';
import { isRedactionMarkerOfOurs, MARKER_LENGTH_MAX } from '../model/redaction.ts';
import { completedPrefix } from './json-prefix.ts';

export const DEPTH_MAX = 64;

/**
 * Markers that emitters write in place of content that they must not record; Assay's own redaction names the pattern as
 * well.
 */
const REDACTION_MARKERS: ReadonlySet<string> = new Set([
  '__REDACTED__',
  '<REDACTED>',
  '[REDACTED]',
  'FILTERED',
  '<not serializable>',
  '<masked>',
  '<elided>',
  '<fully masked due to failed mask function>',
]);
const REDACTION_MARKER_LENGTH_MAX = Math.max(42, MARKER_LENGTH_MAX);

export function isRedactionMarker(text: string): boolean {
  if (text.length > REDACTION_MARKER_LENGTH_MAX) return false;
  // Looking into a set means hashing the text; nearly none begins like a marker.
  switch (text.charCodeAt(0)) {
    case 0x5f: // _
    case 0x3c: // <
    case 0x46: // F
      return REDACTION_MARKERS.has(text);
    case 0x5b: // [
      return REDACTION_MARKERS.has(text) || isRedactionMarkerOfOurs(text);
    default:
      return false;
  }
}

/** Stricter than existence: an empty string or null has no content, so the next source is asked. */
export function isPresent(value: AttributeValue | undefined): value is Exclude<AttributeValue, null> {
  return value !== undefined && value !== null && value !== '';
}

export interface Decoded {
  readonly state: ContentState;
  /** A string, or what the JSON said. Not yet safe to hand out: see {@link toJson}. */
  readonly value: unknown;
}

/**
 * JSON text becomes its value; anything else stays what it is. A string inside the string is unwrapped too, since some
 * emitters encode twice, but no further.
 */
export function decodeJsonish(value: AttributeValue): Decoded {
  if (typeof value !== 'string') return { state: 'whole', value };
  const once = decodeText(value);
  return typeof once.value === 'string' && once.value !== value ? decodeText(once.value) : once;
}

function decodeText(text: string): Decoded {
  if (isRedactionMarker(text)) return { state: 'redacted', value: text };
  if (!mayBeJson(text)) return { state: 'whole', value: text };
  try {
    return { state: 'whole', value: parseExactly(text) };
  } catch {
    // Not JSON after all, or the beginning of some: only the second means that something is missing.
    const prefix = completedPrefix(text);
    return prefix === undefined ? { state: 'whole', value: text } : { state: 'truncated', value: prefix.value };
  }
}

const QUOTE = 0x22;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** Cheap: looks at the first character only, past at most a few blanks. */
function mayBeJson(text: string): boolean {
  for (let at = 0; at < 8; at++) {
    const code = text.charCodeAt(at);
    if (code === OPENING_BRACE || code === OPENING_BRACKET || code === QUOTE) return true;
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
  return false;
}

/** A copy as our own JSON: no prototypes, no bigints, no bytes, and nothing deeper than {@link DEPTH_MAX}. */
export function toJson(value: unknown, depth = 0): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'bigint':
      return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
        ? Number(value)
        : String(value);
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null || depth >= DEPTH_MAX) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) items.push(toJson(item, depth + 1));
    return items;
  }
  const copy: { [key: string]: Json } = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[key] = toJson(item, depth + 1);
  return copy;
}

/**
 * A member of a decoded object. Our keys are words of the conventions (`role`, `parts`), none of which `Object.prototype`
 * has; a hostile `__proto__` in JSON is a member like any other and changes nothing.
 */
export function member(value: unknown, key: string): unknown {
  // The cast holds for any object: a missing key gives undefined.
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown })[key] : undefined;
}

export function memberText(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
