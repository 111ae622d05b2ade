/**
 * Whether a number was worked out from others: their sum, difference, product, quotient, mean or percentage. One of them with a percentage
 * added or taken off, a multiple or a part of it, rounded or told in cents, is worked out as well. Results may be used in further steps: 15 % off 200
 * are 30, which leaves 170.
 *
 * Many numbers can be made of a few, so only those that are named together are combined.
 */

const TERMS_MAX = 30;
const TIMES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const EXACT = 0.005;

/** Numbers of one text that are known, and those that can be worked out from them. */
export class DerivedNumbers {
  readonly #terms: number[];

  constructor(known: readonly number[]) {
    this.#terms = known.filter((term) => term !== 0).slice(0, TERMS_MAX);
  }

  /** Results that were worked out are known from then on. */
  learn(values: readonly number[]): void {
    let open = values;
    for (let before = Number.POSITIVE_INFINITY; open.length < before; ) {
      before = open.length;
      open = open.filter((value) => !this.#take(value));
    }
  }

  has(value: number): boolean {
    const terms = this.#terms;
    const is = (result: number) => Math.abs(result - value) < EXACT;
    const sum = terms.reduce((all, term) => all + term, 0);
    if (terms.includes(value) || is(sum) || isRoundedTo(sum / terms.length, value)) return true;
    return terms.some(
      (a, at) =>
        isToldAs(a, value) ||
        isMultiple(a, value) ||
        isMultiple(value, a) ||
        terms.some((b, other) => other !== at && (COMBINED.some((make) => is(make(a, b))) || isPercent(a, b, value))),
    );
  }

  #take(value: number): boolean {
    if (this.#terms.length >= TERMS_MAX || !this.has(value)) return false;
    if (!this.#terms.includes(value)) this.#terms.push(value);
    return true;
  }
}

/** Operations on two numbers; both orders are tried. */
const COMBINED: readonly ((a: number, b: number) => number)[] = [
  (a, b) => a + b,
  (a, b) => a - b,
  (a, b) => a * b,
  (a, b) => a / b,
  (a, b) => (a + b) / 2,
  (a, b) => (a * b) / 100,
  // Ten per cent off, or added; as a rate or as a percentage.
  (a, b) => a * (1 - b / 100),
  (a, b) => a * (1 + b / 100),
  (a, b) => (b < 1 ? a * (1 - b) : Number.NaN),
  (a, b) => (b < 1 ? a * (1 + b) : Number.NaN),
];

/** Two passengers at 120 are 240. */
export function isMultiple(term: number, value: number): boolean {
  return TIMES.some((times) => Math.abs(term * times - value) < EXACT);
}

/** The amount as people write it: 12.7 minutes are about 13, and 1999 cents are 19.99. */
export function isToldAs(term: number, value: number): boolean {
  const isRounded = !Number.isInteger(term) && Math.round(term) === value;
  const isRate = term > 0 && term < 1 && Math.abs(term * 100 - value) < EXACT;
  const isInCents = Number.isInteger(term) && term >= 100 && term === Math.round(value * 100);
  return isRounded || isInCents || isRate;
}

/** A mean, rounded to as many decimals as were written: 22.333 is 22.3 and 22.33. */
export function isRoundedTo(exact: number, value: number): boolean {
  const unit = Number.isInteger(value) ? 1 : Number.isInteger(Math.round(value * 1000) / 100) ? 0.1 : 0.01;
  return Math.abs(exact - value) <= unit / 2 + ROUNDING;
}

const ROUNDING = 0.0001;

/** A share or a change in per cent, rounded. */
function isPercent(part: number, whole: number, value: number): boolean {
  const exact = Number.isInteger(value) ? 0.5 : 0.05;
  const is = (percent: number) => Math.abs(percent - value) <= exact;
  return value <= 100 && (is((100 * part) / whole) || is(Math.abs((100 * (part - whole)) / whole)));
}
