/**
 * The history of evaluations (history.ts) by agent and version, in two windows of time that touch: one statement for all
 * agents, however many there are. A database adds up; what is withdrawn is subtracted in it already.
 */
import type { Outcome } from '../model/evaluation.ts';
import { HISTORY_COLUMNS, type HistorySums, outcomeFrom, type SummedCells, sumsFrom } from './history.ts';
import type { Dialect, Value } from './sql.ts';

export interface FleetHistoryQuery {
  readonly suites: readonly string[];
  readonly width: number;
  /** The window before is from `since` to `middle`, the later one from there to `until`, which is not in it. */
  readonly since: number;
  readonly middle: number;
  readonly until: number;
  readonly environments?: readonly string[] | undefined;
}

export interface FleetHistory extends HistorySums {
  readonly suite: string;
  readonly agent: string;
  readonly agentVersion: string;
  /** In the later window. */
  readonly isLater: boolean;
  readonly outcome: Outcome;
}

export function fleetStatement(
  { among, toStored }: Pick<Dialect, 'among' | 'toStored'>,
  { suites, width, since, middle, until, environments }: FleetHistoryQuery,
): { readonly sql: string; readonly values: readonly Value[] } {
  const sums = HISTORY_COLUMNS.sums.map((name) => `sum(${name}) AS ${name}`);
  const environment = environments === undefined ? '' : ` AND ${among('environment')}`;
  return {
    sql: `SELECT suite, agent, agent_version, CASE WHEN begins < ? THEN 0 ELSE 1 END AS later, outcome, ${sums.join(', ')}
      FROM history WHERE ${among('suite')} AND width = ? AND begins >= ? AND begins < ?${environment}
      GROUP BY 1, 2, 3, 4, 5`,
    values: [
      ...[middle, suites.map(toStored), width, since, until],
      ...(environments === undefined ? [] : [environments.map(toStored)]),
    ],
  };
}

export type FleetCells = Omit<SummedCells, 'bucket' | 'key'> & {
  readonly [Name in 'suite' | 'agent' | 'agent_version' | 'later']: number | string;
};

export function fleetHistoryFrom(cells: FleetCells, text: (stored: string) => string): FleetHistory {
  return {
    suite: text(String(cells.suite)),
    agent: text(String(cells.agent)),
    agentVersion: text(String(cells.agent_version)),
    isLater: Number(cells.later) === 1,
    outcome: outcomeFrom(cells.outcome),
    ...sumsFrom(cells),
  };
}
