/**
 * Does everything specific in the answer come from somewhere? Numbers, dates, times, ids, addresses and names in the
 * answer must occur in what the user said, in tool calls that succeeded, in what was retrieved, in the recorded state,
 * or in the messages that the model was given.
 *
 * It lets pass the following, which invent nothing: single digits (counting what is there), weekdays, the first word of
 * a sentence. Months and names are looked at in English answers only. A month is grounded by its number in a date, a
 * date by the same day in other words, an afternoon hour by its 24-hour form. Names are looked at only where a tool or
 * a retrieval gave facts: in plain talk, what a model knows about the world is not invented. So a made-up fact in plain
 * words passes, and a right one that nobody mentioned fails: a rule of thumb, for a judge to replace.
 */
import { languageOf } from '../../language/recognise.ts';
import type { Subject } from '../subject/subject.ts';
import { toExcerpt } from '../subject/sentences.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { NO_ANSWER } from '../subject/no-answer.ts';
import { builtInCheck } from './built-in-check.ts';
import { SourceText } from './source-text.ts';
import { type Specific, specificsIn } from './specifics.ts';

const SPECIFICS_MAX = 100;
const SHOWN_MAX = 3;

export const grounded = builtInCheck({
  summary: 'numbers, dates, ids and names in the answer occur in the conversation or a tool result',
  needs: ['final_answer', 'tools', 'tool_results'],
  make: () => (subject) => {
    if (!hasAnswer(subject.turn)) return NO_ANSWER;
    let doubtful: readonly Specific[] = specificsIn(subject.finalAnswer).slice(0, SPECIFICS_MAX);
    // Months and names are recognised by English words and capitals; in German every noun has one.
    if (languageOf(subject.finalAnswer) !== 'English')
      doubtful = doubtful.filter(({ kind }) => kind !== 'name' && kind !== 'month');
    if (!hasFacts(subject)) doubtful = doubtful.filter(({ kind }) => kind !== 'name');
    // Dearer sources are read only for what the cheaper ones do not explain.
    for (const read of SOURCES) {
      if (doubtful.length === 0) break;
      const source = new SourceText(read(subject));
      doubtful = doubtful.filter((specific) => !source.explains(specific));
    }
    if (doubtful.length === 0) return { pass: true, reason: 'Everything specific in the answer comes from somewhere.' };
    const shown = doubtful.slice(0, SHOWN_MAX).map(({ text }) => `"${toExcerpt(text)}"`);
    const more = doubtful.length > SHOWN_MAX ? ` and ${doubtful.length - SHOWN_MAX} more` : '';
    return {
      pass: false,
      reason: `Nothing in the conversation or the tool results says ${shown.join(', ')}${more}.`,
      evidence: [subject.turn.steps.findLast(({ kind }) => kind === 'llm')?.spanId],
    };
  },
});

function hasFacts(subject: Subject): boolean {
  return subject.toolCalls.some((call) => call.answered && !subject.hasFailed(call)) || subject.steps.some(isRetrieval);
}

function isRetrieval({ kind }: { readonly kind: string }): boolean {
  return kind === 'retrieval' || kind === 'rerank' || kind === 'memory';
}

const SOURCES: readonly ((subject: Subject) => readonly string[])[] = [
  ({ turns, turn }) => [
    ...turns.map(({ userInput }) => userInput.text),
    ...turns.filter((earlier) => earlier !== turn).map(({ finalAnswer }) => finalAnswer.text),
  ],
  ({ toolCalls, steps, state }) => [
    ...toolCalls
      .filter(({ error }) => error === undefined)
      .flatMap(({ name, args, result }) => [result.text, args.text, name]),
    ...toolCalls.map(({ error }) => error?.message ?? ''),
    ...steps.filter(isRetrieval).map(({ output }) => output.text),
    ...(state === undefined ? [] : [JSON.stringify(state)]),
  ],
  ({ steps }) => {
    const lastCall = steps.findLast(({ kind }) => kind === 'llm');
    if (lastCall === undefined) return [];
    const said = lastCall.messagesIn.flatMap(({ parts }) =>
      parts.map((part) => (part.type === 'text' ? part.text : part.type === 'tool_result' ? part.result.text : '')),
    );
    return [lastCall.systemInstructions ?? '', ...said];
  },
];
