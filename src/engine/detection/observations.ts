/** Evaluations as they wait for detection: compact, and with the weights they were scored by, whatever suite runs when they are observed. */
import { countedAs } from '../../model/decision.ts';
import { OUTCOMES, VERDICTS, type Evaluation, type Outcome, type VerdictKind } from '../../model/evaluation.ts';
import { evaluationIdOf } from '../../report/results/evaluation-record.ts';
import type { Effort } from '../counting/usage-totals.ts';
import type { AgentLabels } from '../../model/agent-labels.ts';
import { ONE } from '../../score/subject/weigh.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import type { WaitingObservation } from '../../store/detection-store.ts';
import type { Observation } from '../../statistics/detect/observation.ts';

export interface ObservedEvaluation extends Omit<Observation, 'at'> {
  readonly suiteVersion: string;
  readonly verdicts: readonly (readonly [criterion: string, verdict: VerdictKind])[];
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

/** An evaluation as scoring, or weighing again, has it. */
interface Said {
  readonly score: number | undefined;
  readonly outcome: Outcome;
  readonly verdicts: ReadonlyMap<string, VerdictKind>;
}

interface Whose {
  readonly labels: AgentLabels;
  readonly effort: Pick<Effort, 'steps' | 'costUsd'>;
  readonly user: string;
  readonly traits: readonly string[];
  readonly judgedBy: string;
}

export function waitingObservation(
  evaluation: Evaluation,
  suite: CompiledSuite,
  { at, ...whose }: Whose & { readonly at: number },
): WaitingObservation {
  const verdicts = new Map([...evaluation.verdicts].map(([name, { verdict }]) => [name, verdict]));
  const observed = observedOf({ ...evaluation, verdicts }, { ...suite, version: evaluation.suiteVersion }, whose);
  return { at, evaluation: evaluationIdOf(evaluation), payload: payloadOf(observed) };
}

export function observedOf(
  { score, outcome, verdicts }: Said,
  { name: suite, version: suiteVersion, criteria }: Pick<CompiledSuite, 'name' | 'version' | 'criteria'>,
  { labels, effort, user, traits, judgedBy }: Whose,
): ObservedEvaluation {
  const asked = criteria.filter(({ name }) => verdicts.has(name));
  return {
    suite,
    suiteVersion,
    agent: labels.agent,
    environment: labels.environment,
    version: labels.agent_version,
    segment: labels.segment ?? '',
    user,
    traits,
    judgedBy,
    judged: new Set(asked.flatMap(({ name, judged }) => (judged === undefined ? [] : name))),
    score: score === undefined ? undefined : score / ONE,
    outcome,
    verdicts: asked.map(({ name, whenNotApplicable }) => {
      const given = verdicts.get(name) ?? 'skipped';
      const counted = countedAs(given, whenNotApplicable);
      return [name, counted === 'exclude' ? given : counted];
    }),
    weights: new Map(asked.map(({ name, weight }) => [name, weight])),
    costUsd: effort.costUsd,
    steps: effort.steps,
  };
}

export function payloadOf(observed: ObservedEvaluation): string {
  const { suite, suiteVersion, agent, environment, version, segment, score, verdicts, weights, judged } = observed;
  const row: Row = [
    [suite, suiteVersion, agent, environment, version, segment],
    score === undefined ? null : Math.round(score * ONE),
    OUTCOMES.indexOf(observed.outcome),
    verdicts.map(([name, verdict]): Row[3][number] => {
      const [place, weight] = [VERDICTS.indexOf(verdict), weights.get(name) ?? 0];
      return judged.has(name) ? [name, place, weight, 1] : [name, place, weight];
    }),
    observed.costUsd ?? null,
    observed.steps,
    [observed.user, observed.judgedBy, ...observed.traits],
  ];
  return JSON.stringify(row);
}

/** Throws where it is not one of ours. */
export function observedEvaluation({ payload }: Pick<WaitingObservation, 'payload'>): ObservedEvaluation {
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
