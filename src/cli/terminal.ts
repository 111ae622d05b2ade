/**
 * Output of the commands: colour on a terminal only, progress on standard error, names from spans made safe.
 *
 * No control character of somebody else's text gets through, in whatever a command writes: suites of foreign pull
 * requests are validated in CI. The escapes of our own colours pass as a mark that is drawn for each process.
 */
import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters, styleText } from 'node:util';
import { visibleJson, visibleText } from '../model/visible-text.ts';

export type Style = Parameters<typeof styleText>[0];

export interface Terminal {
  /** Results. */
  out(text: string): void;
  /** Prints JSON. Nothing is removed: characters that must not be shown are escaped. */
  json(value: unknown, indent?: number): void;
  /** Progress and complaints. */
  err(text: string): void;
  paint(style: Style, text: string): string;
  /** Whether progress is seen as it overwrites itself. */
  readonly isLive: boolean;
  /** Overwrites itself on a terminal; elsewhere it is silent. */
  progress(text: string): void;
  progressDone(): void;
}

const PROGRESS_EVERY_MS = 100;

const ESCAPE = '\u001b';

export function processTerminal(): Terminal {
  const escapeMark = `<${randomUUID()}>`;
  const written = (text: string) => visibleText(text).replaceAll(escapeMark, ESCAPE);
  const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
  const live = process.stderr.isTTY === true;
  let shownAt = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    out: (text) => void process.stdout.write(`${written(text)}\n`),
    json: (value, indent) => void process.stdout.write(`${visibleJson(value, indent)}\n`),
    err: (text) => void process.stderr.write(`${written(text)}\n`),
    paint: (style, text) =>
      colour ? styleText(style, text, { validateStream: false }).replaceAll(ESCAPE, escapeMark) : text,
    isLive: live,
    progress: (text) => {
      const now = performance.now();
      if (!live || now - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = now;
      shown = true;
      process.stderr.write(`\r\u001b[2K${written(text)}`);
    },
    progressDone: () => {
      if (shown) process.stderr.write('\r\u001b[2K');
      shown = false;
    },
  };
}

/** Text from spans on one line, without anything that a terminal would obey, and not longer than it helps. */
export function safe(text: string, lengthMax = 300): string {
  const plain = stripVTControlCharacters(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return plain.length > lengthMax ? `${plain.slice(0, lengthMax - 1).toWellFormed()}…` : plain;
}

/** Never minus nothing: what rounds to 0 is 0. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
