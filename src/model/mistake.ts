/**
 * A mistake in something a person wrote: a suite, a configuration, a flag. Mistakes are collected and shown together,
 * each with its place, what is wrong, and what was expected there.
 */
import { counted } from './counted.ts';
export interface Mistake {
  /** The file, or the environment variable or flag that was read. */
  readonly file: string;
  /** Line, from 1. Undefined if the place has none. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** Path in the document, such as `criteria[2].check`; '' for the whole. */
  readonly path: string;
  readonly problem: string;
  readonly expected: string;
}

export function formatMistakes(mistakes: readonly Mistake[]): string {
  if (mistakes.length === 0) return '';
  const heading = `${counted(mistakes.length, 'mistake')}:`;
  return [heading, ...mistakes.map(formatMistake)].join('\n');
}

export function formatMistake({ file, line, column, path, problem, expected }: Mistake): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const indented = problem.replaceAll('\n', '\n    ');
  const where = path === '' ? '' : `${path}: `;
  return `  ${place}\n    ${where}${indented}${expected === '' ? '' : `\n    expected: ${expected}`}`;
}
