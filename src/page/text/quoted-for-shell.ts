/**
 * Texts in commands that people copy into a terminal: a shell must take each as one word, and run nothing of it. A
 * terminal obeys some characters that nobody sees, so `printf` makes them from their bytes: `'a'"$(printf '\342\200\256')"'b'`.
 */
import { withHidden } from '../../model/visible-text.ts';

export function quotedForShell(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-')) return text;
  return `'${withHidden(text.replaceAll("'", "'\\''"), (run) => `'"$(printf '${octal(run)}')"'`)}'`;
}

function octal(run: string): string {
  return [...new TextEncoder().encode(run)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
