/**
 * JSON whose whole numbers keep their digits: one that a double cannot hold, beyond 2^53, becomes the text of its digits, as it does where OTLP has it as an
 * integer. Rounded, two ids that differ in their last digit would be the same.
 */

/** Fewer digits are exact, so that most texts are parsed without a look at each number. */
const MAY_BE_UNSAFE = /\d{16}/;
const WHOLE = /^[-+]?\d+$/;

/** Throws where `JSON.parse` does. */
export function parseExactly(text: string): unknown {
  if (!MAY_BE_UNSAFE.test(text)) return JSON.parse(text);
  return (JSON.parse as ParseWithSource)(text, (_, value, context) => exact(value, context?.source));
}

/** The number, or its digits where they say more; `source` is how it was written. */
export function exact(value: unknown, source: string | undefined): unknown {
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
  return WHOLE.test(source) ? source : value;
}

/** JSON.parse with the source text of values, as ECMAScript has it; TypeScript's own types lack it. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
) => unknown;
