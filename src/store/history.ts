/**
 * The history of evaluations: for each stretch of time, suite and set of labels, how many had which outcome and what
 * their scores add up to. The trend of a year is then a few thousand rows, however many conversations it was. It says
 * what the evaluations say that are stored: a revision is taken out of the stretch where it was, and counted in its
 * own. Conversations that retention deletes stay in it, as they stay in
 * the counters.
 *
 * Two widths, so that a day is shown in steps of five minutes, and a year is not kept in those.
 */
import { OUTCOMES, type Outcome } from '../model/evaluation.ts';
import type { AgentLabels } from '../model/agent-labels.ts';
import type { Dialect, Value } from './sql.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Widths of a stretch, and how long stretches of it are kept. */
export const HISTORY_WIDTHS = [
  { ms: 5 * MINUTE_MS, keptMs: 8 * DAY_MS },
  { ms: 60 * MINUTE_MS, keptMs: 400 * DAY_MS },
] as const;

interface HistoryPlace {
  readonly width: number;
  /** Where the stretch begins. Evaluations are in it by when their conversation or turn began. */
  readonly begins: number;
  readonly suite: string;
  readonly agent: string;
  readonly agentVersion: string;
  readonly environment: string;
  /** Empty where none is configured. */
  readonly segment: string;
  readonly outcome: Outcome;
}

/** Integers throughout, so that sums do not depend on their order. */
export interface HistorySums {
  readonly evaluations: number;
  readonly scored: number;
  /** In millionths, as their squares are. */
  readonly scores: number;
  readonly squares: number;
  /** Evaluations whose decided share is known, and these shares in millionths. */
  readonly shared: number;
  readonly shares: number;
}

export type HistoryRow = HistoryPlace & HistorySums;

interface CountedInHistory {
  readonly suite: string;
  readonly labels: AgentLabels;
  /** When the conversation or the turn began. */
  readonly at: number;
  readonly outcome: Outcome;
  readonly score: number | undefined;
  readonly decidedShare: number | undefined;
}

const MILLION = 1_000_000;

/** Additions of the open transaction; its store writes them at the commit. */
export class HistoryChanges {
  readonly #rows = new Map<string, HistoryRow>();

  /** `sign` is −1 for an evaluation that another one replaces. */
  count({ suite, labels, at, outcome, score, decidedShare }: CountedInHistory, sign: 1 | -1 = 1): void {
    const isScored = score !== undefined;
    const sums = {
      evaluations: sign,
      scored: isScored ? sign : 0,
      scores: sign * (score ?? 0),
      squares: isScored ? sign * Math.round((score * score) / MILLION) : 0,
      shared: decidedShare === undefined ? 0 : sign,
      shares: sign * (decidedShare ?? 0),
    };
    const { agent, agent_version: agentVersion, environment, segment = '' } = labels;
    for (const { ms: width } of HISTORY_WIDTHS) {
      const begins = Math.floor(at / width) * width;
      this.#add({ width, begins, suite, agent, agentVersion, environment, segment, outcome, ...sums });
    }
  }

  /** In one order, so that no two instances wait for each other. */
  changed(): readonly HistoryRow[] {
    return [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  clear(): void {
    this.#rows.clear();
  }

  #add(row: HistoryRow): void {
    const { width, begins, suite, agent, agentVersion, environment, segment, outcome } = row;
    const key = JSON.stringify([width, begins, suite, agent, agentVersion, environment, segment, outcome]);
    const held = this.#rows.get(key);
    this.#rows.set(key, held === undefined ? row : { ...row, ...added(held, row) });
  }
}

export function added(a: HistorySums, b: HistorySums): HistorySums {
  return {
    evaluations: a.evaluations + b.evaluations,
    scored: a.scored + b.scored,
    scores: a.scores + b.scores,
    squares: a.squares + b.squares,
    shared: a.shared + b.shared,
    shares: a.shares + b.shares,
  };
}

/** Its columns in both stores. */
export const HISTORY_COLUMNS = {
  place: ['suite', 'width', 'begins', 'agent', 'agent_version', 'environment', 'segment', 'outcome'],
  sums: ['evaluations', 'scored', 'scores', 'squares', 'shared', 'shares'],
} as const;

export function historyValues(row: HistoryRow): readonly (number | string)[] {
  const { width, begins, suite, agent, agentVersion, environment, segment, outcome } = row;
  const { evaluations, scored, scores, squares, shared, shares } = row;
  return [
    ...[suite, width, begins, agent, agentVersion, environment, segment, OUTCOMES.indexOf(outcome)],
    ...[evaluations, scored, scores, squares, shared, shares],
  ];
}

export interface HistoryQuery {
  readonly width: number;
  readonly suite: string;
  /** Milliseconds; `until` is not in it. */
  readonly since: number;
  readonly until: number;
}

export interface HistorySumQuery extends HistoryQuery {
  /** Stretches are added up to this width, which is a multiple of theirs. */
  readonly step: number;
  /** The label by which they are kept apart. */
  readonly by: HistoryLabel | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly agentVersions?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
  readonly segments?: readonly string[] | undefined;
}

type HistoryLabel = 'agent' | 'agent_version' | 'environment' | 'segment';

/** Rows of the history that a database has added up. */
export interface SummedHistory extends HistorySums {
  readonly begins: number;
  /** The label by which they are kept apart; empty where it is none. */
  readonly key: string;
  readonly outcome: Outcome;
}

/** The statement that adds up. */
export function historyStatement(
  { among, toStored }: Pick<Dialect, 'among' | 'toStored'>,
  query: HistorySumQuery,
): { readonly sql: string; readonly values: readonly Value[] } {
  const { suite, width, since, until, step, by } = query;
  const filters = (
    [
      ['agent', query.agents],
      ['agent_version', query.agentVersions],
      ['environment', query.environments],
      ['segment', query.segments],
    ] as const
  ).flatMap(([column, values]) => (values === undefined ? [] : [{ sql: among(column), value: values.map(toStored) }]));
  const sums = HISTORY_COLUMNS.sums.map((name) => `sum(${name}) AS ${name}`);
  const key = by ?? "''";
  return {
    sql: `SELECT begins - begins % ${step} AS bucket, ${key} AS key, outcome, ${sums.join(', ')} FROM history
      WHERE suite = ? AND width = ? AND begins >= ? AND begins < ?${filters.map(({ sql }) => ` AND ${sql}`).join('')}
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    values: [toStored(suite), width, since, until, ...filters.map(({ value }) => value)],
  };
}

export function summedFrom(cells: SummedCells, text: (stored: string) => string): SummedHistory {
  return {
    begins: Number(cells.bucket),
    key: text(String(cells.key)),
    outcome: outcomeFrom(cells.outcome),
    ...sumsFrom(cells),
  };
}

export type SummedCells = {
  readonly [Name in 'bucket' | 'key' | 'outcome' | (typeof HISTORY_COLUMNS)['sums'][number]]: number | string;
};

/** As the rows are read. */
export type HistoryCells = {
  readonly [Name in (typeof HISTORY_COLUMNS)['place' | 'sums'][number]]: number | string;
};

export function historyRowFrom(cells: HistoryCells, text: (stored: string) => string): HistoryRow {
  return {
    width: Number(cells.width),
    begins: Number(cells.begins),
    suite: text(String(cells.suite)),
    agent: text(String(cells.agent)),
    agentVersion: text(String(cells.agent_version)),
    environment: text(String(cells.environment)),
    segment: text(String(cells.segment)),
    outcome: outcomeFrom(cells.outcome),
    ...sumsFrom(cells),
  };
}

export function outcomeFrom(number: number | string): Outcome {
  const outcome = OUTCOMES[Number(number)];
  if (outcome === undefined) throw new Error(`store: ${number} is not the number of an outcome`);
  return outcome;
}

export function sumsFrom(
  cells: { readonly [Name in (typeof HISTORY_COLUMNS)['sums'][number]]: number | string },
): HistorySums {
  return {
    evaluations: Number(cells.evaluations),
    scored: Number(cells.scored),
    scores: Number(cells.scores),
    squares: Number(cells.squares),
    shared: Number(cells.shared),
    shares: Number(cells.shares),
  };
}
