/** A value as JSON has it. Objects from spans have a null prototype, so that a key `__proto__` is just a key. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function isMapping(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `Array.isArray` alone does not narrow a readonly array. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Undefined where the text is no JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    // The cast is what JSON.parse gives.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
