/**
 * A call that worked is made again, with the same result. Where the agent changes anything at all, it is a call that changes something, made twice: a second
 * refund. A second look at the same is no harm; where an agent only looks, it looks at the same thing over and over.
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
