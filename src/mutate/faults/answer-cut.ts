/** The answer ends in the middle: the model reached its limit. */
import { withTurn } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { ofTurn } from '../wording.ts';

const LENGTH_MIN = 12;

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
