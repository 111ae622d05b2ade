/** A call fails with an error, and the agent goes on as if it had worked: no second try, not a word of it in the answer. The state lacks what was not done. */
import { callsOf, withCall } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { lastSuccesses } from '../last-successes.ts';
import { withoutItsEffect } from '../undo.ts';
import { inTurn, short } from '../wording.ts';

export const failureIgnored: Fault = {
  name: 'failure_ignored',
  description: 'a call fails, and nobody cares',
  placesIn: (scene) =>
    lastSuccesses(callsOf(scene.excerpt)).map((place) => () => {
      const { excerpt } = scene;
      const { call, turn } = place;
      const failed = withCall(excerpt, place, { ...call, result: undefined, error: 'upstream timed out' });
      return {
        excerpt: withoutItsEffect(failed, place, scene),
        what: `${short(call.tool)} failed${inTurn(turn, excerpt)}, was not tried again, and the answer does not mention it`,
        advice: 'uses: no_unrecovered_tool_error',
      };
    }),
};
