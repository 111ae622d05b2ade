/** Evaluations as they wait for detection: compact, and with the weights they were scored by, whatever suite runs when they are observed. */
import { countedAs } from '../../model/decision.ts';
import { OUTCOMES, VERDICTS, type Evaluation, type Outcome, type VerdictKind } from '../../model/evaluation.ts';
import { evaluationIdOf } from '../../report/results/evaluation-record.ts';
import type { Effort } from '../counting/usage-totals.ts';
import type { AgentLabels } from '../../model/agent-labels.ts';
import { ONE } from '../../score/weigh.ts';
import type { CompiledSuite } from '../../score/suite.ts';
import type { WaitingObservation } from '../../store/detection-store.ts';

export interface ObservedEvaluation {
  readonly suite: string;
  readonly suiteVersion: string;
  readonly agent: string;
  readonly environment: string;
  readonly version: string;
  /** Empty where none is configured. */
  readonly segment: string;
  /** A hash of who had the conversation; empty where spans name nobody. */
  readonly user: string;
  /** Such as `tool: search`. */
  readonly traits: readonly string[];
  /** The judges' own version, over all criteria that a model answers; empty where there are none. */
  readonly judgedBy: string;
  /** Criteria that a model answers. */
  readonly judged: ReadonlySet<string>;
  /** From 0 to 1; undefined where it was unscored. */
  readonly score: number | undefined;
  readonly outcome: Outcome;
  /** As they counted: what the suite counts as a pass although it did not apply is one. */
  readonly verdicts: readonly (readonly [criterion: string, verdict: VerdictKind])[];
  readonly weights: ReadonlyMap<string, number>;
  readonly costUsd: number | undefined;
  readonly steps: number;
}

/** The texts by place, the numbers short: a row is written for each evaluation. */
type Row = readonly [
  texts: readonly [
    suite: string,
    suiteVersion: string,
    agent: string,
    environment: string,
    version: string,
    segment: string,
  ],
  score: number | null,
  outcome: number,
  /** The last number is there for criteria that a model answers. */
  verdicts: readonly (readonly [criterion: string, verdict: number, weight: number, judged?: 1])[],
  costUsd: number | null,
  steps: number,
  /** Absent in a row of an older Assay. */
  who?: readonly [user: string, judgedBy: string, ...traits: readonly string[]],
];

export function waitingObservation(
  evaluation: Evaluation,
  suite: CompiledSuite,
  of: {
    readonly labels: AgentLabels;
    readonly effort: Effort;
    readonly at: number;
    readonly user: string;
    readonly traits: readonly string[];
    readonly judgedBy: string;
  },
): WaitingObservation {
  const { agent, environment, agent_version: version, segment = '' } = of.labels;
  const verdicts = suite.criteria.flatMap(({ name, weight, whenNotApplicable, judged }): Row[3] => {
    const given = evaluation.verdicts.get(name)?.verdict;
    if (given === undefined) return [];
    const counted = countedAs(given, whenNotApplicable);
    const verdict = counted === 'exclude' ? given : counted;
    const place = VERDICTS.indexOf(verdict);
    return [judged === undefined ? [name, place, weight] : [name, place, weight, 1]];
  });
  const row: Row = [
    [evaluation.suite, evaluation.suiteVersion, agent, environment, version, segment],
    evaluation.score ?? null,
    OUTCOMES.indexOf(evaluation.outcome),
    verdicts,
    of.effort.costUsd ?? null,
    of.effort.steps,
    [of.user, of.judgedBy, ...of.traits],
  ];
  return { at: of.at, evaluation: evaluationIdOf(evaluation), payload: JSON.stringify(row) };
}

/** Throws where it is not one of ours. */
export function observedEvaluation({ payload }: WaitingObservation): ObservedEvaluation {
  // The cast holds for what `waitingObservation` wrote; anything else fails below, or is of a type that detection refuses.
  const [texts, score, outcome, verdicts, costUsd, steps, who = ['', '']] = JSON.parse(payload) as Row;
  const [user, judgedBy, ...traits] = who;
  const [suite, suiteVersion, agent, environment, version, segment] = texts;
  return {
    suite,
    suiteVersion,
    agent,
    environment,
    version,
    segment,
    user,
    traits,
    judgedBy,
    judged: new Set(verdicts.flatMap(([criterion, , , judged]) => (judged === 1 ? criterion : []))),
    score: score === null ? undefined : score / ONE,
    outcome: OUTCOMES[outcome] ?? 'unscored',
    verdicts: verdicts.map(([criterion, verdict]) => [criterion, VERDICTS[verdict] ?? 'skipped']),
    weights: new Map(verdicts.map(([criterion, , weight]) => [criterion, weight])),
    costUsd: costUsd ?? undefined,
    steps,
  };
}
