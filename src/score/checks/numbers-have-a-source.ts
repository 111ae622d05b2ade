/**
 * Do the numbers come from somewhere? Numbers, dates and numbered ids of the answer, and of the arguments of calls that change something, must
 * occur in what the user said, in what tools and retrievals gave, or in the messages that the model was shown. A sum, a difference or a
 * multiple of numbers that the answer itself names is worked out, not made up. Single digits count what is there, and are let pass.
 *
 * Where no tool gave any fact, an agent may know numbers of the world: then only ids and numbers of six digits and more are looked at. Needs no
 * language. In a suite of scope turn it takes the messages that the model was shown: what was said earlier is only there.
 */
import { z } from 'zod';
import type { ToolCall } from '../../model/turn.ts';
import { notApplicable } from '../answer.ts';
import { messagesShownTo } from '../earlier-messages.ts';
import { toExcerpt } from '../sentences.ts';
import type { Subject } from '../subject.ts';
import { builtInCheck } from './built-in-check.ts';
import { SourceText } from './source-text.ts';
import { type Specific, specificsIn } from './specifics.ts';

const SPECIFICS_MAX = 100;
const DERIVED_FROM_MAX = 30;
const TIMES_MAX = 12;
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
    for (const call of subject.toolCalls) {
      if (subject.effectOf(call.name) !== 'writes' || call.args.state !== 'whole') continue;
      const made = specificsIn(call.args.text)
        .slice(0, SPECIFICS_MAX)
        .find((one) => isDoubtful(one) && !isMultiple(one, given.numbers));
      if (made !== undefined) {
        const reason = `Nothing before says "${toExcerpt(made.text)}", with which ${toExcerpt(call.name)} was called.`;
        return { pass: false, reason, evidence: [call.spanId ?? call.requestedBy] };
      }
    }
    const answer = turn.finalAnswer.state === 'whole' ? turn.finalAnswer.text : '';
    const told = specificsIn(answer).slice(0, SPECIFICS_MAX);
    const fromCalls = new SourceText(subject.toolCalls.map(({ args }) => args.text));
    const sourced = told.filter((one) => one.kind === 'number' && given.explains(one));
    const made = told.find((one) => isDoubtful(one) && !fromCalls.explains(one) && !isDerived(one, sourced));
    if (made === undefined) return { pass: true, reason: 'Every number comes from somewhere.' };
    const evidence = [turn.steps.findLast(({ kind }) => kind === 'llm')?.spanId];
    return {
      pass: false,
      reason: `Nothing in the conversation or the tool results says "${toExcerpt(made.text)}".`,
      evidence,
    };
  },
});

function needsSource(subject: Subject): boolean {
  const { turn, toolCalls } = subject;
  if (turn.finalAnswer.state === 'whole' && namesNumbers(turn.finalAnswer.text)) return true;
  return toolCalls.some(
    ({ name, args }) => args.state === 'whole' && namesNumbers(args.text) && subject.effectOf(name) === 'writes',
  );
}

function namesNumbers(text: string): boolean {
  if (!/\d/.test(text)) return false;
  return specificsIn(text)
    .slice(0, SPECIFICS_MAX)
    .some((specific) => isLookedAt(specific, { hasFacts: true }));
}

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
  /** What tools and retrievals gave. */
  readonly facts: readonly string[];
}

function knownTexts(subject: Subject): KnownTexts {
  const { turn, turns, toolCalls, steps, state } = subject;
  const parts = messagesShownTo(turn).flatMap((message) => message.parts);
  const instructions =
    steps.find(({ systemInstructions }) => systemInstructions !== undefined)?.systemInstructions ?? '';
  return {
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

function foundBy(call: ToolCall, subject: Subject): string {
  return subject.hasFailed(call) ? (call.error?.message ?? call.result.text) : call.result.text;
}

/** Two passengers at 120 are 240. */
function isMultiple({ kind, forms }: Specific, numbers: ReadonlySet<string>): boolean {
  const value = Number(forms[0]);
  if (kind !== 'number' || !Number.isFinite(value) || value === 0) return false;
  for (let times = 2; times <= TIMES_MAX; times++) if (numbers.has(written(value / times))) return true;
  return false;
}

function isDerived(specific: Specific, sourced: readonly Specific[]): boolean {
  const value = Number(specific.forms[0]);
  if (specific.kind !== 'number' || !Number.isFinite(value)) return false;
  const terms = sourced.slice(0, DERIVED_FROM_MAX).map(({ forms }) => Number(forms[0]));
  const isIt = (result: number) => Math.abs(result - value) < 0.005;
  if (isIt(terms.reduce((sum, term) => sum + term, 0))) return true;
  return terms.some(
    (a, at) =>
      multiplesOf(a).some(isIt) ||
      terms.some((b, other) => other !== at && (isIt(a + b) || isIt(a - b) || isIt(a * b))),
  );
}

function multiplesOf(term: number): readonly number[] {
  return Array.from({ length: TIMES_MAX - 1 }, (_, at) => term * (at + 2));
}

function written(value: number): string {
  return String(Math.round(value * 100) / 100);
}
