/**
 * Numbers as people and programs write them: 1286.4 is `1,286.40` in English, `1.286,40` in German, `1’286.40` in Zurich and `1 286,40` in Paris, with a
 * space that does not break. `1.286` is either of two numbers, and both are given.
 */

/** With marks between thousands, with a decimal comma, or with digits alone. Spaces between thousands count only where they do not break lines. */
export const WRITTEN_NUMBER =
  String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,3}(?:\.\d{3})+(?:,\d+)?(?!\d)|` +
  String.raw`\d{1,3}(?:['’\u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d+\.\d+|\d+,\d{1,2}(?![\d.])|\d+`;

const BETWEEN_THOUSANDS = /['’\u00a0\u202f]/g;
const ONE_MARK = /^(\d{1,3})[.,](\d{3})$/;

/** The likeliest first; without leading zeros, and of decimals also without those at the end. */
export function readingsOf(written: string): readonly string[] {
  const digits = written.replace(BETWEEN_THOUSANDS, '');
  const either = ONE_MARK.exec(digits);
  if (either !== null) {
    const [, whole = '', rest = ''] = either;
    const readings = [decimals(whole, rest), [whole + rest]];
    return (digits.includes('.') ? readings : readings.toReversed()).flat().map(withoutZeros);
  }
  const marks = digits.match(/[.,]/g) ?? [];
  const last = digits.search(/[.,]\d*$/);
  // A mark that occurs more than once always separates thousands.
  const isDecimal = marks.length === 1 || new Set(marks).size === 2;
  if (last < 0 || !isDecimal) return [withoutZeros(digits.replaceAll(/[.,]/g, ''))];
  return decimals(digits.slice(0, last).replaceAll(/[.,]/g, ''), digits.slice(last + 1)).map(withoutZeros);
}

/** 10.50 is 10.5, and 10.0 is 10. */
function decimals(whole: string, rest: string): readonly string[] {
  const short = rest.replace(/0+$/, '');
  return [...new Set([`${whole}.${rest}`, short === '' ? whole : `${whole}.${short}`])];
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
