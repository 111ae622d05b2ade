/**
 * Compares what a suite says of conversations with what came of them in the world. Conversations without an outcome are
 * left out. Conversations that the suite calls neither good nor bad are in no figure of agreement, and conversations
 * without a score in no area. Both are counted beside the figures.
 *
 * The intervals of shares and of kappa take each conversation for independent of the others; that of the area takes the
 * case for the unit.
 */
import { type About, ABOUTS, type Evaluation } from '../../model/evaluation.ts';
import { isFailure, isGood, OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import type { CriterionValidity, OutcomeLabel, SuiteValidity } from '../../model/validity.ts';
import { areaWithinCases, estimatedArea } from './area-under-curve.ts';
import { shareOf } from './estimate.ts';
import { kappaOf } from './kappa.ts';
import { type SaidOfConversation, saidOfConversations, sayerKey } from './said-of-conversations.ts';

/** A conversation with the suite's answer and its labelled outcome. */
type Pair = SaidOfConversation & OutcomeLabel;

interface Held {
  readonly suites: readonly SuiteValidity[];
  /** Conversations that have an outcome and an evaluation. */
  readonly labelled: number;
  /** Conversations that were evaluated and have no outcome. */
  readonly withoutOutcome: number;
  /** Outcomes of conversations that were not evaluated: not in the recording, or matched by no suite. */
  readonly unknown: readonly string[];
}

/** The outcomes are by conversation id. Suites come in the order in which they are first found. */
export function holdAgainst(evaluations: readonly Evaluation[], outcomes: ReadonlyMap<string, OutcomeLabel>): Held {
  const evaluated = new Set<string>(evaluations.map(({ conversationId }) => conversationId));
  const labelled = [...evaluated].filter((id) => outcomes.has(id)).length;
  return {
    suites: [...Map.groupBy(evaluations, ({ suite, suiteVersion }) => JSON.stringify([suite, suiteVersion]))].map(
      ([, own]) => suiteValidity(own, outcomes),
    ),
    labelled,
    withoutOutcome: evaluated.size - labelled,
    unknown: [...outcomes.keys()].filter((id) => !evaluated.has(id)),
  };
}

/** The evaluations are those of one version of a suite, at least one. */
function suiteValidity(evaluations: readonly Evaluation[], outcomes: ReadonlyMap<string, OutcomeLabel>): SuiteValidity {
  const pairs = saidOfConversations(evaluations).flatMap((said): readonly Pair[] => {
    const outcome = outcomes.get(said.conversationId);
    return outcome === undefined ? [] : [{ ...said, ...outcome }];
  });
  const all = count(pairs);
  const saidGood = count(pairs.filter(({ outcome }) => isGood(outcome)));
  const saidBad = count(pairs.filter(({ outcome }) => isFailure(outcome)));
  const agreed = saidGood.good + saidBad.bad;
  const scored = pairs.flatMap(({ score, isGood: isPositive, case: named }) =>
    score === undefined ? [] : [{ score, isPositive, case: named }],
  );
  return {
    suite: evaluations[0]?.suite ?? '',
    suiteVersion: evaluations[0]?.suiteVersion ?? '',
    scope: evaluations[0]?.scope ?? 'conversation',
    about: aboutOf(evaluations),
    ...all,
    shareGood: shareOf(all.good, pairs.length),
    said: OUTCOMES_IN_ORDER.flatMap((outcome) => {
      const own = pairs.filter((pair) => pair.outcome === outcome);
      return own.length === 0 ? [] : [{ outcome, ...count(own) }];
    }),
    saidGood,
    saidBad,
    saidNeither: { good: all.good - saidGood.good - saidBad.good, bad: all.bad - saidGood.bad - saidBad.bad },
    agreement: shareOf(agreed, saidGood.good + saidGood.bad + saidBad.good + saidBad.bad),
    kappa: kappaOf({
      passOfPass: saidGood.good,
      failOfPass: saidBad.good,
      passOfFail: saidGood.bad,
      failOfFail: saidBad.bad,
    }),
    withoutScore: count(pairs.filter(({ score }) => score === undefined)),
    area: estimatedArea(scored),
    withinCases: areaWithinCases(scored),
    criteria: criteriaIn(evaluations).flatMap((criterion) => criterionValidities(criterion, pairs)),
  };
}

/** A criterion that was never decided appears once. */
function criterionValidities(criterion: string, pairs: readonly Pair[]): readonly CriterionValidity[] {
  const said = pairs.flatMap(({ decisions }) => decisions.filter((one) => one.criterion === criterion));
  const sayers = new Map(said.map((one) => [sayerKey(one), one.judgedBy]));
  if (sayers.size === 0) return [criterionValidity({ criterion, judgedBy: undefined }, pairs)];
  return [...sayers.values()].map((judgedBy) => criterionValidity({ criterion, judgedBy }, pairs));
}

function criterionValidity(
  sayer: Pick<CriterionValidity, 'criterion' | 'judgedBy'>,
  pairs: readonly Pair[],
): CriterionValidity {
  const key = sayerKey(sayer);
  const saidIn = ({ decisions }: Pair) => decisions.find((one) => sayerKey(one) === key)?.decision;
  const decided = pairs.filter((pair) => saidIn(pair) !== undefined);
  const failed = count(decided.filter((pair) => saidIn(pair) === 'fail'));
  const others = (pair: Pair) => pair.decisions.some(({ criterion }) => criterion === sayer.criterion);
  const asked = pairs.filter((pair) => saidIn(pair) !== undefined || !others(pair));
  return {
    criterion: sayer.criterion,
    judgedBy: sayer.judgedBy,
    decided: count(decided),
    failed,
    precision: shareOf(failed.bad, failed.good + failed.bad),
    recall: shareOf(failed.bad, count(asked).bad),
  };
}

function count(pairs: readonly Pair[]): { readonly good: number; readonly bad: number } {
  const good = pairs.filter((pair) => pair.isGood).length;
  return { good, bad: pairs.length - good };
}

function aboutOf(evaluations: readonly Evaluation[]): About | undefined {
  return ABOUTS.findLast((about) => evaluations.some((evaluation) => evaluation.about === about));
}

function criteriaIn(evaluations: readonly Evaluation[]): readonly string[] {
  return [...new Set(evaluations.flatMap(({ verdicts }) => [...verdicts.keys()]))];
}
