/** Pieces of somebody's data within a sentence: short, on one line, well formed. */
import type { Excerpt } from '../model/excerpt.ts';
import type { Json } from '../model/json.ts';

const LENGTH_MAX = 60;

export function show(value: Json | undefined): string {
  return short(typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? 'nothing'));
}

export function short(text: string): string {
  const line = text
    .slice(0, LENGTH_MAX * 4)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  return line.length <= LENGTH_MAX ? line : `${line.slice(0, LENGTH_MAX - 1).toWellFormed()}…`;
}

export function ofTurn(turn: number, { turns }: Excerpt): string {
  return turns.length === 1 ? '' : ` of turn ${turn + 1}`;
}

export function inTurn(turn: number, { turns }: Excerpt): string {
  return turns.length === 1 ? '' : ` in turn ${turn + 1}`;
}
