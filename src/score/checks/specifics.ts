/**
 * Finds the parts of a text that can be right or wrong to the letter: numbers, dates, months, ids and addresses, names.
 */
import { readingsOf, WRITTEN_NUMBER } from '../subject/written-number.ts';

export interface Specific {
  readonly kind: 'number' | 'date' | 'month' | 'id' | 'name';
  /** Text as it stands in the answer. */
  readonly text: string;
  /** Alternatives that a source may use: any of these, in lower case. */
  readonly forms: readonly string[];
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const WEEKDAYS = new Set(
  'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun'.split(' '),
);
/** Capitalised in the middle of a sentence, and yet no name. */
const NO_NAMES = new Set("i i'm i'll i've i'd ok am pm utc gmt faq ai id url pdf api".split(' '));
const TEXT_READ_MAX = 20_000;

/** Words with at least one digit and one letter, addresses, links. */
const ID =
  /\b(?:https?:\/\/[^\s)>\]]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{3,40})/g;
/** A date counts as a whole: its parts are small numbers, which are found anywhere. */
const DATE = /(?<![\w-])(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\w-])/g;
const NUMBER = new RegExp(String.raw`(?<![\w.])(${WRITTEN_NUMBER})(?!\w)(?:\s?(am|pm)\b)?`, 'gi');
const CAPITALISED = /\p{Lu}[\p{L}'’-]*/gu;
const LIST_MARK = /^\s*(?:\d+[.)]|[-*•])\s/gm;

export function specificsIn(written: string): readonly Specific[] {
  const { found, withoutIds } = readNumbered(written);
  for (const match of withoutIds.matchAll(CAPITALISED)) {
    const specific = nameSpecific(match[0], withoutIds.slice(0, match.index));
    if (specific !== undefined) found.set(`${specific.kind} ${specific.text}`, specific);
  }
  return [...found.values()];
}

/** Specifics with a digit, and addresses: all but months and names. */
export function numberedIn(written: string): readonly Specific[] {
  return [...readNumbered(written).found.values()];
}

function readNumbered(written: string) {
  const text = written.slice(0, TEXT_READ_MAX).replace(LIST_MARK, (mark) => ' '.repeat(mark.length));
  const found = new Map<string, Specific>();
  const add = (specific: Specific) => found.set(`${specific.kind} ${specific.text}`, specific);
  const withoutIds = text.replace(ID, (id) => {
    // "10am" is a time, "2nd" and "30min" are numbers with their unit.
    if (/^\d+(?:st|nd|rd|th|[ap]m|min|mins|h|hr|hrs|s|ms|k|x|kg|km|cm|mm|gb|mb|usd|eur)$/i.test(id)) return id;
    add({ kind: 'id', text: id, forms: [id.toLowerCase().replace(/[.,;:!?]+$/, '')] });
    return ' '.repeat(id.length);
  });
  const withoutDates = withoutIds.replace(DATE, (date, year: string, month: string, day: string) => {
    add({ kind: 'date', text: date, forms: formsOfDate(year, month, day) });
    return ' '.repeat(date.length);
  });
  for (const match of withoutDates.matchAll(NUMBER)) {
    const specific = numberSpecific(match[1] ?? '', match[2]?.toLowerCase());
    if (specific !== undefined) add(specific);
  }
  return { found, withoutIds };
}

/** How others write the same day, with or without its year. */
function formsOfDate(year: string, month: string, day: string): readonly string[] {
  const [m, d] = [String(Number(month)), String(Number(day))];
  const name = MONTHS[Number(month) - 1] ?? '';
  const named = [name, name.slice(0, 3)].flatMap((one) => [`${one} ${d}`, `${d} ${one}`, `${d}. ${one}`]);
  const ordinal = ['st', 'nd', 'rd', 'th'].flatMap((end) => [`${d}${end} of ${name}`, `${d}${end} ${name}`]);
  const numbers = [
    `${year}-${month}-${day}`,
    `${year}/${month}/${day}`,
    `${year}${month}${day}`,
    `${month}/${day}`,
    `${day}/${month}`,
    `${m}/${d}`,
    `${d}/${m}`,
    `${day}.${month}`,
    `${d}.${m}`,
  ];
  return [...numbers, ...named, ...ordinal];
}

function numberSpecific(written: string, half: string | undefined): Specific | undefined {
  if (PADDED.test(written)) return { kind: 'id', text: written, forms: paddedForms(written) };
  const forms = [...readingsOf(written)];
  if (/^\d$/.test(forms[0] ?? '')) return undefined;
  const hour = Number(forms[0]);
  if (half === 'pm' && hour < 12) forms.push(String(hour + 12));
  if (half === 'am' && hour === 12) forms.push('0');
  return { kind: 'number', text: half === undefined ? written : `${written} ${half}`, forms };
}

/** A number with zeros before it is an id: "00000001" is not "1", which is found anywhere. */
const PADDED = /^0\d{4,}$/;

function paddedForms(written: string): readonly string[] {
  const plain = written.replace(/^0+/, '');
  return plain.length < 2 ? [written] : [written, plain];
}

function nameSpecific(word: string, before: string): Specific | undefined {
  const lower = word
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/'s$|[-']+$/, '');
  if (lower.length < 2 || WEEKDAYS.has(lower) || NO_NAMES.has(lower)) return undefined;
  const month = MONTHS.findIndex((name) => name === lower || (name.slice(0, 3) === lower && lower !== 'may'));
  if (month >= 0) {
    // "May" at the start of a sentence is as likely the verb.
    if (lower === 'may' && startsSentence(before)) return undefined;
    const number = String(month + 1).padStart(2, '0');
    const forms = [
      (MONTHS[month] ?? '').slice(0, 3),
      `-${number}-`,
      `/${number}/`,
      `${number}/`,
      `.${number}.`,
      `/${month + 1}/`,
    ];
    return { kind: 'month', text: word, forms };
  }
  return startsSentence(before) ? undefined : { kind: 'name', text: word, forms: [lower] };
}

/**
 * True at the start of a text, or after the end of a sentence, a line, a quotation mark, a colon or a heading's mark.
 */
function startsSentence(before: string): boolean {
  const last = before.trimEnd().at(-1);
  return last === undefined || /[.!?:;"“”'‘([*#>–—|-]/.test(last) || /\n\s*$/.test(before.slice(-20));
}
