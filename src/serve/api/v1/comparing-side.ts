/** Needs of the comparisons of `/api/v1`, and the experiments that a request names. */
import { existsSync } from 'node:fs';
import type { VersionReading } from '../../../model/detection.ts';
import type { ExperimentResult } from '../../../model/experiment.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import {
  experimentNamed,
  experimentsIn,
  ExperimentUnreadable,
  type FoundExperiment,
} from '../../../store/experiment/read-experiment.ts';
import type { KeptResults } from './kept-results.ts';
import type { V1Side } from './v1-side.ts';
import { Refusal } from './v1-read.ts';

export interface ComparingSide extends Pick<V1Side, 'reader' | 'suites'> {
  /** Folder of the experiments. */
  readonly experiments: string;
  readonly idKeys: readonly string[];
  readonly results: Pick<KeptResults, 'of'>;
  /** Versions that detection races; none where it is another instance's. */
  readonly races: readonly VersionReading[];
}

type Experiments = Pick<ComparingSide, 'experiments' | 'results'>;

export interface NamedExperiment {
  readonly folder: string;
  readonly result: ExperimentResult;
}

const SHOWN_MAX = 200;

/** All experiments, the oldest first, and why others could not be read. */
export function experimentsOf({ experiments }: Pick<ComparingSide, 'experiments'>): {
  readonly found: readonly FoundExperiment[];
  readonly unreadable: readonly string[];
} {
  const unreadable: string[] = [];
  const found = experimentsIn(experiments, (problem) => unreadable.push(withoutPath(problem, experiments)));
  return { found, unreadable };
}

/**
 * Finds an experiment by id, name or `latest`. A reference is compared with the names that exist, and is never a path.
 */
export function experimentOf(side: Experiments, reference: string): NamedExperiment | Refusal {
  const { found } = experimentsOf(side);
  const named = experimentNamed(found, reference);
  if (named === undefined) return notThere(side, reference, found.length);
  const { folder } = named;
  try {
    return { folder, result: side.results.of(folder) };
  } catch (error) {
    if (!(error instanceof ExperimentUnreadable)) throw error;
    return new Refusal(jsonAnswer(409, { error: withoutPath(error.message, side.experiments) }));
  }
}

/** Both experiments, or why one of them is missing. */
export function experimentPair(
  side: Experiments,
  { a, b }: { readonly a: string; readonly b: string },
): { readonly a: NamedExperiment; readonly b: NamedExperiment } | Refusal {
  const first = experimentOf(side, a);
  if (first instanceof Refusal) return first;
  const second = experimentOf(side, b);
  return second instanceof Refusal ? second : { a: first, b: second };
}

/** The place of the folder is nobody's business. */
export function withoutPath(problem: string, folder: string): string {
  return problem.replaceAll(`${folder}/`, '');
}

function notThere({ experiments }: Experiments, reference: string, count: number): Refusal {
  const shown = JSON.stringify(reference.slice(0, SHOWN_MAX));
  const there = existsSync(experiments)
    ? `there are ${count}: GET /api/v1/experiments lists them`
    : 'this instance has no folder of experiments: assay run makes them, and the setting `experiments` names the folder';
  return new Refusal(jsonAnswer(404, { error: `no experiment has the id or name ${shown}; ${there}` }));
}
