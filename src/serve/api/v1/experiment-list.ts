/** `GET /api/v1/experiments` and `GET /api/v1/experiments/{experiment}`: the experiments that there are, and figures of one. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { suitesOf } from '../../../statistics/compare/compare-experiments.ts';
import { levelOf } from '../../../statistics/compare/level.ts';
import { countedOf, type Measure } from '../../../statistics/compare/measure.ts';
import { SuiteRuns } from '../../../statistics/compare/suite-runs.ts';
import {
  type ExperimentDetail,
  type ExperimentItem,
  experimentDetail,
  experimentList,
  experimentListQuery,
  experimentQuery,
} from '../../../api/experiments.ts';
import type { ApiEstimate } from '../../../api/shapes.ts';
import type { Outcome } from '../../../model/evaluation.ts';
import { type Experiment, RUN_ENDS } from '../../../model/experiment.ts';
import { failureKinds } from '../../../model/failure-kinds.ts';
import { aboutOf } from '../../../model/known-share.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { countRuns, ExperimentUnreadable, type FoundExperiment } from '../../../store/experiment/read-experiment.ts';
import { isTaken } from '../../../store/experiment/taken-folder.ts';
import { type ComparingSide, experimentOf, experimentsOf } from './comparing-side.ts';
import { Refusal, v1Read } from './v1-read.ts';

const UNREADABLE_MAX = 20;
/** Half of what an interval of 95 % leaves out. */
const TAIL = 0.025;

export const listExperiments = v1Read({
  path: '/api/v1/experiments',
  summary: '?dataset= &limit=50 &cursor= the experiments in the folder of the service, the latest first',
  query: experimentListQuery,
  answer: experimentList,
  read: async (side: Pick<ComparingSide, 'experiments'>, { dataset, limit, cursor }) => {
    const after = cursor === undefined ? undefined : placeIn(cursor);
    if (cursor !== undefined && after === undefined)
      return new Refusal(
        jsonAnswer(400, { error: 'the query has mistakes', problems: ['cursor: it is none of ours'] }),
      );
    const { found, unreadable } = experimentsOf(side);
    const wanted = found
      .filter(({ experiment }) => dataset === undefined || experiment.dataset.name === dataset)
      .toSorted((x, y) => (isBefore(x.experiment, placeOf(y.experiment)) ? 1 : -1))
      .filter(({ experiment }) => after === undefined || isBefore(experiment, after));
    const page = wanted.slice(0, limit);
    const last = page.at(-1)?.experiment;
    return {
      experiments: page.flatMap(listed),
      next: wanted.length > page.length && last !== undefined ? cursorAt(last) : null,
      has_folder: existsSync(side.experiments),
      unreadable: unreadable.slice(0, UNREADABLE_MAX),
    };
  },
});

export const getExperiment = v1Read({
  path: '/api/v1/experiments/{experiment}',
  summary: 'one experiment, by its id, its name or latest: figures of each suite that scored it',
  query: experimentQuery,
  answer: experimentDetail,
  read: async (side: Pick<ComparingSide, 'experiments' | 'results'>, _query, parameters) => {
    const named = experimentOf(side, parameters.get('experiment') ?? '');
    if (named instanceof Refusal) return named;
    const { folder, result } = named;
    const counts = RUN_ENDS.map((end) => [end, result.runs.filter((run) => run.end === end).length]);
    return {
      ...itemOf({ folder, experiment: result.experiment }, result.runs.length),
      // The cast holds: the keys are all there are.
      ends: Object.fromEntries(counts) as ExperimentDetail['ends'],
      figures: suitesOf(result).map((suite) => figuresOf(new SuiteRuns(result, suite))),
    };
  },
});

/** Empty if it was removed or damaged since it was found. */
function listed(found: FoundExperiment): readonly ExperimentItem[] {
  try {
    return [itemOf(found, countRuns(found.folder))];
  } catch (error) {
    if (error instanceof ExperimentUnreadable) return [];
    throw error;
  }
}

function itemOf({ folder, experiment }: FoundExperiment, runs: number): ExperimentItem {
  const { id, name, startedAt, endedAt, dataset, agent, git, suites, repeats } = experiment;
  return {
    id,
    name,
    started_at: startedAt,
    ended_at: endedAt ?? null,
    state: endedAt !== undefined ? 'ended' : isTaken(folder) ? 'running' : 'interrupted',
    dataset: { name: dataset.name, version: dataset.version, fingerprint: dataset.fingerprint, cases: dataset.cases },
    agent_version: agent.version ?? null,
    commit: git?.commit ?? null,
    suites: suites.map((suite) => suite.name),
    repeats,
    runs,
  };
}

function figuresOf(runs: SuiteRuns): ExperimentDetail['figures'][number] {
  const all = [...runs.cases.values()].flatMap((ofCase) => ofCase.runs);
  const outcomes: { [Of in Outcome]?: number } = {};
  const counted = all.flatMap(countedOf);
  for (const { outcome } of counted) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const about = aboutOf(all.flatMap(({ evaluations }) => evaluations));
  const [tcr, success] = [estimateOf(runs, { is: 'score' }), estimateOf(runs, { is: 'success' })];
  return {
    suite: runs.suite,
    ...(about === undefined ? {} : { about }),
    cases: runs.cases.size,
    ...(tcr === undefined ? {} : { tcr }),
    ...(success === undefined ? {} : { success }),
    outcomes,
    because: failureKinds(counted),
    criteria: runs.criteria.map((criterion) => {
      const rate = estimateOf(runs, { is: 'criterion', name: criterion });
      return { criterion, ...(rate === undefined ? {} : { pass_rate: rate }) };
    }),
  };
}

function estimateOf(runs: SuiteRuns, measure: Measure): ApiEstimate | undefined {
  const level = levelOf(runs, measure);
  if ('because' in level) return undefined;
  return { value: level.value, low: level.lower(TAIL), high: level.upper(TAIL), n: level.cases };
}

const place = z.tuple([z.string(), z.string()]);
type Place = z.infer<typeof place>;

function placeOf({ startedAt, id }: Experiment): Place {
  return [startedAt, id];
}

function cursorAt(experiment: Experiment): string {
  return Buffer.from(JSON.stringify(placeOf(experiment))).toString('base64url');
}

function placeIn(cursor: string): Place | undefined {
  try {
    return place.safeParse(JSON.parse(Buffer.from(cursor, 'base64url').toString())).data;
  } catch {
    // The error of JSON.parse adds no information.
    return undefined;
  }
}

function isBefore({ startedAt, id }: Experiment, [at, ofId]: Place): boolean {
  return startedAt < at || (startedAt === at && id < ofId);
}
