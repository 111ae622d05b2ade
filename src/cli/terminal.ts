/** Output of the commands: colour on a terminal only, progress on standard error, names from spans made safe. */
import { stripVTControlCharacters, styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

export interface Terminal {
  /** Results. */
  out(text: string): void;
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

export function processTerminal(): Terminal {
  const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
  const live = process.stderr.isTTY === true;
  let shownAt = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    paint: (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text),
    isLive: live,
    progress: (text) => {
      const now = performance.now();
      if (!live || now - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = now;
      shown = true;
      process.stderr.write(`\r\u001b[2K${text}`);
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

/** JSON in which nothing is left that a terminal would obey, or that would turn the text around: escaped, it is the same JSON. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Never minus nothing: what rounds to 0 is 0. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
