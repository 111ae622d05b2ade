/**
 * Whether words that sound like a claim state a rule. Two forms, both in the present:
 *
 *   ahead     a period in which it will be done, of any thing: "your refund is processed within 5 days"
 *   general   things that no word points to, and words of a rule: "tickets are refunded up to 24 hours before"
 *
 * "Tickets are booked" and "invitations are sent to Ann" have no words of a rule, and remain claims. A dot in the middle stands for a condition
 * that was taken out.
 */
import { inAnyLanguage } from './languages.ts';
import type { RuleWords } from './language-words.ts';

const PRESENT = new RegExp(`(?<![\\p{L}'])(?:${any('present')})(?!\\p{L})`, 'u');
const BY_NOW = new RegExp(`(?<!\\p{L})(?:${any('byNow')})(?!\\p{L})`, 'u');
/** Not beyond an "and": "is processed and will arrive within 5 days" claims the first. */
const NEAR = `^(?:(?!,| (?:${any('and')}) ).){0,80}?`;
const PERIOD = `(?:(?:${any('atMost')}) )?(?:\\d|an? |one |two |three |four |five |six |seven |ten |few |several )[^.,;]{0,20}? ?(?:${any('units')})`;
const AHEAD = new RegExp(`${NEAR}(?<!\\p{L})(?:${any('within')}) ${PERIOD}`, 'u');
const RULE = new RegExp(
  `${NEAR}(?:·|(?<!\\p{L})(?:automatically|by default|up to \\d|upon (?!your)|on request|original payment|in ${PERIOD}))`,
  'u',
);
/** A plural without an article, or one of any. */
const OF_ANY =
  /(?:^|[,:·]|\bthat) *(?:(?:all|any|most|every|each|an?) (?:[a-z-]{2,16} ){1,4}|(?:[a-z-]{2,16} ){0,3}[a-z-]{2,16}s )$/;
const POINTS = /(?<![a-z])(?:your|the|both|these|those|this|my|our|his|her|their|its|it|they|you|we|\d+)(?![a-z])/;

/** `words` begin at `at` in the clause and say that something is done. */
export function isGeneralStatement(clause: string, words: string, at: number): boolean {
  const verb = PRESENT.exec(words);
  if (verb === null || BY_NOW.test(words)) return false;
  const behind = clause.slice(at + verb.index);
  if (AHEAD.test(behind)) return true;
  const subject = OF_ANY.exec(clause.slice(0, at + verb.index))?.[0];
  return subject !== undefined && !POINTS.test(subject) && RULE.test(behind);
}

function any(part: keyof RuleWords): string {
  return inAnyLanguage(({ rules }) => rules?.[part] ?? '');
}
