/** An estimate as the API and `assay score --json` say it, with its sentences. */
import type { EstimateAnswer } from '../../api/estimate.ts';
import { headlineWords, MINUTES_A_READING, nextWords } from '../../model/estimate-words.ts';
import type { Estimate } from '../../model/estimate.ts';
import { isEnough, worthOf } from '../../statistics/estimate/advice.ts';
import type { WindowEstimate } from './window-estimate.ts';

export type EstimateJson = Omit<EstimateAnswer, 'agent' | 'since' | 'until' | 'explained'>;

export function estimateJson(found: WindowEstimate): EstimateJson {
  const { readings, spokenFor, later, unreadable, calledFine, unscored } = found;
  const { success, missed, missRate, frame } = found;
  const worth = worthOf(frame);
  const enough = isEnough(frame, worth);
  const n = readings.sample + readings.certain;
  const figure = ({ value, lower, upper }: Estimate) => ({ value, low: lower, high: upper, n });
  const read = readings.sample;
  return {
    says: headlineWords({ success, missRate, spokenFor, read, certain: readings.certain }),
    next: nextWords(worth, { read, isEnough: enough, spokenFor }),
    ...(success === undefined ? {} : { success: figure(success) }),
    ...(missed === undefined ? {} : { missed: figure(missed) }),
    ...(missRate === undefined ? {} : { miss_rate: figure(missRate) }),
    conversations: {
      ...{ spoken_for: spokenFor, later, unreadable },
      ...{ called_fine: calledFine, unscored },
    },
    readings: {
      ...{ sample: read, out_of_turn: readings.outOfTurn, certain: readings.certain, unclear: readings.unclear },
      ...{ by_two: readings.byTwo, disagreed: readings.disagreed },
    },
    worth: worth.map(({ readings: all, plusMinus }) => ({
      readings: all,
      minutes: Math.round((all - read) * MINUTES_A_READING),
      plus_minus: plusMinus,
    })),
    enough,
  };
}
