/**
 * Dates that follow from words for a day: "tomorrow" and "next Friday" name a date once the date of today is known.
 * Today is what the instructions or a tool say it is. If neither says it, the agent knew it in another way, and any
 * date may be the one that was meant.
 */
import type { DayWords } from './language-words.ts';
import { inAnyLanguage, wordTest } from './languages.ts';

const DAY_MS = 86_400_000;
/** "Next Friday" is this week's to some, and next week's to others. */
const WEEKDAY_WITHIN_DAYS = 15;
const PERIOD_WITHIN_DAYS = 62;
const TEXT_READ_MAX = 20_000;

const TODAY = dayTest('today');
const TOMORROW = dayTest('tomorrow');
const AFTER_TOMORROW = dayTest('afterTomorrow');
const YESTERDAY = dayTest('yesterday');
const PERIOD = dayTest('period');
const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6].map((day) => wordTest(({ days }) => days.weekdays.split(' ')[day] ?? ''));
const DATE_IS = inAnyLanguage(({ days }) => days.dateIs);
const SAYS_TODAY = new RegExp(`(?:${DATE_IS})[^\\n]{0,40}?(\\d{4})-(\\d{2})-(\\d{2})`, 'gu');
const DATE = /(\d{4})-(\d{2})-(\d{2})/g;

interface Texts {
  /** The user's words, in lower case. */
  readonly said: string;
  /** Instructions and results of tools, in lower case. */
  readonly known: string;
  /** Results of tools that tell the time, in lower case. */
  readonly told: string;
}

/** `date` as 2026-03-04. */
export function isMeantByWords(date: string, { said, known, told }: Texts): boolean {
  const words = said.slice(-TEXT_READ_MAX);
  if (!isAny(words)) return false;
  const todays = [...datesIn(known, SAYS_TODAY), ...datesIn(told, DATE)];
  const day = Date.parse(date);
  return todays.length === 0 || todays.some((today) => isNamed(Math.round((day - today) / DAY_MS), day, words));
}

function isAny(words: string): boolean {
  return [TODAY, TOMORROW, AFTER_TOMORROW, YESTERDAY, PERIOD, ...WEEKDAYS].some((test) => test.test(words));
}

/** Spans end on the day after, or a week later, as people stay. */
function isNamed(offset: number, day: number, words: string): boolean {
  if (offset >= -1 && offset <= 1 && TODAY.test(words)) return true;
  if ((offset === 1 || offset === 2) && TOMORROW.test(words)) return true;
  if ((offset === 2 || offset === 3) && AFTER_TOMORROW.test(words)) return true;
  if (offset === -1 && YESTERDAY.test(words)) return true;
  const weekday = WEEKDAYS[new Date(day).getUTCDay()];
  if (Math.abs(offset) <= WEEKDAY_WITHIN_DAYS && weekday?.test(words)) return true;
  return Math.abs(offset) <= PERIOD_WITHIN_DAYS && PERIOD.test(words);
}

function datesIn(text: string, pattern: RegExp): readonly number[] {
  return [...text.slice(0, TEXT_READ_MAX).matchAll(pattern)]
    .map(([, year, month, day]) => Date.parse(`${year}-${month}-${day}`))
    .filter((ms) => !Number.isNaN(ms));
}

function dayTest(part: keyof DayWords): RegExp {
  return wordTest(({ days }) => days[part]);
}
