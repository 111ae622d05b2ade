/** `GET /api/v1/estimate`: the success rate that readings support, and what the suites miss. */
import { type EstimateAnswer, estimateAnswer, estimateQuery } from '../../../api/estimate.ts';
import { beliefsOf } from '../../../statistics/estimate/beliefs.ts';
import type { Frame } from '../../../statistics/estimate/frame.ts';
import { AGAINST } from '../../../statistics/estimate/interval.ts';
import { estimateJson, windowEstimate } from '../../../engine/estimate/window-estimate.ts';
import type { FrameQuery } from '../../../store/frame-reader.ts';
import { learnedPrediction } from '../../estimate/learned-predictions.ts';
import { frameQueryOf } from './frame-asked.ts';
import { isoTime } from './iso-time.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

export const getEstimate = v1Read({
  path: '/api/v1/estimate',
  summary: `?agent= &agent_version= &environment= &segment= &since=7d &until= &explain=true
share of an agent's conversations that went well, with its interval, and what the suites miss`,
  query: estimateQuery,
  answer: estimateAnswer,
  read: async ({ reader }: Pick<V1Side, 'reader'>, asked): Promise<EstimateAnswer> => {
    const query = frameQueryOf(asked);
    const found = await windowEstimate(reader.frame, query);
    return {
      agent: asked.agent,
      since: isoTime(query.since),
      until: isoTime(query.until),
      ...estimateJson(found),
      ...(asked.explain === 'true'
        ? { explained: { ...explainedOf(found.frame), ...(await predictionOf(reader, query)) } }
        : {}),
    };
  },
});

const WEIGHTS_MAX = 12;

async function predictionOf(
  reader: Pick<V1Side['reader'], 'frame'>,
  { agent, until }: FrameQuery,
): Promise<Pick<Explained, 'prediction'>> {
  const learned = agent === undefined ? undefined : await learnedPrediction(reader, agent, until);
  if (learned === undefined) return {};
  const { taughtBefore, prediction } = learned;
  const weights = [...prediction.weights].toSorted((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, WEIGHTS_MAX);
  return {
    prediction: {
      ...{ hash: prediction.hash, readings: prediction.readings, taught_before: isoTime(taughtBefore) },
      weights: weights.map(([fact, odds]) => ({ fact, log_odds: Math.round(odds * 1000) / 1000 })),
    },
  };
}

type Explained = NonNullable<EstimateAnswer['explained']>;

function explainedOf({ cells, draws, certain, disagreement }: Frame): Explained {
  const beliefsIf = (unclear: boolean) =>
    beliefsOf(
      cells,
      draws.map(({ cell, answer }) => ({ cell, isGood: answer === 'unclear' ? unclear : answer === 'good' })),
    );
  const beliefs = beliefsIf(false);
  const ifGood = draws.some(({ answer }) => answer === 'unclear') ? beliefsIf(true) : undefined;
  return {
    cells: cells.map(({ group, isCalledFine, predicted, rate, size }) => ({
      ...{ group, called_fine: isCalledFine, rate, size },
      ...(predicted === undefined ? {} : { predicted }),
    })),
    draws: draws.map(({ cell, answer }, at) => ({
      ...{ cell, answer, beliefs: beliefs[at] ?? [] },
      ...(ifGood === undefined ? {} : { beliefs_if_good: ifGood[at] ?? [] }),
    })),
    certain: { good: certain.good, bad: certain.bad, bad_called_fine: certain.badCalledFine },
    widened_by: disagreement / 2,
    against: AGAINST,
  };
}
