import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inPoints, shownParts } from '../../src/report/documents/shown-parts.ts';

const criterion = (name: string, points: number) => ({ part: 'criterion', criterion: name, points });

test('the parts are shown in tenths, the largest fall first', () => {
  const shown = shownParts([criterion('c1', -0.0988), { part: 'mix', criterion: '', points: -0.1222 }], 5);

  expect(shown.parts.map(({ part, tenths }) => [part, inPoints(tenths)])).toEqual([
    ['mix', '−12.2 points'],
    ['criterion', '−9.9 points'],
  ]);
  expect(inPoints(shown.tenths)).toBe('−22.1 points');
});

test('what is beyond the rows is one row', () => {
  const parts = [criterion('a', -0.05), criterion('b', 0.03), criterion('c', -0.02), criterion('d', 0.01)];

  expect(shownParts(parts, 2)).toEqual({
    tenths: -30,
    parts: [
      { part: 'criterion', criterion: 'a', tenths: -50 },
      { part: 'criterion', criterion: 'b', tenths: 30 },
      { part: 'others', criterion: '', tenths: -10 },
    ],
  });
});

test('whatever the parts are, what is shown adds up to the digit, and no row is off by a tenth', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 12 }),
      (points, most) => {
        const parts = points.map((one, index) => criterion(`c${index}`, one));
        const { tenths, parts: rows } = shownParts(parts, most);
        expect(rows.reduce((sum, row) => sum + row.tenths, 0)).toBe(tenths);
        expect(tenths).toBe(Math.round(points.reduce((sum, one) => sum + one, 0) * 1000) + 0);
        for (const row of rows.filter(({ part }) => part === 'criterion'))
          expect(Math.abs(row.tenths - (points[Number(row.criterion.slice(1))] ?? 0) * 1000)).toBeLessThan(1.001);
      },
    ),
  );
});
