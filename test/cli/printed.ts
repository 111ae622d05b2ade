/** The text that a command prints, without colours unless they are painted. */
import type { Terminal } from '../../src/cli/terminal.ts';

export function printed(
  print: (terminal: Terminal) => void,
  paint: Terminal['paint'] = (_style, text) => text,
): string {
  const lines: string[] = [];
  const out = (text: string) => void lines.push(text);
  print({ out, err: out, json: () => {}, paint, isLive: false, progress: () => {}, progressDone: () => {} });
  return lines.join('\n');
}
