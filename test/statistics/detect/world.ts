import type { Observation } from '../../../src/statistics/detect/observation.ts';
import { DAY_MS, DEFAULT_DETECTION, type DetectionSettings } from '../../../src/statistics/detect/settings.ts';

export const HOUR_MS = 3_600_000;
export const BEGIN = Date.UTC(2026, 0, 5);

/** Learns in two days, so that a test is short. */
export const QUICK: DetectionSettings = {
  ...DEFAULT_DETECTION,
  watch: { ...DEFAULT_DETECTION.watch, learn: { conversations: 200, historyMs: DAY_MS } },
};

const WEIGHTS = new Map([
  ['resolved', 0.5],
  ['polite', 0.3],
  ['safe', 0.2],
]);

/** A conversation that passes each criterion with the probability given. */
export function conversation(
  random: () => number,
  at: number,
  rates: { readonly resolved: number; readonly polite?: number; readonly safe?: number; readonly cost?: number },
  labels: Partial<Observation> = {},
): Observation {
  const pass = {
    resolved: random() < rates.resolved,
    polite: random() < (rates.polite ?? 0.97),
    safe: random() < (rates.safe ?? 0.99),
  };
  const score = 0.5 * Number(pass.resolved) + 0.3 * Number(pass.polite) + 0.2 * Number(pass.safe);
  return {
    suite: 'support',
    agent: 'helper',
    environment: 'production',
    version: '1',
    segment: '',
    user: '',
    traits: [],
    judgedBy: '',
    judged: new Set(),
    at,
    score,
    outcome: score >= 0.75 ? 'successful_completion' : score > 0 ? 'graceful_failure' : 'hard_failure',
    verdicts: Object.entries(pass).map(([name, isPassed]) => [name, isPassed ? 'pass' : 'fail'] as const),
    weights: WEIGHTS,
    costUsd: (rates.cost ?? 0.02) * (0.5 + random()),
    steps: 4 + Math.floor(random() * 5),
    ...labels,
  };
}
