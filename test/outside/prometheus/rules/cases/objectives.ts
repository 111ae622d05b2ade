/**
 * The queries of the objectives for Sloth, on the same traffic: which conversations use up the budget, and that a quiet
 * night uses none.
 */
import { objectiveQueries } from '../../../../../deploy/prometheus/source/objectives.ts';
import type { RuleCase } from '../rule-case.ts';
import { traffic } from '../traffic.ts';

const AGENT = '{suite="default",agent="shop",environment="production"}';

function errorRatio(objective: string, window: string): string {
  const queries = objectiveQueries(window).get(objective);
  if (queries === undefined) throw new Error(`there is no objective ${objective}`);
  return `round((${queries.errors})\n/\n(${queries.total}), 0.001)`;
}

export const OBJECTIVE_CASES: readonly RuleCase[] = [
  {
    name: 'objectives: a lower score uses up the budget of task completion, hard failures theirs, and nothing scored is nothing',
    series: traffic([
      { hours: 12, perHour: 240, score: 0.9, hardFailures: 0.01 },
      { hours: 12, perHour: 240, score: 0.7, hardFailures: 0.05 },
      { hours: 12, perHour: 0, score: 0.7 },
    ]),
    checks: [
      {
        at: 11,
        values: {
          [errorRatio('task-completion', '6h')]: { [AGENT]: 0.1 },
          [errorRatio('no-hard-failure', '6h')]: { [AGENT]: 0.01 },
        },
      },
      {
        at: 23,
        values: {
          [errorRatio('task-completion', '6h')]: { [AGENT]: 0.3 },
          [errorRatio('no-hard-failure', '6h')]: { [AGENT]: 0.05 },
          [errorRatio('no-hard-failure', '22h')]: { [AGENT]: 0.03 },
        },
      },
      {
        at: 35,
        values: { [errorRatio('task-completion', '6h')]: {}, [errorRatio('no-hard-failure', '6h')]: {} },
      },
    ],
  },
  {
    name: 'objectives: an agent that never failed hard has spent nothing of that budget',
    series: traffic([{ hours: 12, perHour: 240, score: 1 }]),
    checks: [
      {
        at: 11,
        values: {
          [errorRatio('task-completion', '6h')]: { [AGENT]: 0 },
          [errorRatio('no-hard-failure', '6h')]: { [AGENT]: 0 },
        },
      },
    ],
  },
];
