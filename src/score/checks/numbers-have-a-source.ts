/**
 * Do the numbers come from somewhere? Numbers, dates and numbered ids of the answer must occur in what the user said,
 * in what tools and retrievals gave, or in the messages that the model was shown. The same holds for the arguments of
 * calls that change something; they may also follow from it in their own unit (`argument-numbers.ts`). Numbers that
 * follow from others in the answer are worked out, not made up (`derived-number.ts`). Single digits count what is
 * there, and are accepted unless they name a thing (`named-digit.ts`).
 *
 * Where no tool gave any fact, an agent may know numbers of the world: then only ids and numbers of six digits and more
 * are looked at. Needs no language. In a suite of scope turn it takes the messages that the model was shown: what was
 * said earlier is only there.
 */
import type { Content } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { notApplicable } from '../subject/answer.ts';
import { messagesShownTo, resultsBefore, userMessages } from '../subject/earlier-messages.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { contradictionIn } from './arguments-as-asked.ts';
import { type ArgumentSpecific, ArgumentSources, specificsOfArguments } from './argument-numbers.ts';
import { builtInCheck } from './built-in-check.ts';
import { columnTotals } from './column-totals.ts';
import { isMeantByWords } from '../../language/day-words.ts';
import { standingFailure } from './failed-calls.ts';
import { namedDigitsIn } from './named-digit.ts';
import { numbersInWords } from '../../language/number-words.ts';
import { DerivedNumbers, isMultiple, isRoundedTo, isToldAs } from './derived-number.ts';
import { percentagesIn, restOf } from './percent-rest.ts';
import { SourceText } from './source-text.ts';
import { numberedIn, type Specific } from './specifics.ts';

const SPECIFICS_MAX = 100;
const MADE_UP_ID = /\d{5}/;
const MADE_UP_NUMBER = /^\d{6,}$/;

export const numbersHaveASource = builtInCheck({
  summary: 'numbers in the answer and in the arguments of calls that change something come from somewhere',
  needs: ['tools', 'tool_results'],
  make: () => (subject) => {
    const { turn, turnId } = subject;
    if (turnId !== undefined && messagesShownTo(turn).length === 0) {
      return notApplicable(
        'What was said before this turn is not known: the messages that the model was shown were not recorded.',
      );
    }
    // Fast path: gathering what was known takes far longer than seeing that nothing needs a source, as in most answers.
    if (!needsSource(subject)) return NONE_MADE_UP;
    const known = knownTexts(subject);
    const hasFacts = known.facts.length > 0;
    const given = new SourceText([...known.said, ...known.facts]);
    const isDoubtful = (specific: Specific) => isLookedAt(specific, { hasFacts }) && !given.explains(specific);
    const writes = subject.toolCalls.filter(
      ({ name, args }) => args.state === 'whole' && namesNumbersIn(args) && subject.effectOf(name) === 'writes',
    );
    const follows = writes.length === 0 ? undefined : followingFrom(given, known, subject);
    const few = fewNumbers(subject);
    const asked = subject.userInput.slice(0, TEXT_READ_MAX).toLowerCase();
    for (const call of writes) {
      // Another criterion says of it that it contradicts the user.
      if (contradictionIn(subject)?.call === call) continue;
      const made = specificsOfArguments(call.args)
        .slice(0, SPECIFICS_MAX)
        .find(
          (one) =>
            isDoubtful(one.specific) &&
            !isOf(one.specific, given.values, isMultiple) &&
            !isOf(one.specific, few, isSumWith([...few, ...numbersInWords(asked)])) &&
            follows?.(one, call.args.text) !== true,
        )?.specific;
      if (made !== undefined) {
        const reason = `Nothing before says "${toExcerpt(made.text)}", with which ${toExcerpt(call.name)} was called.`;
        return { pass: false, reason, evidence: [call.spanId ?? call.requestedBy] };
      }
    }
    const told = toldIn(subject);
    const fromCalls = new SourceText(subject.toolCalls.map(({ args }) => args.text));
    const doubtful = told.filter(
      (one) =>
        isDoubtful(one) && !fromCalls.explains(one) && !isOf(one, given.values, isToldAs) && !given.hasEnding(one.text),
    );
    const derived = derivedNumbers(told, doubtful, few.filter(isTelling));
    const totals = doubtful.length === 0 ? [] : [...columnTotals(resultsOf(subject))];
    const isKnown = (one: Specific) =>
      !doubtful.includes(one) || derived.has(numberOf(one)) || isOf(one, totals, isTotal);
    const shares = doubtful.length === 0 ? undefined : percentagesIn([turn.finalAnswer.text]);
    // Percentages of the facts, read once because facts are long.
    let ofFacts: ReadonlySet<number> | undefined;
    const isRest = (one: Specific) => {
      const rest = restOf(numberOf(one));
      if (shares?.has(numberOf(one)) !== true) return false;
      ofFacts ??= percentagesIn(known.facts);
      if (ofFacts.has(rest)) return true;
      return shares.has(rest) && told.some((other) => numberOf(other) === rest && isKnown(other));
    };
    const made =
      doubtful.find((one) => one.kind !== 'number' || !(isKnown(one) || isRest(one))) ??
      namedDigits(subject).find(
        (one) => isDoubtful(one) && !fromCalls.explains(one) && !numbersInWords(asked).includes(numberOf(one)),
      );
    if (made === undefined) return NONE_MADE_UP;
    const evidence = [turn.steps.findLast(({ kind }) => kind === 'llm')?.spanId];
    return {
      pass: false,
      reason: `Nothing in the conversation or the tool results says "${toExcerpt(made.text)}".`,
      evidence,
    };
  },
});

const NONE_MADE_UP = { pass: true, reason: 'No number without a source was found.' };

const TOLD = {};
const GROUPED = /(?<![\w.,-])(?:\+ ?)?\(?[A-Z]{0,2}\d{1,5}\)?(?:[ /-]\(?\d{2,8}\)?){1,6}(?![\d.,]*\d)/g;
const GROUPED_DIGITS_MIN = 7;

/**
 * Numbers of the answer. One that admits a failed tool has numbers of what the user can do next, which have no source.
 */
function toldIn(subject: Subject): readonly Specific[] {
  const { state, text } = subject.turn.finalAnswer;
  return subject.once(TOLD, () =>
    state === 'whole' && /\d/.test(text) && standingFailure(subject)?.telling.is !== 'admitted'
      ? numberedIn(text.slice(0, TEXT_READ_MAX).replace(GROUPED, withoutPhone)).slice(0, SPECIFICS_MAX)
      : [],
  );
}

function namedDigits(subject: Subject): readonly Specific[] {
  const { state, text } = subject.turn.finalAnswer;
  const named = state === 'whole' ? namedDigitsIn(text.slice(0, TEXT_READ_MAX)) : [];
  return named.length > 0 && standingFailure(subject)?.telling.is === 'admitted' ? [] : named;
}

const TEXT_READ_MAX = 20_000;

/** Numbers to call, and others that are written in groups: "+43 1 204 8800", "AT61 1904 3002". A date in digits has fewer groups of two. */
function withoutPhone(written: string): string {
  const digits = written.replaceAll(/\D/g, '').length;
  return digits >= GROUPED_DIGITS_MIN && !/^\d{4}-\d\d-\d\d$/.test(written) ? ' ' : written;
}

const FEW_MAX = 14;
const FEW = {};
/** Parts of a date are no amounts to calculate with. */
const DATE_IN_DIGITS = /(?<![\w-])\d{4}-\d\d-\d\d(?![\d-])/g;

/** Numbers of the request and of the results of the turn. None where there are many: of many, any number can be made. */
function fewNumbers(subject: Subject): readonly number[] {
  return subject.once(FEW, () => {
    const { userInput, toolCalls } = subject;
    const results = toolCalls.filter((call) => !subject.hasFailed(call)).map(({ result }) => result.text);
    const source = new SourceText([userInput, ...results].map((text) => text.replace(DATE_IN_DIGITS, ' ')));
    return source.values.length > FEW_MAX ? [] : source.wholeValues;
  });
}

/** Small whole numbers are parts of times and counts: of them, any number can be made. */
function isTelling(value: number): boolean {
  return value >= 10 || !Number.isInteger(value);
}

/** 18 and "two degrees warmer" are 20. */
function isSumWith(few: readonly number[]): (number: number, value: number) => boolean {
  return (number, value) => few.some((other) => number + other === value || number - other === value);
}

function needsSource(subject: Subject): boolean {
  if (areNumbers(toldIn(subject)) || namedDigits(subject).length > 0) return true;
  return subject.toolCalls.some(
    ({ name, args }) => args.state === 'whole' && namesNumbersIn(args) && subject.effectOf(name) === 'writes',
  );
}

function namesNumbersIn(args: Content): boolean {
  return /\d/.test(args.text) && areNumbers(specificsOfArguments(args).map(({ specific }) => specific));
}

function areNumbers(specifics: readonly Specific[]): boolean {
  return specifics.slice(0, SPECIFICS_MAX).some((specific) => isLookedAt(specific, { hasFacts: true }));
}

/** Whether an argument follows from what is known, in its own unit. */
function followingFrom(given: SourceText, { said, facts, instructions }: KnownTexts, subject: Subject) {
  const asked = [...subject.turns.map(({ userInput }) => userInput.text), ...userMessages(subject.turn)];
  const words = said.map((text) => text.toLowerCase());
  const sources = new ArgumentSources(
    given,
    words,
    subject.toolCalls.map(({ args }) => args.text),
  );
  const days = {
    said: asked.join('\n').toLowerCase(),
    known: [instructions, ...facts].join('\n').toLowerCase(),
    told: subject.toolCalls
      .flatMap(({ name, result }) => (TELLS_TIME.test(name) ? [result.text] : []))
      .join('\n')
      .toLowerCase(),
  };
  return (one: ArgumentSpecific, args: string): boolean =>
    one.specific.kind === 'date'
      ? isMeantByWords(one.specific.text, days) || isDayOfMonthSaid(one.specific.text, days.said)
      : sources.explains(one, args);
}

/** "From the 3rd to the 5th of June". */
function isDayOfMonthSaid(date: string, said: string): boolean {
  const month = MONTHS[Number(date.slice(5, 7)) - 1];
  return (
    month !== undefined &&
    said.includes(month) &&
    new RegExp(`(?<!\\d)0?${Number(date.slice(8, 10))}(?!\\d)`).test(said)
  );
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TELLS_TIME = /(?:^|_)(?:now|today|date|time|datetime|clock|calendar)(?:_|$)/i;

function isLookedAt({ kind, text }: Specific, { hasFacts }: { readonly hasFacts: boolean }): boolean {
  switch (kind) {
    case 'number':
      return hasFacts || MADE_UP_NUMBER.test(text);
    case 'date':
      return hasFacts;
    case 'id':
      return MADE_UP_ID.test(text) && !text.includes('/') && !text.includes('@');
    case 'month':
    case 'name':
      return false;
  }
}

interface KnownTexts {
  readonly said: readonly string[];
  readonly instructions: string;
  /** Results of tools and retrievals. */
  readonly facts: readonly string[];
}

function knownTexts(subject: Subject): KnownTexts {
  const { turn, turns, toolCalls, steps, state } = subject;
  const parts = messagesShownTo(turn).flatMap((message) => message.parts);
  const instructions =
    steps.find(({ systemInstructions }) => systemInstructions !== undefined)?.systemInstructions ?? '';
  return {
    instructions: [instructions, ...instructionsShown(turn)].join('\n'),
    said: [
      instructions,
      ...turns.map(({ userInput }) => userInput.text),
      ...turns.filter((earlier) => earlier !== turn).map(({ finalAnswer }) => finalAnswer.text),
      ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ],
    facts: [
      ...toolCalls.map((call) => foundBy(call, subject)),
      ...parts.map((part) => (part.type === 'tool_result' ? part.result.text : '')),
      ...steps
        .filter(({ kind }) => kind === 'retrieval' || kind === 'rerank' || kind === 'memory')
        .map(({ output }) => output.text),
      state === undefined ? '' : JSON.stringify(state),
    ].filter((text) => text !== ''),
  };
}

/** Instructions of the system or the developer. */
function instructionsShown(turn: Turn): readonly string[] {
  return messagesShownTo(turn)
    .filter(({ role }) => role === 'system' || role === 'developer')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
}

/** Each once: the messages show those of this turn again. */
function resultsOf({ turn, toolCalls }: Subject): readonly string[] {
  return [...toolCalls.map(({ result }) => result), ...resultsBefore(turn)].map(({ text }) => text);
}

function foundBy(call: ToolCall, subject: Subject): string {
  return subject.hasFailed(call) ? (call.error?.message ?? call.result.text) : call.result.text;
}

/** From those of the answer that are known, and a few more. Most answers have no other, and nothing is worked out. */
function derivedNumbers(
  told: readonly Specific[],
  doubtful: readonly Specific[],
  few: readonly number[],
): DerivedNumbers {
  const numbers = told.filter(({ kind }) => kind === 'number');
  const known = numbers.filter((one) => !doubtful.includes(one)).map(numberOf);
  const derived = new DerivedNumbers([...new Set([...known, ...few])]);
  if (doubtful.length > 0) derived.learn(numbers.filter((one) => doubtful.includes(one)).map(numberOf));
  return derived;
}

function isOf(specific: Specific, known: readonly number[], is: (number: number, value: number) => boolean): boolean {
  const value = numberOf(specific);
  if (specific.kind !== 'number' || !Number.isFinite(value) || value === 0) return false;
  return known.some((number) => is(number, value));
}

/** Sums are rounded to cents, and means to a decimal. With many columns, almost any whole number is the mean of one. */
function isTotal(total: number, value: number): boolean {
  return Number.isInteger(value) ? Math.abs(total - value) < TOTAL_EXACT : isRoundedTo(total, value);
}

const TOTAL_EXACT = 0.0051;

function numberOf({ forms }: Specific): number {
  return Number(forms[0]);
}
