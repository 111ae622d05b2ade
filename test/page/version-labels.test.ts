import { expect, test } from 'vitest';
import { versionLabels } from '../../src/page/overview/version-labels.ts';

/** A chart of 100, with letters of the width 1. */
const ROOM = { end: 100, gap: 1, widthOf: (words: string) => words.length };

function labels(marks: Readonly<Record<string, number>>): readonly string[] {
  const versions = Object.entries(marks).map(([version, x]) => ({ version, x }));
  return versionLabels(versions, ROOM).map(({ words, left }) => `${words} at ${left}`);
}

test.each([
  ['versions far apart have a label each', { v2: 50, v1: 10 }, ['v1 at 11', 'v2 at 51']],
  ['versions that came together share one', { v1: 10, v2: 12 }, ['v1, v2 at 11']],
  ['three and more are counted', { v1: 10, v2: 11, v3: 12, v4: 12 }, ['v1, v2 and 2 more at 11']],
  ['a shared label may meet the next one', { v1: 10, v2: 12, v3: 16 }, ['v1, v2 and 1 more at 11']],
  ['at the end of the chart a label is left of its line', { v1: 10, v2: 98 }, ['v1 at 11', 'v2 at 95']],
  ['which may meet the one before', { v1: 93, v2: 98 }, ['v1, v2 at 91']],
  ['a long name is cut', { 'v1-2026-11-26-build': 10 }, ['v1-2026-11-26-b… at 11']],
  ['no version has none', {}, []],
])('%s', (_claim, marks, expected) => {
  expect(labels(marks)).toEqual(expected);
});
