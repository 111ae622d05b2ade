/** No surface speaks of success, or of better and worse, where only form is known. */
import { expect, test } from 'vitest';
import { type Saying, sayings } from './sayings.ts';

const ALL = sayings();

/** Words that say how well the task was done. */
const OF_SUCCESS = /\b(?:TCR|task completion|success\w*|succe\w+|better|worse|(?:production )?ready|usable)\b/i;
/** Names of outcomes, metrics, rules and fields, and what is marked as code. */
const NAMES = /\btcr\b|`[^`]*`|\{\{.*?\}\}|<testcase [^>]*>|\b\w+(?:\\?_\w+)+/g;
/** Sentences that say themselves for whom they hold. */
const SAYS_OF_WHAT =
  /task completion rate \(TCR\) of a suite that checks the task|only where|of a suite about form|say nothing/;
/** Alerts that only suites that check the task have. */
const OF_TASK = new Set(['AgentTcrNotReady', 'AgentTcrNotProductionReady']);

function isFalse({ situation, sentence }: Saying): boolean {
  if (OF_TASK.has(situation) || SAYS_OF_WHAT.test(sentence)) return false;
  return OF_SUCCESS.test(sentence.replaceAll(NAMES, ''));
}

test.each(['form', 'rules', 'any'] as const)('of what is known of %s, no sentence speaks of success', (about) => {
  const said = ALL.filter((one) => one.about === about);

  expect(said.length).toBeGreaterThan(50);
  expect(said.filter(isFalse).map(({ surface, situation, sentence }) => [surface, situation, sentence])).toEqual([]);
});

test('of the task they do, on the same surfaces', () => {
  const surfaces = (about: Saying['about']) =>
    new Set(ALL.filter((one) => one.about === about).map(({ surface }) => surface));

  expect(surfaces('task')).toEqual(surfaces('form'));
  expect(ALL.filter((one) => one.about === 'task' && isFalse(one)).length).toBeGreaterThan(20);
});
