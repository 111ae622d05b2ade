/** A text that specifics may come from: whether it holds a number, a date, an id or a name, in the forms in which people write them. */
import type { Specific } from './specifics.ts';
import { readingsOf, WRITTEN_NUMBER } from '../subject/written-number.ts';

const SOURCE_TEXT_MAX = 1_000_000;

export class SourceText {
  readonly #text: string;
  #numbers: ReadonlySet<string> | undefined;
  #values: readonly number[] | undefined;

  constructor(texts: readonly string[]) {
    this.#text = texts.join('\n').slice(0, SOURCE_TEXT_MAX).toLowerCase().replaceAll('’', "'");
  }

  /** Numbers in the text. */
  get numbers(): ReadonlySet<string> {
    this.#numbers ??= numbersIn(this.#text);
    return this.#numbers;
  }

  /** Numbers as values to calculate with. */
  get values(): readonly number[] {
    this.#values ??= [...this.numbers].map(Number);
    return this.#values;
  }

  /** Values as they stand, without the parts of decimals. */
  get wholeValues(): readonly number[] {
    return [...numbersIn(this.#text, { parts: false })].map(Number);
  }

  /** "The card ending in 1239" is `gift_card_7091239`. */
  hasEnding(digits: string): boolean {
    return /^\d{4}$/.test(digits) && new RegExp(`\\d{2}${digits}(?!\\d)`).test(this.#text);
  }

  /** "101,102,103" may be three numbers. */
  #hasEach(written: string): boolean {
    return /^\d+(?:,\d+)+$/.test(written) && written.split(',').every((part) => this.numbers.has(part));
  }

  explains(specific: Specific): boolean {
    switch (specific.kind) {
      case 'number':
        return specific.forms.some((form) => this.numbers.has(form)) || this.#hasEach(specific.text);
      case 'date':
        return specific.forms.some((form) => hasWhole(this.#text, form));
      case 'month':
        return specific.forms.some((form) => this.#text.includes(form));
      case 'id':
      case 'name':
        return specific.forms.some((form) => this.#text.includes(form));
    }
  }
}

/** 3/2 is not in 13/24. A word that only continues, as in March 2nd, counts as found. */
function hasWhole(text: string, form: string): boolean {
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    if (!isDigit(text[at - 1]) && !isDigit(text[at + form.length])) return true;
  }
  return false;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

const HUMAN = new RegExp(WRITTEN_NUMBER, 'g');
const PLAIN = /\d+(?:\.\d+)?/g;

/**
 * Numbers as programs write them (a comma separates the items of a list) and as people do. With their parts: 09:30
 * holds 9 and 30.
 */
function numbersIn(text: string, { parts }: { readonly parts: boolean } = { parts: true }): ReadonlySet<string> {
  const numbers = new Set<string>();
  const add = (written: string) => {
    for (const reading of readingsOf(written)) numbers.add(reading);
  };
  for (const [digits] of text.matchAll(PLAIN)) {
    add(digits);
    if (parts && digits.includes('.')) for (const part of digits.split('.')) add(part);
  }
  if (HAS_MARKS.test(text)) for (const [written] of text.matchAll(HUMAN)) if (/\D/.test(written)) add(written);
  return numbers;
}

const HAS_MARKS = /\d[,'\u00a0\u202f]\d|\d\.\d{3}(?!\d)/;
