/** The conversation breaks off a turn too early. The state recorded at the end of the whole is not known then. */
import type { Fault } from '../fault.ts';

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
