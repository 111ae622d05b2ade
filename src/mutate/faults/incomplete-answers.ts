/** Answers that are not whole, or missing. */
import { withTurn } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { ofTurn } from '../wording.ts';

const LENGTH_MIN = 12;

/** The answer ends in the middle: the model reached its limit. */
export const answerCut: Fault = {
  name: 'answer_cut',
  description: 'the answer is cut off',
  placesIn: ({ excerpt }) =>
    excerpt.turns.flatMap(({ answer = '' }, turn) =>
      answer.length < LENGTH_MIN
        ? []
        : [
            () => {
              // At a word's end, as tokens are cut.
              const half = answer.slice(0, Math.ceil(answer.length / 2));
              const cut = half.slice(0, Math.max(half.lastIndexOf(' '), Math.ceil(half.length / 2))).toWellFormed();
              return {
                excerpt: withTurn(excerpt, turn, { answer: cut, finish: 'length' }),
                what: `the answer${ofTurn(turn, excerpt)} was cut off after ${cut.length} of ${answer.length} characters`,
                advice: 'uses: not_cut_off',
              };
            },
          ],
    ),
};

/** The agent does its work and says nothing. */
export const answerEmpty: Fault = {
  name: 'answer_empty',
  description: 'the answer is empty',
  placesIn: ({ excerpt }) =>
    excerpt.turns.flatMap(({ answer = '' }, turn) =>
      answer.trim() === ''
        ? []
        : [
            () => ({
              excerpt: withTurn(excerpt, turn, { answer: '' }),
              what: `the answer${ofTurn(turn, excerpt)} was empty`,
              advice: 'uses: answered',
            }),
          ],
    ),
};

/** The conversation breaks off a turn too early. The state recorded at the end of the whole is not known then. */
export const lastTurnMissing: Fault = {
  name: 'last_turn_missing',
  description: 'the last turn is missing',
  placesIn: ({ excerpt }) => {
    const { turns } = excerpt;
    if (turns.length < 2) return [];
    return [
      () => ({
        excerpt: { ...excerpt, state: undefined, turns: turns.slice(0, -1) },
        what: `the conversation ended after turn ${turns.length - 1} of ${turns.length}`,
        advice: '`completed:`, and a criterion on what must have been done at the end',
      }),
    ];
  },
};
