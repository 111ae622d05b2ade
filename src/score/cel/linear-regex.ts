/**
 * Regular expressions in time linear in the text, whatever the pattern: RE2's algorithm and syntax (no look-around, no
 * back-references), in JavaScript. Patterns are compiled once; those made at run time are kept up to a bound.
 */
import { RE2JS } from 're2js';

const PATTERN_LENGTH_MAX = 500;
const KEPT_MAX = 200;
const kept = new Map<string, RE2JS>();

/** Whether the pattern occurs anywhere in the text. */
export function occurs(pattern: string, text: string): boolean {
  return compiled(pattern).test(text);
}

/** The mistake in the pattern, or undefined. */
export function patternMistake(pattern: string): string | undefined {
  try {
    compiled(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function compiled(pattern: string): RE2JS {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > PATTERN_LENGTH_MAX) {
    throw new Error(`the pattern has ${pattern.length} characters; ${PATTERN_LENGTH_MAX} is the most`);
  }
  const fresh = RE2JS.compile(pattern);
  // The oldest goes first. Which one is kept changes the speed of later checks, never their answer.
  if (kept.size >= KEPT_MAX) for (const oldest of [...kept.keys()].slice(0, KEPT_MAX / 4)) kept.delete(oldest);
  kept.set(pattern, fresh);
  return fresh;
}
