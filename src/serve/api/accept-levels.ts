/**
 * `POST /api/v1/detection/accept`: a person says that a change was meant, and that the level since then is the one to expect.
 *
 * Whichever instance is asked does a round of its own at once: the state is the store's, and is locked. When it is answered it is committed; who
 * was not answered asks again, and is told that nothing is regressed any more.
 */
import { z } from 'zod';
import { type Acceptance, type ChosenLevels, DETECTOR_METRICS, type LevelReading } from '../../model/detection.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { writing } from '../../report/http/route.ts';

const NAME_MAX = 1000;
const name = z.string('a name').min(1, 'a name that is not empty').max(NAME_MAX, `at most ${NAME_MAX} characters`);
const acceptSchema = z
  .strictObject({
    agent: name,
    suite: name,
    environment: name.optional(),
    metric: z.enum(DETECTOR_METRICS, `one of ${DETECTOR_METRICS.join(', ')}`).optional(),
    criterion: name.optional(),
    segment: name.optional(),
  })
  .refine(({ metric, segment }) => segment === undefined || metric === undefined || metric === 'segment', {
    path: ['segment'],
    message: 'it goes with the metric `segment`, or none',
  })
  .refine(({ metric, criterion }) => criterion === undefined || metric === undefined || metric === 'criterion', {
    path: ['criterion'],
    message: 'it goes with the metric `criterion`, or none',
  });

export const acceptLevels = writing(
  acceptSchema,
  async (side: { readonly accept: (chosen: ChosenLevels) => Promise<Acceptance | Unavailable> }, chosen) => {
    const acceptance = await side.accept({ ...chosen, part: chosen.segment });
    return 'unavailable' in acceptance ? acceptance : answerOf(acceptance, chosen);
  },
);

function answerOf(acceptance: Acceptance, { agent, suite }: ChosenLevels) {
  if ('problem' in acceptance) return { status: 503, value: { error: acceptance.problem } };
  const { accepted, others } = acceptance;
  const value = { accepted: accepted.map(describe), others: others.map(describe) };
  if (accepted.length > 0) return { status: 200, value };
  if (others.length > 0) {
    return {
      status: 409,
      value: { error: 'none of these levels is regressed, so there is nothing to accept', ...value },
    };
  }
  const what = `agent ${JSON.stringify(agent)} and suite ${JSON.stringify(suite)}`;
  return {
    status: 404,
    value: { error: `no level of ${what} that matches is watched: GET /api/detection lists levels`, ...value },
  };
}

function describe({ suite, agent, environment, metric, criterion, part, state, change }: LevelReading) {
  return {
    suite,
    agent,
    environment,
    metric,
    ...(criterion === undefined ? {} : { criterion }),
    ...(part === undefined ? {} : { segment: part }),
    state,
    baseline: change?.baseline ?? null,
    observed: change?.observed ?? null,
  };
}
