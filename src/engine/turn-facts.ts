/**
 * Facts of turns, for a prediction (`statistics/estimate/prediction.ts`) and for discovery
 * (`statistics/discovery/finds.ts`): tools, how they followed each other, failures and their messages, amounts, and
 * what kind of request it was. Nothing in them knows a domain, and only what is decoded anyway is read.
 */
import { isCorrection } from '../language/corrections.ts';
import { endsAsQuestion } from '../language/read-answer.ts';
import type { Turn } from '../model/turn.ts';
import { hasFailed } from '../score/subject/failed-call.ts';
import { requestTraits, shownName } from './detection/traits.ts';
import { errorTemplate } from './error-template.ts';

const TOOLS_MAX = 12;
const ERRORS_MAX = 4;
/** Characters of a result that is an error in words. */
const MESSAGE_MAX = 200;

export function factsOf(turns: readonly Turn[], segment: string | undefined): readonly string[] {
  const facts = new Set(requestTraits(turns));
  if (segment !== undefined) facts.add(`segment: ${shownName(segment)}`);
  for (const turn of turns) {
    const { toolCalls, error } = turn;
    const names = toolCalls.slice(0, TOOLS_MAX).map(({ name }) => shownName(name));
    const messages = new Set<string>();
    for (const [at, name] of names.entries()) {
      facts.add(`tool: ${name}`);
      if (at > 0) facts.add(`then: ${names[at - 1]}, ${name}`);
      if (names.indexOf(name) < at) facts.add(`again: ${name}`);
      const call = toolCalls[at];
      if (call === undefined || !hasFailed(call)) continue;
      facts.add(`failed call: ${name}`);
      messages.add(call.error?.message ?? call.result.text.slice(0, MESSAGE_MAX));
    }
    facts.add(`last in a turn: ${names.at(-1) ?? 'no call'}`);
    facts.add(`calls in a turn: ${roughly(toolCalls.length)}`);
    facts.add(`model calls in a turn: ${roughly(turn.llmCalls)}`);
    facts.add(`answer in characters: ${roughly(turn.finalAnswer.text.length)}`);
    if (isCorrection(turn.userInput.text)) facts.add('user: corrects');
    if (error !== undefined) {
      facts.add(`error: ${shownName(error.type)}`);
      messages.add(error.message);
    }
    for (const message of [...messages].slice(0, ERRORS_MAX)) {
      const template = errorTemplate(message);
      if (template !== undefined) facts.add(`error message: ${shownName(template)}`);
    }
  }
  const [last, ...others] = turns;
  if (last !== undefined)
    facts.add(`ended: ${endOf(others.reduce((one, other) => (other.endedAtMs >= one.endedAtMs ? other : one), last))}`);
  return [...facts];
}

/** Where the user says nothing more, what the agent did last is how it ended. */
function endOf({ error, finalAnswer, toolCalls }: Turn): string {
  if (error !== undefined) return 'with an error';
  const { text } = finalAnswer;
  if (text.trim() === '') return 'without an answer';
  const last = toolCalls.at(-1);
  if (last !== undefined && hasFailed(last)) return 'after a failed call';
  return endsAsQuestion(text) ? 'with a question of the agent' : 'with an answer';
}

/** Between a power of two and the next one. */
function roughly(count: number): string {
  if (count < 2) return count === 0 ? 'none' : '1';
  const from = 2 ** Math.floor(Math.log2(count));
  return `${from} to ${2 * from - 1}`;
}
