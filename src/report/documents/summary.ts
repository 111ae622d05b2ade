/** What many evaluations add up to: TCR with its band, outcomes, and the criteria that fail most. */
import { decisionOf } from '../../model/decision.ts';
import { type Evaluation, OUTCOMES, type Outcome } from '../../model/evaluation.ts';

/** From the task completion rate: 0.85 and above, 0.70 and above, below. */
type Band = 'production ready' | 'usable' | 'not ready';

export interface SuiteSummary {
  readonly evaluations: number;
  readonly scored: number;
  /** Mean score of what was scored; null where nothing was. */
  readonly tcr: number | null;
  readonly band: Band | null;
  readonly outcomes: { readonly [outcome in Outcome]: number };
}

export interface FailingCriterion {
  readonly suite: string;
  readonly criterion: string;
  readonly failed: number;
  readonly decided: number;
  readonly pass_rate: number;
  /** Some of the conversations in which it failed. */
  readonly examples: readonly string[];
}

export interface Summary extends SuiteSummary {
  readonly conversations: number;
  readonly suites: { readonly [suite: string]: SuiteSummary };
  readonly failing_criteria: readonly FailingCriterion[];
}

const EXAMPLES_MAX = 3;

export function summarize(evaluations: readonly Evaluation[]): Summary {
  const bySuite = Map.groupBy(evaluations, ({ suite }) => suite);
  return {
    conversations: new Set(evaluations.map(({ conversationId }) => conversationId)).size,
    ...summarizeSuite(evaluations),
    suites: Object.fromEntries([...bySuite].map(([suite, rows]) => [suite, summarizeSuite(rows)])),
    failing_criteria: failingCriteria(evaluations),
  };
}

export function bandOf(tcrMillionths: number): Band {
  if (tcrMillionths >= 850_000) return 'production ready';
  return tcrMillionths >= 700_000 ? 'usable' : 'not ready';
}

function summarizeSuite(evaluations: readonly Evaluation[]): SuiteSummary {
  const scores = evaluations.map(({ score }) => score).filter((score) => score !== undefined);
  const sum = scores.reduce((total, score) => total + score, 0);
  const mean = scores.length === 0 ? undefined : sum / scores.length;
  const count = (outcome: Outcome) => evaluations.filter((evaluation) => evaluation.outcome === outcome).length;
  const counts = OUTCOMES.map((outcome) => [outcome, count(outcome)] as const);
  return {
    evaluations: evaluations.length,
    scored: scores.length,
    tcr: mean === undefined ? null : Math.round(mean) / 1_000_000,
    band: mean === undefined ? null : bandOf(mean),
    // The cast holds: the entries are made from the list of all outcomes.
    outcomes: Object.fromEntries(counts) as SuiteSummary['outcomes'],
  };
}

function failingCriteria(evaluations: readonly Evaluation[]): FailingCriterion[] {
  const found = new Map<
    string,
    { suite: string; criterion: string; failed: number; decided: number; examples: Set<string> }
  >();
  for (const { suite, verdicts, conversationId } of evaluations) {
    for (const [criterion, { verdict }] of verdicts) {
      const decision = decisionOf(verdict);
      if (decision === undefined) continue;
      const key = JSON.stringify([suite, criterion]);
      const entry = found.get(key) ?? { suite, criterion, failed: 0, decided: 0, examples: new Set() };
      found.set(key, entry);
      entry.decided += 1;
      if (decision === 'pass') continue;
      entry.failed += 1;
      if (entry.examples.size < EXAMPLES_MAX) entry.examples.add(conversationId);
    }
  }
  return [...found.values()]
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed || compare(a.suite, b.suite) || compare(a.criterion, b.criterion))
    .map(({ suite, criterion, failed, decided, examples }) => ({
      suite,
      criterion,
      failed,
      decided,
      pass_rate: Math.round((1 - failed / decided) * 1_000_000) / 1_000_000,
      examples: [...examples],
    }));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
