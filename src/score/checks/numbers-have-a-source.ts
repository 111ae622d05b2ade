/**
 * Do the numbers come from somewhere? Numbers, dates and numbered ids of the answer must occur in what the user said,
 * in what tools and retrievals gave, or in the messages that the model was shown. The same holds for the arguments of
 * calls that change something; they may also follow from it in their own unit (`argument-numbers.ts`). Numbers that
 * follow from others in the answer are worked out, not made up (`derived-number.ts`). Single digits count what is
 * there, and are accepted.
 *
 * Where no tool gave any fact, an agent may know numbers of the world: then only ids and numbers of six digits and more
 * are looked at. Needs no language. In a suite of scope turn it takes the messages that the model was shown: what was
 * said earlier is only there.
 */
import { z } from 'zod';
import type { Content } from '../../model/step.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { notApplicable } from '../answer.ts';
import { messagesShownTo, resultsBefore, userMessages } from '../earlier-messages.ts';
import { toExcerpt } from '../sentences.ts';
import type { Subject } from '../subject.ts';
import { type ArgumentSpecific, ArgumentSources, specificsOfArguments } from './argument-numbers.ts';
import { builtInCheck } from './built-in-check.ts';
import { columnTotals } from './column-totals.ts';
import { isMeantByWords } from './day-words.ts';
import { DerivedNumbers, isMultiple, isToldAs } from './derived-number.ts';
import { SourceText } from './source-text.ts';
import { numberedIn, type Specific } from './specifics.ts';

const SPECIFICS_MAX = 100;
const MADE_UP_ID = /\d{5}/;
const MADE_UP_NUMBER = /^\d{6,}$/;

export const numbersHaveASource = builtInCheck({
  summary: 'numbers in the answer and in the arguments of calls that change something come from somewhere',
  params: z.strictObject({}),
  needs: ['tool_results'],
  make: () => (subject) => {
    const { turn, turnId } = subject;
    if (turnId !== undefined && messagesShownTo(turn).length === 0) {
      return notApplicable(
        'What was said before this turn is not known: the messages that the model was shown were not recorded.',
      );
    }
    // To put together what was known takes far longer than to see that nothing needs a source, as in most answers.
    if (!needsSource(subject)) return { pass: true, reason: 'Every number comes from somewhere.' };
    const known = knownTexts(subject);
    const hasFacts = known.facts.length > 0;
    const given = new SourceText([...known.said, ...known.facts]);
    const isDoubtful = (specific: Specific) => isLookedAt(specific, { hasFacts }) && !given.explains(specific);
    const writes = subject.toolCalls.filter(
      ({ name, args }) => args.state === 'whole' && namesNumbersIn(args) && subject.effectOf(name) === 'writes',
    );
    const follows = writes.length === 0 ? undefined : followingFrom(given, known, subject);
    for (const call of writes) {
      const made = specificsOfArguments(call.args)
        .slice(0, SPECIFICS_MAX)
        .find(
          (one) =>
            isDoubtful(one.specific) &&
            !isOf(one.specific, given.values, isMultiple) &&
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
      (one) => isDoubtful(one) && !fromCalls.explains(one) && !isOf(one, given.values, isToldAs),
    );
    const derived = derivedNumbers(told, doubtful);
    const totals = doubtful.length === 0 ? [] : [...columnTotals(resultsOf(subject))];
    const made = doubtful.find(
      (one) => one.kind !== 'number' || !(derived.has(numberOf(one)) || isOf(one, totals, isTotal)),
    );
    if (made === undefined) return { pass: true, reason: 'Every number comes from somewhere.' };
    const evidence = [turn.steps.findLast(({ kind }) => kind === 'llm')?.spanId];
    return {
      pass: false,
      reason: `Nothing in the conversation or the tool results says "${toExcerpt(made.text)}".`,
      evidence,
    };
  },
});

const TOLD = {};

/** By the answer. */
function toldIn(subject: Subject): readonly Specific[] {
  const { state, text } = subject.turn.finalAnswer;
  return subject.once(TOLD, () => (state === 'whole' ? numberedIn(text).slice(0, SPECIFICS_MAX) : []));
}

function needsSource(subject: Subject): boolean {
  if (areNumbers(toldIn(subject))) return true;
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
    one.specific.kind === 'date' ? isMeantByWords(one.specific.text, days) : sources.explains(one, args);
}

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

/** From those of the answer that are known. Most answers have no other, and nothing is worked out. */
function derivedNumbers(told: readonly Specific[], doubtful: readonly Specific[]): DerivedNumbers {
  const numbers = told.filter(({ kind }) => kind === 'number');
  const derived = new DerivedNumbers(numbers.filter((one) => !doubtful.includes(one)).map(numberOf));
  if (doubtful.length > 0) derived.learn(numbers.filter((one) => doubtful.includes(one)).map(numberOf));
  return derived;
}

function isOf(specific: Specific, known: readonly number[], is: (number: number, value: number) => boolean): boolean {
  const value = numberOf(specific);
  if (specific.kind !== 'number' || !Number.isFinite(value) || value === 0) return false;
  return known.some((number) => is(number, value));
}

/** Sums are told rounded to cents. */
function isTotal(total: number, value: number): boolean {
  return Math.abs(total - value) < TOTAL_EXACT;
}

const TOTAL_EXACT = 0.0051;

function numberOf({ forms }: Specific): number {
  return Number(forms[0]);
}
