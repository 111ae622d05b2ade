/**
 * A text of any length as slices, of which a page holds a few. A slice is bounded in three ways:
 *
 *  1. In characters, because a browser lays out all of them at once.
 *  2. In characters that are written out, because each of those is an element of the document.
 *  3. In words of scripts that run from right to left between others, because the time to put them in order grows with
 *     the square of their number. Ordinary texts do not come near this bound.
 */
import { splitsPair } from '../../model/surrogate-pairs.ts';
import { withFewHidden } from '../../model/visible-text.ts';

export interface TextSlice {
  readonly from: number;
  readonly text: string;
}

/** Part of a longer text that is known here, and where it begins in it. */
interface KnownPart extends TextSlice {
  /** Characters of the whole text. */
  readonly characters: number;
}

export const SLICE_CHARACTERS = 16_000;
/** Slices that are in the document at a time. */
export const SLICES_MAX = 4;
const HIDDEN_RUNS_MAX = 300;
const RIGHT_TO_LEFT_RUNS_MAX = 1_000;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]+/gu;

/** The slice that begins there. Undefined where the known part does not have it whole. */
export function sliceAt(part: KnownPart, from: number, charactersMax = SLICE_CHARACTERS): TextSlice | undefined {
  const begin = from - part.from;
  const end = Math.min(from + charactersMax, part.characters) - part.from;
  if (begin < 0 || end > part.text.length) return undefined;
  const atBegin = splitsPair(part.text, begin) ? begin + 1 : begin;
  const atEnd = splitsPair(part.text, end) ? end - 1 : end;
  return {
    from: part.from + atBegin,
    text: withFewTurns(withFewHidden(part.text.slice(atBegin, atEnd), HIDDEN_RUNS_MAX)),
  };
}

/** The slices with the next one, or the one before them; the farthest ones go. */
export function withSlice(slices: readonly TextSlice[], slice: TextSlice): readonly TextSlice[] {
  const [first, last] = [slices[0], slices.at(-1)];
  if (last !== undefined && endOf(last) === slice.from) return [...slices, slice].slice(-SLICES_MAX);
  if (first !== undefined && endOf(slice) === first.from) return [slice, ...slices].slice(0, SLICES_MAX);
  return [slice];
}

export function endOf({ from, text }: TextSlice): number {
  return from + text.length;
}

function withFewTurns(text: string): string {
  let runs = 0;
  for (const { index } of text.matchAll(RIGHT_TO_LEFT)) {
    if (runs === RIGHT_TO_LEFT_RUNS_MAX) return text.slice(0, index);
    runs += 1;
  }
  return text;
}
