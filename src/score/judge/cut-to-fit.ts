/**
 * Items as lines, so many of them and so much of each as a number of tokens allows. The finished line is counted,
 * escapes included.
 *
 *   1. Long values lose their middle, from 20,000 characters down to 500, those of items that are kept four times as late.
 *      Of the last answer several windows are left, evenly over its length, because it is what the questions are about.
 *   2. Then the oldest steps go; then the oldest of what is telling: what went wrong, and what was said in earlier turns.
 *   3. Then what is kept is shortened, down to 500 characters.
 *   4. Then the agent's instructions are, which are whole until then; at last both are, to whatever fits.
 *
 * Everything that was left out is said, to the judge in the place where it was, and in words to people.
 */
import { enumerate } from '../subject/sentences.ts';
import { inertText } from './inert-text.ts';
import { estimateTokens } from './token-estimate.ts';
import type { Field, Item } from './item.ts';

interface Fitted {
  /** Lines with a JSON object each. */
  readonly lines: readonly string[];
  /** The item of each line; undefined for the line that says what was left out. */
  readonly items: readonly (Item | undefined)[];
  /** Words for what was left out; '' if nothing was. */
  readonly cut: string;
}

const STEP_LENGTHS = [20_000, 8_000, 4_000, 2_000, 1_000, 500] as const;
const STEP_LENGTH_MIN = 500;
const WHOLE = Number.POSITIVE_INFINITY;
/** Sizes of what is kept, and of instructions. */
const LEAST_LENGTHS = [
  ...[2_000, 1_000, 500].map((kept) => [kept, WHOLE] as const),
  ...[20_000, 8_000, 4_000, 2_000, 1_000].map((instructions) => [500, instructions] as const),
  ...[500, 200, 80, 20].map((length) => [Math.min(length, 200), length] as const),
];
const KEPT_TIMES = 4;
const NAME_LENGTH_MAX = 200;
const WINDOW_LENGTH_MIN = 250;
const WINDOWS_MAX = 8;
/** No text of more characters than this comes to one token, whatever is in it: see `estimateTokens`. */
const CHARACTERS_OF_A_TOKEN_MAX = 5;

/** Undefined where there is no room even for the least. */
export function cutToFit(items: readonly Item[], tokensMax: number): Fitted | undefined {
  return (
    withShorterValues(items, tokensMax) ??
    withFewerItems(items, tokensMax) ??
    withTheLeast(
      items.filter(({ rank }) => rank === 'kept' || rank === 'instructions'),
      items.length,
      tokensMax,
    )
  );
}

function withShorterValues(items: readonly Item[], tokensMax: number): Fitted | undefined {
  const longest = tokensMax * CHARACTERS_OF_A_TOKEN_MAX;
  for (const length of [longest, ...STEP_LENGTHS.filter((shorter) => shorter < longest)]) {
    if (leastTokens(items, length) > tokensMax) continue;
    const lines: Line[] = [];
    let tokens = 0;
    for (const item of items) {
      const next = lineOf(item, lengthFor(item, length));
      lines.push(next);
      tokens += next.tokens;
      if (tokens > tokensMax) break;
    }
    if (tokens <= tokensMax) return fitted(lines, items, items.length);
  }
  return undefined;
}

function withFewerItems(items: readonly Item[], tokensMax: number): Fitted | undefined {
  const stay = items.filter(({ rank }) => rank === 'kept' || rank === 'instructions');
  if (leastTokens(stay, STEP_LENGTH_MIN) > tokensMax) return undefined;
  const lines = items.map((item) => lineOf(item, lengthFor(item, STEP_LENGTH_MIN)));
  let tokens = sumOf(lines) + LEFT_OUT_TOKENS;
  const left = new Set<number>();
  for (const rank of ['step', 'telling'] as const) {
    for (let index = 0; index < items.length && tokens > tokensMax; index += 1) {
      if (items[index]?.rank !== rank) continue;
      left.add(index);
      tokens -= lines[index]?.tokens ?? 0;
    }
  }
  if (tokens > tokensMax) return undefined;
  const first = Math.min(...left);
  const shown = items.flatMap((item, index): { readonly line: Line; readonly item: Item | undefined }[] => {
    if (index === first) return [{ line: leftOut(left.size), item: undefined }];
    const line = lines[index];
    return left.has(index) || line === undefined ? [] : [{ line, item }];
  });
  return fitted(
    shown.map(({ line }) => line),
    shown.map(({ item }) => item),
    items.length,
  );
}

function withTheLeast(kept: readonly Item[], of: number, tokensMax: number): Fitted | undefined {
  const gone = of - kept.length;
  const note = gone === 0 ? [] : [leftOut(gone)];
  for (const [ofKept, ofInstructions] of LEAST_LENGTHS) {
    const lengthOf = ({ rank }: Item) => (rank === 'instructions' ? ofInstructions : ofKept);
    if (charactersOf(kept, lengthOf) / CHARACTERS_OF_A_TOKEN_MAX > tokensMax) continue;
    const lines = [...note, ...kept.map((item) => lineOf(item, lengthOf(item)))];
    if (sumOf(lines) <= tokensMax) return fitted(lines, [...note.map(() => undefined), ...kept], of);
  }
  return undefined;
}

function fitted(lines: readonly Line[], items: readonly (Item | undefined)[], of: number): Fitted {
  const shown = items.filter((item) => item !== undefined).length;
  const isOfInstructions = (index: number) => items[index]?.rank === 'instructions';
  const shortened = lines.reduce((sum, line, index) => sum + (isOfInstructions(index) ? 0 : line.shortened), 0);
  const lacksInstructions = lines.some((line, index) => isOfInstructions(index) && line.shortened > 0);
  const parts = [
    ...(lacksInstructions ? ["a part of the agent's instructions"] : []),
    ...(shown < of ? [`${of - shown} of ${of} items`] : []),
    ...(shortened > 0 ? [`the middle of ${shortened} long ${shortened === 1 ? 'value' : 'values'}`] : []),
  ];
  const cut = parts.length === 0 ? '' : `Left out to fit: ${enumerate(parts)}.`;
  return { lines: lines.map(({ text }) => text), items, cut };
}

function lengthFor({ rank }: Item, length: number): number {
  if (rank === 'instructions') return WHOLE;
  return rank === 'kept' ? length * KEPT_TIMES : length;
}

/** A lower bound that looks at no character, so that megabytes are not escaped to learn that they are too many. */
function leastTokens(items: readonly Item[], length: number): number {
  return charactersOf(items, (item) => lengthFor(item, length)) / CHARACTERS_OF_A_TOKEN_MAX;
}

function charactersOf(items: readonly Item[], lengthOf: (item: Item) => number): number {
  let characters = 0;
  for (const item of items) {
    for (const field of item.fields) {
      const most = isName(field) ? NAME_LENGTH_MAX : lengthOf(item);
      characters += Math.min(field.text?.length ?? 0, most);
    }
  }
  return characters;
}

interface Line {
  readonly text: string;
  readonly tokens: number;
  /** How many of its values lost their middle. */
  readonly shortened: number;
}

function lineOf({ item, rank, turn, fields }: Item, lengthMax: number): Line {
  const isLastAnswer = item === 'answer' && rank === 'kept';
  let shortened = 0;
  const members = fields.map((field) => {
    const most = isName(field) ? NAME_LENGTH_MAX : lengthMax;
    const windows = isLastAnswer && !isName(field) ? Math.floor(most / WINDOW_LENGTH_MIN) : 2;
    const text = field.text === undefined ? undefined : inWindows(field.text, most, windows);
    if (text !== field.text) shortened += 1;
    return memberOf(field, text);
  });
  const head = [`"item":"${item}"`, ...(turn === undefined ? [] : [`"turn":${turn}`])];
  return line(`{${[...head, ...members].join(',')}}`, shortened);
}

function isName({ key }: Field): boolean {
  return key === 'name' || key === 'agent';
}

function memberOf({ key, note }: Field, text: string | undefined): string {
  const value = text === undefined ? 'null' : inertText(text);
  return `"${key}":${value}${note === undefined ? '' : `,"${key}_is":"${note}"`}`;
}

/** Head and tail, and between them as many windows of the same size as are wanted. */
function inWindows(text: string, lengthMax: number, wanted: number): string {
  if (text.length <= lengthMax) return text;
  const windows = Math.min(Math.max(wanted, 2), WINDOWS_MAX);
  const size = Math.floor(lengthMax / windows);
  const shown: string[] = [];
  let end = 0;
  for (let window = 0; window < windows; window += 1) {
    const isFirst = window === 0;
    // The first has what is left over by the division.
    const length = isFirst ? lengthMax - size * (windows - 1) : size;
    const start = Math.max(end, Math.floor(((text.length - size) * window) / (windows - 1)));
    if (start > end) shown.push(` [… ${start - end} characters left out …] `);
    shown.push(text.slice(start, start + length));
    end = start + length;
  }
  return shown.join('');
}

function leftOut(items: number): Line {
  return line(`{"item":"left_out","items":${items}}`, 0);
}

const LEFT_OUT_TOKENS = leftOut(1_000_000).tokens;

/** Line with its end. */
function line(text: string, shortened: number): Line {
  return { text, tokens: estimateTokens(text) + 1, shortened };
}

function sumOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { tokens }) => sum + tokens, 0);
}
