/**
 * Checks that the answer is written for a person: neither data as a tool gave them, nor a text with a place that nobody filled in.
 *
 *     {"id": 2290, "items": […], "total": 19.8}       JSON, a Python literal or XML, as the whole text
 *     Hello {{customer_name}}, your order …           see `../subject/unfilled-place.ts`
 *
 * Structured output may be what was asked for. So data are a fault only where they have values of a tool's result, the request speaks of no
 * data or code, the instructions of no format, and the spans of no structured output. Without the messages that the model was shown, its
 * instructions are not known, and nothing is decided.
 */
import type { Json } from '../../model/json.ts';
import { pythonLiteral } from '../../model/python-literal.ts';
import type { Turn } from '../../model/turn.ts';
import { notApplicable } from '../subject/answer.ts';
import { messagesShownTo } from '../subject/earlier-messages.ts';
import { isDataWanted } from '../subject/program-text.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { unfilledPlaceIn } from '../subject/unfilled-place.ts';
import { NO_ANSWER } from '../subject/no-answer.ts';
import { builtInCheck } from './built-in-check.ts';

const TEXT_READ_MAX = 20_000;
const VALUES_MAX = 50;
const SPEAKS_OF_FORMATS =
  /json|list|array|object|schema|fields?\b|keys?\b|dict|data|xml|yaml|csv|format|raw|export|config|manifest|code|script|snippet|markup|html|template|payload|structured/i;

export const answerIsForAPerson = builtInCheck({
  summary: 'the answer is no raw data of a tool and has no place that was never filled in',
  needs: ['final_answer'],
  make: () => (subject) => {
    const { turn } = subject;
    if (!hasAnswer(turn)) return NO_ANSWER;
    const place = unfilledPlaceIn(turn);
    if (place !== undefined)
      return { pass: false, reason: `A place in the answer was never filled in: "${toExcerpt(place)}"` };
    const text = turn.finalAnswer.text.trim();
    const values = turn.finalAnswer.state === 'whole' ? valuesOf(text) : [];
    if (values.length === 0 || !isFromTools(values, subject)) return IS_PROSE;
    if (!areInstructionsKnown(turn)) return UNKNOWN;
    if (turn.userInput.state !== 'whole') return UNKNOWN;
    if (SPEAKS_OF_FORMATS.test(turn.userInput.text.slice(0, TEXT_READ_MAX)) || isFormatWanted(turn)) return IS_PROSE;
    return {
      pass: false,
      reason: `The answer is data as a tool gave them: "${toExcerpt(text)}"`,
      evidence: [turn.steps.findLast(({ kind }) => kind === 'llm')?.spanId],
    };
  },
});

const IS_PROSE = { pass: true, reason: 'No raw data or template was found in the answer, or data were asked for.' };
const UNKNOWN = notApplicable('The answer is data, and whether they were asked for is not known.', 'not_recorded');

/** Plain values of a text that is data; none if it is prose. */
function valuesOf(text: string): readonly string[] {
  if (text.length > TEXT_READ_MAX) return [];
  if (/^[[{][\s\S]*[\]}]$/.test(text)) {
    const value = parsed(text);
    return typeof value === 'object' && value !== null ? leavesOf(value) : [];
  }
  if (
    !/^<[a-z][\w-]{0,40}>[\s\S]*<\/[a-z][\w-]{0,40}>$/i.test(text) ||
    /^<(?:!doctype|html|p|div|b|i|ul|ol|h\d)\b/i.test(text)
  )
    return [];
  return [...text.matchAll(/>([^<>]{1,200})</g)]
    .map(([, value = '']) => value.trim())
    .filter((value) => value !== '')
    .slice(0, VALUES_MAX);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    const value = pythonLiteral(text);
    return value === undefined ? undefined : (JSON.parse(JSON.stringify(value, asText)) as Json);
  }
}

function asText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function leavesOf(value: Json, depth = 0): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null || depth > 6) return [];
  const members: readonly Json[] = Array.isArray(value)
    ? (value as readonly Json[])
    : (Object.values(value) as readonly Json[]);
  const leaves: string[] = [];
  for (const member of members.slice(0, VALUES_MAX)) {
    if (leaves.length >= VALUES_MAX) break;
    leaves.push(...leavesOf(member, depth + 1));
  }
  return leaves.slice(0, VALUES_MAX);
}

/** Half of the values at least are in results. */
function isFromTools(values: readonly string[], { toolCalls }: Subject): boolean {
  const results = toolCalls.map(({ result }) => result.text.slice(0, TEXT_READ_MAX)).join('\n');
  const found = values.filter((value) => results.includes(value)).length;
  return found * 2 >= values.length && found > 0;
}

function areInstructionsKnown(turn: Turn): boolean {
  return (
    messagesShownTo(turn).length > 0 || turn.steps.some(({ systemInstructions }) => systemInstructions !== undefined)
  );
}

function isFormatWanted(turn: Turn): boolean {
  if (isDataWanted(turn)) return true;
  return messagesShownTo(turn).some(
    ({ role, parts }) =>
      (role === 'system' || role === 'developer') &&
      parts.some(
        (part) => part.type === 'text' && /json|schema|xml|format|structured/i.test(part.text.slice(0, TEXT_READ_MAX)),
      ),
  );
}
