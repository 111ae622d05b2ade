/** An experiment of an agent whose cases decide a share of its results, for tests of plans. */
import type { ExperimentResult } from '../../../../src/model/experiment.ts';
import { randomFrom } from '../../../random.ts';
import { experimentOf, FAILURE, SUCCESS } from '../experiments.ts';

export interface Seen {
  readonly cases: number;
  readonly repeats: number;
  /** The share of runs that succeed. */
  readonly rate: number;
  /** The share of cases whose runs are all alike; in the others each run is by chance. */
  readonly sure: number;
}

export function agentOf({ cases, repeats, rate, sure }: Seen): ExperimentResult {
  const random = randomFrom(5);
  const lines = Array.from({ length: cases }, (_, index) => {
    const isSure = random() < sure;
    const ofCase = random() < rate;
    return Array.from({ length: repeats }, (_, repeat) => ({
      case: `case-${index}`,
      repeat: repeat + 1,
      evaluations: [(isSure ? ofCase : random() < rate) ? SUCCESS : { ...FAILURE, score: 0 }],
    }));
  });
  return experimentOf('seen', lines.flat());
}
