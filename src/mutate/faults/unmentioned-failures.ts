/** Calls that fail, of which the agent says nothing. */
import type { ExcerptCall } from '../../model/excerpt.ts';
import { callsOf, withCall } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { lastSuccesses } from '../last-successes.ts';
import { inTurn, short } from '../wording.ts';
import { withoutItsEffect } from '../undo.ts';

const TROUBLE = 'service unavailable, nothing was done';

/**
 * A call fails, and everything says that it went well: its span has no error, the agent's state is that of a success, and so is the answer. Only the result
 * itself tells, to whoever reads it.
 */
export const errorHidden: Fault = {
  name: 'error_hidden',
  description: 'a call fails, and is reported as a success',
  placesIn: ({ excerpt }) =>
    lastSuccesses(callsOf(excerpt)).map((place) => () => ({
      excerpt: withCall(excerpt, place, { ...place.call, result: failed(place.call) }),
      what: `${short(place.call.tool)} answered that it had failed${inTurn(place.turn, excerpt)}; the span, the state and the answer say that it worked`,
      advice: `check: last(tools('${short(place.call.tool)}')).result.status == 'ok', or whatever the tool says when it worked`,
    })),
};

/**
 * A failed result in the form of the call's results. `status: error` beside a message would be recognised as an error.
 */
function failed({ result }: ExcerptCall): ExcerptCall['args'] {
  return typeof result === 'string' ? TROUBLE : { status: 'failed', detail: TROUBLE };
}

/** A call fails with an error, and the agent goes on as if it had worked: no second try, not a word of it in the answer. The state lacks what was not done. */
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
