/**
 * Whether text, such as the result of a tool, speaks of the action that an answer says to be done: "Your order has been
 * cancelled" and `{"status": "canceled"}`, in any of the languages, since results are in English more often than
 * answers are.
 *
 * Words count by their stem. Possible actions do not count as done (`refundable`, `cancellation_policy`), and neither
 * do those said to be empty or false (`"refunds": []`, `"cancelled": false`).
 */
import { inAnyLanguage } from './languages.ts';
import { ACTIONS } from './language-words.ts';

const TESTS: readonly RegExp[] = ACTIONS.map(
  (action) =>
    new RegExp(
      `(?<!(?:not|non|un|never|can|free|to be|nicht|no|não|pas)[-_ ]?)(?:${inAnyLanguage(({ actions }) => actions[action])})(?![a-zà-ÿ]{0,8}able)(?![a-zà-ÿ]{0,10}[ _-]?(?:polic|fee|deadline|window|terms|rule|allowed|possible|eligib|until|period|condition|option))(?![a-zà-ÿ_]{0,40}["']?\\s{0,4}[:=]\\s{0,4}(?:false|null|none|undefined|0(?![.\\d])|""|''|\\[\\s{0,4}\\]|\\{\\s{0,4}\\}|["']?no(?![a-zà-ÿ])))`,
      'iu',
    ),
);

/** By number, so that two texts can be compared. */
export function actionsIn(words: string): ReadonlySet<number> {
  return new Set([...TESTS.keys()].filter((at) => TESTS[at]?.test(words)));
}

/** Any of them. */
export function speaksOf(text: string, actions: ReadonlySet<number>): boolean {
  return [...actions].some((at) => TESTS[at]?.test(text));
}
