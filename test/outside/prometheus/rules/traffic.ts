/**
 * Series as an instance of Assay would expose them, from a description of an agent's traffic: conversations per hour,
 * their score, criteria and cost. Exact by default; with a seed, every count is random.
 */
import { randomFrom } from '../../../random.ts';

/** One value for each step; undefined if the target was not scraped, or did not exist. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly values: readonly (number | undefined)[];
}

export interface Phase {
  readonly hours: number;
  /** The target is away, or does not exist yet; its counts meanwhile appear afterwards. */
  readonly unseen?: boolean;
  /** The store was recreated: counters begin at zero. */
  readonly reset?: boolean;
  readonly perHour: number;
  /** The suite checks only form: its best outcome is `no_fault_found`. */
  readonly formOnly?: boolean;
  /** Mean score. */
  readonly score: number;
  /** Share of `successful_completion`; the score by default: all or nothing. */
  readonly success?: number;
  readonly hardFailures?: number;
  readonly unscored?: number;
  /** Pass rates. */
  readonly criteria?: Readonly<Record<string, number>>;
  /** Share of conversations that a criterion decides; all by default. */
  readonly decided?: Readonly<Record<string, number>>;
  /** Variance of the score relative to all or nothing. */
  readonly dispersion?: number;
  readonly cost?: number;
  readonly steps?: number;
}

export interface TrafficOptions {
  readonly agent?: string;
  readonly version?: string;
  readonly segment?: string;
  readonly instance?: string;
  readonly seed?: number;
  /** Minutes between two samples. */
  readonly stepMinutes?: number;
}

const SUCCESSFUL = 'successful_completion';
/** Variance of cost and steps relative to the square of their mean. */
const SPREAD = { cost_usd: 1, steps: 0.25 } as const;

export function traffic(phases: readonly Phase[], options: TrafficOptions = {}): readonly Series[] {
  const { agent = 'shop', version = 'v1', segment, instance = 'assay-1', seed, stepMinutes = 15 } = options;
  const base = {
    suite: 'default',
    agent,
    agent_version: version,
    environment: 'production',
    ...(segment === undefined ? {} : { segment }),
    job: 'assay',
    instance,
  };
  const draw = seed === undefined ? undefined : drawing(seed);
  const counters = new Map<string, { series: Series; total: number; values: (number | undefined)[] }>();
  const add = (name: string, labels: Readonly<Record<string, string>>, amount: number) => {
    const key = JSON.stringify([name, labels]);
    let counter = counters.get(key);
    if (counter === undefined) {
      const values: (number | undefined)[] = [];
      counter = { series: { name, labels: { ...base, ...labels }, values }, total: 0, values };
      counters.set(key, counter);
    }
    counter.total += amount;
  };
  const sample = ({ unseen = false }: Phase) => {
    for (const counter of counters.values()) counter.values.push(unseen ? undefined : Number(counter.total.toFixed(9)));
  };
  for (const phase of phases) count(phase, 0, add, undefined);
  if (phases[0] !== undefined) sample(phases[0]);
  for (const phase of phases) {
    if (phase.reset === true) for (const counter of counters.values()) counter.total = 0;
    const steps = (phase.hours * 60) / stepMinutes;
    for (let step = 0; step < steps; step += 1) {
      count(phase, (phase.perHour * stepMinutes) / 60, add, draw);
      sample(phase);
    }
  }
  const about = phases.some(({ formOnly }) => formOnly === true) ? 'form' : 'task';
  const samples = [...counters.values()][0]?.values.length ?? 0;
  const subject: Series = {
    name: 'assay_criterion_weight_ratio',
    labels: { suite: base.suite, criterion: 'subject', about, job: base.job, instance },
    values: Array.from({ length: samples }, () => 0),
  };
  return [...[...counters.values()].map(({ series }) => series), subject];
}

type Add = (name: string, labels: Readonly<Record<string, string>>, amount: number) => void;
type Draw = ReturnType<typeof drawing>;

/** The events of one step with `mean` conversations on average. */
function count(phase: Phase, mean: number, add: Add, draw: Draw | undefined): void {
  const evaluated = draw === undefined ? mean : draw.poisson(mean);
  const share = (of: number, probability: number) =>
    draw === undefined ? of * probability : draw.binomial(of, probability);
  const unscored = share(evaluated, phase.unscored ?? 0);
  const scored = evaluated - unscored;
  const successes = share(scored, phase.success ?? phase.score);
  // All or nothing unless a separate success rate is given.
  const score = phase.success === undefined ? successes : scored * phase.score;
  const hard = share(
    scored - successes,
    Math.min(1, (phase.hardFailures ?? 0) / Math.max(1e-9, 1 - (phase.success ?? phase.score))),
  );
  const outcomes = {
    [phase.formOnly === true ? 'no_fault_found' : SUCCESSFUL]: successes,
    graceful_failure: 0,
    partial_failure: scored - successes - hard,
    hard_failure: hard,
    unscored,
  };
  for (const [outcome, amount] of Object.entries(outcomes)) add('assay_evaluations_total', { outcome }, amount);
  add('assay_evaluation_score_count', {}, scored);
  add('assay_evaluation_score_sum', {}, score);
  const m = phase.score;
  // The square of a yes or no is itself. With squares of the mean, successes by chance would look like no scatter.
  const squared =
    phase.success === undefined && phase.dispersion === undefined
      ? score
      : scored * (m * m + (phase.dispersion ?? 1) * m * (1 - m));
  add('assay_evaluation_score_squared_total', {}, squared);
  add('assay_evaluation_score_withdrawn_count', {}, 0);
  add('assay_evaluation_score_withdrawn_sum', {}, 0);
  for (const [criterion, rate] of Object.entries(phase.criteria ?? {})) {
    const decided = share(scored, phase.decided?.[criterion] ?? 1);
    const passed = share(decided, rate);
    const verdicts = {
      pass: passed,
      fail: decided - passed,
      not_applicable: evaluated - decided,
      error: 0,
      skipped: 0,
    };
    for (const [verdict, amount] of Object.entries(verdicts))
      add('assay_verdicts_total', { criterion, verdict }, amount);
  }
  for (const [measure, each] of [
    ['cost_usd', phase.cost],
    ['steps', phase.steps],
  ] as const) {
    if (each === undefined) continue;
    const metric = `assay_conversation_${measure}`;
    for (const [outcome, amount] of Object.entries(outcomes)) {
      add(`${metric}_count`, { outcome }, amount);
      add(`${metric}_sum`, { outcome }, amount * each);
    }
    add(`${metric}_squared_total`, {}, evaluated * each * each * (1 + SPREAD[measure]));
  }
}

/** Weights of the suite's criteria, as every instance exposes them. */
export function weights(byCriterion: Readonly<Record<string, number>>, samples: number): readonly Series[] {
  return ['assay-1', 'assay-2'].flatMap((instance) =>
    Object.entries(byCriterion).map(([criterion, weight]) => ({
      name: 'assay_criterion_weight_ratio',
      labels: { suite: 'default', criterion, job: 'assay', instance },
      values: Array.from({ length: samples }, () => weight),
    })),
  );
}

/** A gauge or counter with a value for every sample. */
export function gauge(
  name: string,
  labels: Readonly<Record<string, string>>,
  values: readonly (number | undefined)[],
): Series {
  return { name, labels: { job: 'assay', instance: 'assay-1', ...labels }, values };
}

/** `[value, times], ...` */
export function runs(...parts: readonly (readonly [number | undefined, number])[]): readonly (number | undefined)[] {
  return parts.flatMap(([value, times]) => Array.from({ length: times }, () => value));
}

export function rising(perStep: number, times: number, from = 0): readonly number[] {
  return Array.from({ length: times }, (_, step) => from + perStep * step);
}

function drawing(seed: number) {
  const next = randomFrom(seed);
  const binomial = (n: number, p: number) => {
    let found = 0;
    for (let i = 0; i < n; i += 1) if (next() < p) found += 1;
    return found;
  };
  const poisson = (mean: number) => {
    // Knuth's algorithm, in pieces that exp() does not round to zero.
    let left = mean;
    let found = 0;
    while (left > 0) {
      const limit = Math.exp(-Math.min(left, 50));
      left -= 50;
      for (let product = next(); product > limit; product *= next()) found += 1;
    }
    return found;
  };
  return { binomial, poisson };
}
