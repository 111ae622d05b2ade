/**
 * Checks that a call which changed something has no value that contradicts the user's own words:
 *
 *     "Cancel order 4471"           cancel_order({order_id: "4417"})
 *     "at 20:15"                    reserve_table({time: "21:15"})
 *     "for 8 people"                reserve_table({people: 6})
 *
 * Two things must come together. Nobody said the value of the argument, and no tool gave it before. And the user gave a value of the same
 * kind that no call was made with: an id or a number of the same form, an address, a date, a time, or a number with the same unit. A value
 * alone that nobody said is what `numbers_have_a_source` asks about.
 */
import type { Json } from '../../model/json.ts';
import type { ToolCall } from '../../model/turn.ts';
import { notApplicable } from '../subject/answer.ts';
import { messagesShownTo, resultsBefore } from '../subject/earlier-messages.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { readingsOf } from '../subject/written-number.ts';
import { builtInCheck } from './built-in-check.ts';
import { numbersInWords } from '../../language/number-words.ts';
import { SourceText } from './source-text.ts';
import { numberedIn } from './specifics.ts';

const REQUEST_READ_MAX = 4000;
const SAID_MAX = 40;
const VALUES_MAX = 100;
/** Changes that are compared: for each of them all that was known before is read. */
const CHANGES_MAX = 50;

interface Contradiction {
  readonly call: ToolCall;
  /** Name of the argument. */
  readonly name: string;
  readonly value: string;
  readonly said: string;
}

export const argumentsAsAsked = builtInCheck({
  summary: 'no call that changed something has a value that contradicts the words of the user',
  needs: ['user_input', 'tools'],
  make: () => (subject) => {
    if (!subject.toolCalls.some(({ name }) => subject.effectOf(name) === 'writes')) return NOTHING_CHANGED;
    if (subject.turnId !== undefined && messagesShownTo(subject.turn).length === 0) return EARLIER_NOT_KNOWN;
    const found = contradictionIn(subject);
    if (found === undefined) return { pass: true, reason: 'No contradiction to the words of the user was found.' };
    const { call, name, value, said } = found;
    return {
      pass: false,
      reason: `${toExcerpt(call.name)} was called with ${toExcerpt(name)} ${toExcerpt(value)}, and the user said "${toExcerpt(said)}".`,
      evidence: [call.spanId ?? call.requestedBy],
    };
  },
});

const NOTHING_CHANGED = notApplicable('Nothing was changed.');
const EARLIER_NOT_KNOWN = notApplicable(
  'What was said before this turn is not known: the messages that the model was shown were not recorded.',
);
const KEY = {};

export function contradictionIn(subject: Subject): Contradiction | undefined {
  return subject.once(KEY, () => find(subject)) as Contradiction | undefined;
}

function find(subject: Subject): Contradiction | undefined {
  const { turn, toolCalls } = subject;
  const request = turn.userInput.text.slice(0, REQUEST_READ_MAX).toLowerCase();
  if (!/[\d@]/.test(request)) return undefined;
  const changes = toolCalls.filter(
    (call) => call.args.state === 'whole' && subject.effectOf(call.name) === 'writes' && !subject.hasFailed(call),
  );
  if (changes.length === 0) return undefined;
  const called = toolCalls.map(({ args }) => args.text.toLowerCase()).join('\n');
  const numbersCalled = new Set(
    toolCalls.flatMap(({ args }) => valuesIn(args.json).flatMap(({ value }) => readings(value))),
  );
  const unused = saidIn(request).filter((said) => !isUsed(said, called, numbersCalled));
  if (unused.length === 0) return undefined;
  for (const call of changes.slice(0, CHANGES_MAX)) {
    let known: Known | undefined;
    for (const argument of valuesIn(call.args.json)) {
      const said = unused.find((one) => isOfKind(argument, one));
      if (said === undefined) continue;
      known ??= knownBefore(call, subject);
      if (!isKnown(argument, known)) return { call, name: argument.name, value: argument.value, said: said.text };
    }
  }
  return undefined;
}

type Kind = 'address' | 'date' | 'time' | 'id' | 'amount';

interface Said {
  readonly kind: Kind;
  readonly text: string;
  /** Word behind a number, or `money`. */
  readonly unit?: string;
}

const ADDRESS = /[a-z\d][\w.+-]{0,60}@[a-z\d][a-z\d-]{0,60}(?:\.[a-z\d-]{1,40}){1,4}/g;
const DATE = /(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])/g;
const TIME = /(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])/g;
/** A word with a digit: letters and digits, a version, or four digits and more. */
const ID =
  /(?<![\w.,@$€£:/-])#?(?:[a-z]{1,6}-?\d{2,12}|\d{1,4}(?:\.\d{1,4}){2,3}|\d{4,16})(?![\w@%€]|[.,:]\d| ?(?:euros?|dollars?|eur|usd|gbp|chf)\b)/g;
const AMOUNT =
  /(?<![\w.,:/-])([$€£]) ?(\d[\d.,]{0,12})|(?<![\w.,:/#-])(\d[\d.,]{0,12}?)(?: ?([$€£%])| ([\p{L}°]{1,20}))(?![\d])/gu;

function saidIn(request: string): readonly Said[] {
  const found: Said[] = [];
  for (const [text] of request.matchAll(ADDRESS)) found.push({ kind: 'address', text: text.replace(/\.$/, '') });
  for (const [text] of request.matchAll(DATE)) found.push({ kind: 'date', text });
  for (const [text] of request.matchAll(TIME)) found.push({ kind: 'time', text });
  for (const [text] of request.matchAll(ID)) found.push({ kind: 'id', text: text.replace('#', '') });
  for (const [, before, money, number, behind, word] of request.matchAll(AMOUNT)) {
    const written = (money ?? number ?? '').replace(/[.,]+$/, '');
    const unit = before !== undefined || (behind !== undefined && behind !== '%') ? 'money' : (word ?? '%');
    if (written !== '') found.push({ kind: 'amount', text: written, unit: MONEY.test(unit) ? 'money' : unit });
  }
  return found.slice(0, SAID_MAX);
}

const MONEY = /^(?:money|euros?|eur|dollars?|usd|pounds?|gbp|francs?|chf|yen|pesos?|reais|bucks)$/;

interface Argument {
  readonly name: string;
  readonly value: string;
}

function valuesIn(json: Json): readonly Argument[] {
  const values: Argument[] = [];
  const read = (value: Json, name: string, depth: number): void => {
    if (values.length >= VALUES_MAX || depth > 6) return;
    if (typeof value === 'string' || typeof value === 'number')
      values.push({ name, value: String(value).toLowerCase().trim() });
    else if (Array.isArray(value)) for (const one of value as readonly Json[]) read(one, name, depth + 1);
    else if (typeof value === 'object' && value !== null)
      for (const [member, one] of Object.entries(value as Readonly<Record<string, Json>>)) read(one, member, depth + 1);
  };
  read(json, '', 0);
  return values;
}

function isOfKind({ name, value }: Argument, said: Said): boolean {
  if (value.length > 80 || value === said.text) return false;
  switch (said.kind) {
    case 'address':
      return /^[^\s@]+@[^\s@]+$/.test(value) && isNear(value, said.text);
    case 'date':
      return /^\d{4}-\d{2}-\d{2}(?:$|t)/.test(value);
    case 'time':
      return /^(?:[01]?\d|2[0-3]):[0-5]\d(?::00)?$/.test(value);
    case 'id':
      return shapeOf(value) === shapeOf(said.text);
    case 'amount':
      return /^\d+(?:\.\d+)?$/.test(value) && isOfUnit(name.toLowerCase(), said.unit ?? '');
  }
}

/** Shape of an id: its letters, and a mark for each digit. */
function shapeOf(id: string): string {
  return id
    .replace(/^#/, '')
    .replace(/^v(?=\d)/, '')
    .replaceAll(/\d/g, '9');
}

/** Differs in one or two places, as a slip does. */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 2) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return Math.max(one.length, other.length) - start - end <= 2;
}

const OF_MONEY = /(?:^|_)(?:amount|price|sum|total|value|refund|payment)(?:_|$)/;
/** Each line is one unit. */
const UNITS = [
  /(?:people|persons?|guests?|party|seats|covers|pax|adults|passengers|travell?ers|personen|gäste|personas|personnes|pessoas)/,
  /(?:celsius|fahrenheit|temperature|temp|degrees?|grad|°|grados|degrés|graus)/,
  /(?:nights?|nächte|noches|nuits|noites)/,
  /(?:replicas?|instances?|nodes?|pods|workers)/,
  /(?:quantity|qty|pieces|units|items|tickets|copies|stück|licen[cs]es)/,
];

function isOfUnit(name: string, unit: string): boolean {
  if (unit === 'money') return OF_MONEY.test(name);
  return UNITS.some((one) => one.test(name) && one.test(unit));
}

/** True if an argument of any call has it, as text, in the other notation of a time, or in minor units. */
function isUsed({ kind, text }: Said, called: string, numbers: ReadonlySet<string>): boolean {
  if (kind === 'amount')
    return readings(text).some((number) => [number, String(Number(number) * 100)].some((one) => numbers.has(one)));
  if (kind === 'time') return timesAs(text).some((time) => called.includes(time));
  return called.includes(text) || called.includes(text.replaceAll('-', ''));
}

/** 8:15 is 08:15, and may be 20:15. */
function timesAs(text: string): readonly string[] {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  const minutes = String(minute).padStart(2, '0');
  return [hour, hour + 12, hour - 12]
    .filter((one) => one >= 0 && one < 24)
    .flatMap((one) => [`${one}:${minutes}`, `${String(one).padStart(2, '0')}:${minutes}`]);
}

function readings(written: string): readonly string[] {
  return /^\d[\d.,]*$/.test(written) ? [...readingsOf(written)] : [];
}

interface Known {
  readonly text: string;
  readonly source: SourceText;
  readonly numbers: readonly number[];
}

/** All that was said, and all that tools gave before the call; its own result says nothing about what was wanted. */
function knownBefore(call: ToolCall, subject: Subject): Known {
  const { turn, toolCalls, steps, state } = subject;
  const said = messagesShownTo(turn).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );
  const texts = [
    turn.userInput.text,
    ...steps.map(({ systemInstructions }) => systemInstructions ?? '').slice(0, 1),
    ...said,
    ...resultsBefore(turn).map(({ text }) => text),
    ...toolCalls.slice(0, toolCalls.indexOf(call)).map(({ result, error }) => error?.message ?? result.text),
    ...steps.filter(({ kind }) => kind === 'retrieval' || kind === 'memory').map(({ output }) => output.text),
    ...(state === undefined ? [] : [JSON.stringify(state)]),
  ];
  const source = new SourceText(texts);
  const words = numbersInWords(turn.userInput.text.slice(0, REQUEST_READ_MAX).toLowerCase());
  return { text: texts.join('\n').toLowerCase(), source, numbers: [...source.values.slice(0, SAID_MAX), ...words] };
}

function isKnown({ value }: Argument, { text, source, numbers }: Known): boolean {
  const isShortNumber = /^\d{1,6}(?:\.\d+)?$/.test(value);
  if (isShortNumber ? source.numbers.has(value) : text.includes(value)) return true;
  if (/^\d{4}-\d{2}-\d{2}/.test(value)) return numberedIn(value.slice(0, 10)).every((one) => source.explains(one));
  if (/^\d{1,2}:\d{2}/.test(value)) return timesAs(value).some((time) => text.includes(time));
  if (!/^\d+(?:\.\d+)?$/.test(value)) return false;
  const number = Number(value);
  if (value.length < 7 && numbers.includes(number)) return true;
  return value.length < 4 && isDerived(number, numbers);
}

/** Derives a number from two of the user's, as three of eight are five; not from one by an arbitrary factor. */
function isDerived(value: number, numbers: readonly number[]): boolean {
  return numbers.some((a, at) =>
    numbers.some(
      (b, other) => other !== at && [a + b, a - b, (a * b) / 100].some((result) => Math.abs(result - value) < 0.005),
    ),
  );
}
