/**
 * A tool call that worked is left out, and the agent answers as if it had been made. The state loses what it repeats of
 * the call. A call that was made twice is not missed.
 */
import { callsOf, withoutCall } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { isSameCall } from '../same-call.ts';
import { withoutItsEffect } from '../undo.ts';
import { inTurn, short } from '../wording.ts';

export const callDropped: Fault = {
  name: 'call_dropped',
  description: 'a tool call is left out',
  placesIn: (scene) => {
    const { excerpt } = scene;
    const calls = callsOf(excerpt);
    const worked = calls.filter(({ call }) => call.error === undefined);
    return worked
      .filter(({ call }) => worked.filter((other) => isSameCall(other.call, call)).length === 1)
      .map((place) => () => {
        const { call, turn } = place;
        return {
          excerpt: withoutItsEffect(withoutCall(excerpt, place), place, scene),
          what: `${short(call.tool)} was not called${inTurn(turn, excerpt)}`,
          advice: `order: { at_least: [1, ${short(call.tool)}] }, or a golden trace`,
        };
      });
  },
};
