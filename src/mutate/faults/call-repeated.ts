/**
 * Repeats a call that worked, with the same result. If the agent changes anything, it repeats a call that changes something,
 * such as a second refund. Reading the same thing twice does no harm, so an agent that only reads repeats the call several times.
 */
import { callsOf, withCallAfter } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { inTurn, short } from '../wording.ts';

const LOOKS = 5;

export const callRepeated: Fault = {
  name: 'call_repeated',
  description: 'a call is made twice, or, where it only looks, over and over',
  placesIn: ({ excerpt, isWrite }) => {
    const worked = callsOf(excerpt).filter(({ call }) => call.error === undefined);
    const writes = worked.filter(({ call }) => isWrite(call.tool));
    const times = writes.length > 0 ? 2 : LOOKS;
    return (writes.length > 0 ? writes : worked).map((place) => () => {
      let repeated = excerpt;
      for (let time = 1; time < times; time += 1) repeated = withCallAfter(repeated, place, place.call);
      const often = times === 2 ? 'twice' : `${times} times in a row`;
      return {
        excerpt: repeated,
        what: `${short(place.call.tool)} was called ${often} with the same arguments${inTurn(place.turn, excerpt)}`,
        advice: times === 2 ? `order: { exactly: [1, ${short(place.call.tool)}] }` : 'uses: no_identical_loop',
      };
    });
  },
};
