/** Sums up evaluations: TCR, the share of successes, outcomes, and the criteria that fail most. */
import { decisionOf, undecidedBy } from '../../model/decision.ts';
import type { About, Evaluation, Outcome, SuiteScope } from '../../model/evaluation.ts';
import { type FailureKinds, failureKinds } from '../../model/failure-kinds.ts';
import { aboutOf, meanDecided } from '../../model/known-share.ts';
import { isFailure, OUTCOMES_IN_ORDER } from '../../model/severity.ts';

export interface SuiteSummary {
  readonly evaluations: number;
  /** Runs of an experiment that broke off and left nothing to score, each a hard failure with score 0. They are in the figures, and no evaluations. */
  readonly broke_off: number;
  readonly scored: number;
  /** Its unit: a turn, or a whole conversation. Null of nothing, and of both together. */
  readonly scope: SuiteScope | null;
  /** Mean score of what was scored; null where nothing was. It is the task completion rate where the task was checked. */
  readonly tcr: number | null;
  /** How much of the suite's weight could be decided, on average over all evaluations; null where it is not known. */
  readonly decided_share: number | null;
  /**
   * Share of successes in what succeeded or failed: what was handed over to a person, and what is known by its form alone, is in neither. Null where
   * there are none, and of a suite that is not about the task.
   */
  readonly success_rate: number | null;
  /** For a suite that is not about the task, the share in which no fault was found. Null of others. */
  readonly no_fault_rate: number | null;
  /** The most that its decided criteria are about; null where it is not known. */
  readonly about: About | null;
  /** Share of what was scored in which a criterion about the task was decided. */
  readonly with_evidence: number | null;
  readonly outcomes: { readonly [outcome in Outcome]: number };
  /** Kinds of failures, by outcome, the most frequent first. */
  readonly because: FailureKinds;
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

/** A criterion that nowhere could be decided, although a tool was called whose argument it reads. */
export interface NeverDecided {
  readonly suite: string;
  readonly criterion: string;
  /** Evaluations in which the argument was absent. */
  readonly argument_absent: number;
  readonly reason: string;
  /** Some of the conversations. */
  readonly examples: readonly string[];
}

export interface Summary extends SuiteSummary {
  readonly conversations: number;
  readonly suites: { readonly [suite: string]: SuiteSummary };
  readonly failing_criteria: readonly FailingCriterion[];
  readonly never_decided: readonly NeverDecided[];
}

const EXAMPLES_MAX = 3;

export function summarize(evaluations: readonly Evaluation[]): Summary {
  const bySuite = Map.groupBy(evaluations, ({ suite }) => suite);
  return {
    conversations: new Set(evaluations.map(({ conversationId }) => conversationId)).size,
    ...summarizeSuite(evaluations),
    suites: Object.fromEntries([...bySuite].map(([suite, rows]) => [suite, summarizeSuite(rows)])),
    failing_criteria: failingCriteria(evaluations),
    never_decided: neverDecided(evaluations),
  };
}

function summarizeSuite(evaluations: readonly Evaluation[]): SuiteSummary {
  const scored = evaluations.filter(({ score }) => score !== undefined);
  const sum = scored.reduce((total, { score = 0 }) => total + score, 0);
  const mean = scored.length === 0 ? undefined : sum / scored.length;
  const [first] = evaluations;
  const scopes = new Set(evaluations.map(({ scope }) => scope));
  const known = scored.filter(({ about }) => about === 'task').length;
  const about = aboutOf(evaluations);
  const count = (outcome: Outcome) => evaluations.filter((evaluation) => evaluation.outcome === outcome).length;
  const counts = OUTCOMES_IN_ORDER.map((outcome) => [outcome, count(outcome)] as const);
  const failed = evaluations.filter(({ outcome }) => isFailure(outcome)).length;
  const rate = (good: Outcome) => share(count(good), count(good) + failed);
  // Evaluations of before that was kept are taken as they were: for being about the task.
  const isAboutTask = about === undefined || about === 'task';
  const successes = isAboutTask ? rate('successful_completion') : null;
  return {
    evaluations: evaluations.length,
    broke_off: 0,
    scored: scored.length,
    scope: scopes.size === 1 ? (first?.scope ?? null) : null,
    tcr: mean === undefined ? null : Math.round(mean) / 1_000_000,
    decided_share: meanDecided(evaluations),
    success_rate: successes,
    no_fault_rate: isAboutTask ? null : rate('no_fault_found'),
    about: about ?? null,
    with_evidence: share(known, scored.length),
    // The cast holds: the entries are made from the list of all outcomes.
    outcomes: Object.fromEntries(counts) as SuiteSummary['outcomes'],
    because: failureKinds(evaluations),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1_000_000) / 1_000_000;
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

function neverDecided(evaluations: readonly Evaluation[]): NeverDecided[] {
  const answers = evaluations.flatMap(({ suite, conversationId, verdicts }) =>
    [...verdicts].map(([criterion, verdict]) => ({ suite, conversationId, criterion, verdict })),
  );
  const byCriterion = Map.groupBy(answers, ({ suite, criterion }) => JSON.stringify([suite, criterion]));
  return [...byCriterion.values()].flatMap((all) => {
    const without = all.filter(({ verdict }) => undecidedBy(verdict) === 'argument_absent');
    const [first] = without;
    if (first === undefined || all.some(({ verdict }) => decisionOf(verdict.verdict) !== undefined)) return [];
    const examples = new Set(without.map(({ conversationId }) => conversationId));
    return {
      suite: first.suite,
      criterion: first.criterion,
      argument_absent: without.length,
      reason: first.verdict.reason,
      examples: [...examples].slice(0, EXAMPLES_MAX),
    };
  });
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
