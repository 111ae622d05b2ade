/**
 * A tool call that worked is left out, and the agent answers as if it had been made. What the state repeats of it is not there either. A call that was made
 * twice is not missed.
 */
import { callsOf, withoutCall, withState } from '../edit.ts';
import { undone } from '../echoes.ts';
import type { Fault } from '../fault.ts';
import { isSameCall } from '../same-call.ts';
import { inTurn, short } from '../wording.ts';

export const callDropped: Fault = {
  name: 'call_dropped',
  description: 'a tool call is left out',
  placesIn: ({ excerpt, isWrite }) => {
    const calls = callsOf(excerpt);
    const worked = calls.filter(({ call }) => call.error === undefined);
    return worked
      .filter(({ call }) => worked.filter((other) => isSameCall(other.call, call)).length === 1)
      .map((place) => () => {
        const { call, turn } = place;
        const without = withoutCall(excerpt, place);
        return {
          excerpt: isWrite(call.tool) ? withState(without, turn, (state) => undone(state, call)) : without,
          what: `${short(call.tool)} was not called${inTurn(turn, excerpt)}`,
          advice: `order: { at_least: [1, ${short(call.tool)}] }, or a golden trace`,
        };
      });
  },
};
