/** The agent does its work and says nothing. */
import { withTurn } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { ofTurn } from '../wording.ts';

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
