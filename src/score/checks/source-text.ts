/** A text that specifics may come from: whether it holds a number, a date, an id or a name, in the forms in which people write them. */
import type { Specific } from './specifics.ts';

const SOURCE_TEXT_MAX = 1_000_000;

export class SourceText {
  readonly #text: string;
  #numbers: ReadonlySet<string> | undefined;

  constructor(texts: readonly string[]) {
    this.#text = texts.join('\n').slice(0, SOURCE_TEXT_MAX).toLowerCase().replaceAll('’', "'");
  }

  /** What it says in numbers. */
  get numbers(): ReadonlySet<string> {
    this.#numbers ??= numbersIn(this.#text);
    return this.#numbers;
  }

  explains(specific: Specific): boolean {
    switch (specific.kind) {
      case 'number':
        return specific.forms.some((form) => this.numbers.has(form));
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

/** 3/2 is not in 13/24. Where it is one word that goes on, as in March 2nd, it is there. */
function hasWhole(text: string, form: string): boolean {
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    if (!isDigit(text[at - 1]) && !isDigit(text[at + form.length])) return true;
  }
  return false;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

/** Without leading zeros and separators of thousands, so that 09:30 holds 9 and 30, and 1,200 is 1200. */
function numbersIn(text: string): ReadonlySet<string> {
  const numbers = new Set<string>();
  for (const [digits] of text.matchAll(/\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+/g)) {
    numbers.add(plainNumber(digits));
    for (const part of digits.split(/[.,]/)) numbers.add(plainNumber(part));
  }
  return numbers;
}

function plainNumber(digits: string): string {
  return digits.replaceAll(',', '').replace(/^0+(?=\d)/, '');
}
