/**
 * `release` of `GET /api/v1/versions/compare`: may b get more traffic? It goes by conversations that ran beside each
 * other. If there are too few, as after a change of all traffic at once, b is compared with a as it was before. That
 * promotes nothing, because it says nothing of today, and the sentence of a roll-back says so.
 *
 * Conversations that were handed over or not scored are in no success rate. A version that hands everything over would
 * be promoted by the rest. So nothing is promoted unless the share that went well is kept of all conversations as well.
 */
import { meanOf } from '../../../statistics/compare/measure.ts';
import {
  compareBeside,
  compareOnline,
  type OnlineSample,
  type Valued,
} from '../../../statistics/compare/online/compare-online.ts';
import type { Raced } from '../../../statistics/compare/online/raced.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import type { VersionsCompared, VersionsQuery } from '../../../api/versions.ts';
import { releaseOf, ROLLS_BACK_AT, togetherOf } from '../../../model/release.ts';
import { isGood, isInSuccessRate } from '../../../model/severity.ts';
import type { LatestEvaluation, LatestEvaluations } from './latest-evaluations.ts';

type Evaluations = readonly LatestEvaluation[];

interface Asked extends Pick<VersionsQuery, 'a' | 'b' | 'smallest' | 'cases' | 'evidence'> {
  readonly raced: Raced | undefined;
}

const ALPHA = 0.05;

/** The race of detection and the comparison see the same traffic. The mean of their e-values is one, and hides neither. */
export function releaseJson(
  suite: SuiteOutline,
  sides: { readonly a: LatestEvaluations; readonly b: LatestEvaluations },
  asked: Asked,
): VersionsCompared['release'] {
  // A version that was cut has nothing before its oldest conversation, so the other's does not count.
  const from = Math.max(beginOf(sides.a), beginOf(sides.b));
  const since = ({ evaluations }: LatestEvaluations) => evaluations.filter(({ at }) => at >= from);
  const [a, b] = [since(sides.a), since(sides.b)];
  const rates = { a: valuesOf(a, successOf), b: valuesOf(b, successOf) };
  const compared = askedOf(suite, asked);
  const beside = compareBeside(rates.a, rates.b, compared);
  const rated = beside.isEnough
    ? beside
    : compareOnline(onlyOf(rates.a), onlyOf(rates.b), { ...compared, criteria: [] });
  const ofAll = compareBeside(valuesOf(a, goodShareOf), valuesOf(b, goodShareOf), compared);
  const logs = [...(asked.raced === undefined ? [] : [asked.raced.log.worse]), rated.logWorse];
  const evidence = { cases: asked.evidence, traffic: meanOf(logs.map(Math.exp)) ?? 1 };
  const change = rated.success.is === 'compared' ? rated.success : undefined;
  const needed = change === undefined ? 0 : (change.casesNeeded ?? 0) - change.cases;
  const { decision, sentence } = releaseOf({
    change,
    because: becauseOf({ a, b }, asked, { beside, ofAll }),
    conversationsNeeded: needed > 0 ? needed : undefined,
    evidence,
    beside: beside.isEnough ? { a: beside.a, b: beside.b } : undefined,
    allowed: asked.smallest,
    cases: asked.cases,
    about: suite.about,
  });
  return {
    decision,
    sentence,
    evidence: { ...evidence, together: togetherOf(evidence), rolls_back_at: ROLLS_BACK_AT },
  };
}

function askedOf(suite: SuiteOutline, { a, b, smallest }: Asked) {
  return { alpha: ALPHA, smallest, about: suite.about, called: { a: `version ${a}`, b: `version ${b}` } };
}

function onlyOf(successes: readonly Valued[]): OnlineSample {
  return { ...NOTHING, successes };
}

const NOTHING: Omit<OnlineSample, 'successes'> = { scores: [], passes: new Map(), steps: [], tokens: [], cost: [] };

/** Why nothing can be promoted, as a clause. */
function becauseOf(
  { a, b }: { readonly a: Evaluations; readonly b: Evaluations },
  asked: Asked,
  { beside, ofAll }: { readonly [side in 'beside' | 'ofAll']: ReturnType<typeof compareBeside> },
): string | undefined {
  if (asked.a === asked.b) return 'it is the version before';
  for (const [side, version] of [
    [a, asked.a],
    [b, asked.b],
  ] as const)
    if (side.length === 0) return `no conversation of version ${version} is known in this time`;
  if (!beside.isEnough) return `${asked.a} has too little traffic beside ${asked.b} to tell`;
  const isKept = ({ success }: typeof beside) => success.is === 'compared' && success.lower >= -asked.smallest;
  if (!isKept(beside) || isKept(ofAll)) return undefined;
  return `${unratedShare(b)} of the conversations of ${asked.b} were handed over or not scored, and are in no rate, of ${asked.a} ${unratedShare(a)}`;
}

function unratedShare(evaluations: Evaluations): string {
  const unrated = evaluations.filter(({ outcome }) => !isInSuccessRate(outcome)).length;
  return `${Math.round((100 * unrated) / evaluations.length)} %`;
}

function beginOf({ evaluations, isCut }: LatestEvaluations): number {
  return isCut
    ? evaluations.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY)
    : Number.NEGATIVE_INFINITY;
}

/** A value for each conversation that has one; it is the unit, and its turns are averaged. */
export function valuesOf(evaluations: Evaluations, of: (turns: Evaluations) => number | undefined): readonly Valued[] {
  return [...Map.groupBy(evaluations, ({ conversation }) => conversation).values()].flatMap((turns) => {
    const value = of(turns);
    return value === undefined ? [] : { ...cameOf(turns), value };
  });
}

export function cameOf(turns: Evaluations) {
  // The cast holds: a group has a member.
  const { conversation, at, kind } = turns[0] as LatestEvaluation;
  return { conversation, at, kind, user: turns.find((turn) => turn.user !== undefined)?.user };
}

export function successOf(turns: Evaluations): number | undefined {
  return goodShareOf(turns.filter(({ outcome }) => isInSuccessRate(outcome)));
}

export function goodShareOf(turns: Evaluations): number | undefined {
  return meanOf(turns.map(({ outcome }) => (isGood(outcome) ? 1 : 0)));
}
