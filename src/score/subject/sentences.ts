/**
 * Text for people from things that are not to be trusted: on one line, without control characters, well formed, and of
 * bounded length.
 */
import { visibleText } from '../../model/visible-text.ts';

const REASON_LENGTH_MAX = 300;
const EXCERPT_LENGTH_MAX = 80;
const UNTIDY = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
/** Most reasons are our own and tidy as they are. Anything this finds is looked at more closely. */
const SUSPICIOUS = /[^\x20-\x7e]| {2}|^ | $/;

export function toReason(text: string): string {
  return shorten(text, REASON_LENGTH_MAX);
}

/** A piece of somebody's text within a reason. */
export function toExcerpt(text: string): string {
  return shorten(text, EXCERPT_LENGTH_MAX);
}

export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax && !SUSPICIOUS.test(text)) return text;
  // Only what can be seen in the end is worth tidying: the text may be megabytes.
  const tidy = visibleText(text.slice(0, lengthMax * 4))
    .replace(UNTIDY, ' ')
    .trim()
    .toWellFormed();
  return tidy.length <= lengthMax ? tidy : `${tidy.slice(0, lengthMax - 1).toWellFormed()}…`;
}

/** A thrown value, whatever it is, as a reason. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error))
    return toReason(`The check threw ${typeof thrown === 'string' ? thrown : typeof thrown}.`);
  // A message may be a getter that throws in its turn; a check is a stranger's code.
  try {
    const [firstLine = ''] = String(thrown.message).split('\n', 1);
    return toReason(`The check threw ${String(thrown.name)}: ${firstLine === '' ? '(no message)' : firstLine}`);
  } catch {
    return 'The check threw an error that cannot be read.';
  }
}

/** 'a', 'a and b', 'a, b and c'. */
export function enumerate(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
