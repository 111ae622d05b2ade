/**
 * A call that worked is made once more, with the same result: a second refund. Where the agent changes anything at all, it is a call that changes something; a
 * second look at the same is waste, and no harm.
 */
import { callsOf, withCallAfter } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { inTurn, short } from '../wording.ts';

export const callRepeated: Fault = {
  name: 'call_repeated',
  description: 'a call is made twice',
  placesIn: ({ excerpt, isWrite }) => {
    const worked = callsOf(excerpt).filter(({ call }) => call.error === undefined);
    const writes = worked.filter(({ call }) => isWrite(call.tool));
    return (writes.length > 0 ? writes : worked).map((place) => () => ({
      excerpt: withCallAfter(excerpt, place, place.call),
      what: `${short(place.call.tool)} was called twice with the same arguments${inTurn(place.turn, excerpt)}`,
      advice: `order: { exactly: [1, ${short(place.call.tool)}] }`,
    }));
  },
};
