import { expect, test } from 'vitest';
import {
  endOf,
  SLICE_CHARACTERS,
  SLICES_MAX,
  sliceAt,
  type TextSlice,
  withSlice,
} from '../../src/page/text/text-slices.ts';

const whole = (text: string) => ({ from: 0, text, characters: text.length });

/** Slices from the beginning to the end. */
function slicesOf(text: string): readonly TextSlice[] {
  const slices: TextSlice[] = [];
  for (let at = 0; at < text.length; ) {
    const slice = sliceAt(whole(text), at);
    if (slice === undefined || slice.text === '') throw new Error(`no slice at ${at}`);
    slices.push(slice);
    at = endOf(slice);
  }
  return slices;
}

test.each([
  ['one line', 'x'.repeat(100_001), 7],
  ['lines', 'a line\n'.repeat(20_000), 9],
  ['pairs of surrogates', `x${'😀'.repeat(40_000)}`, 6],
  ['hidden characters', '\u202ea\u0007b'.repeat(3_000), 20],
  ['words of two directions', 'a\u05d0 '.repeat(20_000), 20],
  ['halves of pairs', '\ud83d'.repeat(20_000), 2],
])('slices of %s are bounded, and have all of the text', (_what, text, count) => {
  const slices = slicesOf(text);

  expect(slices).toHaveLength(count);
  expect(slices.map((slice) => slice.text).join('')).toBe(text);
  expect(Math.max(...slices.map((slice) => slice.text.length))).toBeLessThanOrEqual(SLICE_CHARACTERS);
  if (text.isWellFormed()) expect(slices.every((slice) => slice.text.isWellFormed())).toBe(true);
});

test('a slice that the known part does not have whole is not made up', () => {
  const part = { from: 100, text: 'x'.repeat(50), characters: 1_000 };

  expect(sliceAt(part, 99, 10)).toBeUndefined();
  expect(sliceAt(part, 145, 10)).toBeUndefined();
  expect(sliceAt(part, 140, 10)).toEqual({ from: 140, text: 'x'.repeat(10) });
});

test('slices that follow each other stay, the farthest go, and a jump begins again', () => {
  const slices = slicesOf('x'.repeat(10 * SLICE_CHARACTERS));
  const read = slices.reduce<readonly TextSlice[]>(withSlice, []);
  const [first, second] = slices;
  if (first === undefined || second === undefined) throw new Error('no slices');

  expect(read).toEqual(slices.slice(-SLICES_MAX));
  expect(withSlice(read, first)).toEqual([first]);
  expect(withSlice([second], first)).toEqual([first, second]);
});
