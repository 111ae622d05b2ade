/**
 * Figures of the API with their intervals of 95 %. Conversations of one user are alike, so an interval is that of fewer
 * unrelated ones: their number over the design effect (`statistics/compare/online/related.ts`).
 */
import { meanOf, type ScoreSums, shareOf as wilsonShareOf } from '../../../statistics/calibrate/estimate.ts';
import { type Came, designEffectOf, grownEffect } from '../../../statistics/compare/online/related.ts';
import type { ApiEstimate, Related } from '../../../api/shapes.ts';
import type { Estimate } from '../../../model/estimate.ts';
import { isGood, isInSuccessRate } from '../../../model/severity.ts';
import type { LatestEvaluation } from './latest-evaluations.ts';

/** Share of conversations without a user above which a note says so. */
const UNNAMED_LITTLE = 0.1;

/** Wilson's interval; undefined of nothing. */
export function shareEstimate(count: number, of: number, effect = 1): ApiEstimate | undefined {
  return apiEstimate(wilsonShareOf(count / effect, of / effect), of);
}

/** A single score has no estimate, because its variance is unknown. */
export function meanEstimate({ n, sum, squares }: ScoreSums, effect = 1): ApiEstimate | undefined {
  if (n < 2) return undefined;
  const by = Math.min(effect, n / 2);
  return apiEstimate(meanOf({ n: n / by, sum: sum / by, squares: squares / by }), n);
}

function apiEstimate(estimate: Estimate | undefined, n: number): ApiEstimate | undefined {
  return estimate === undefined ? undefined : { value: estimate.value, low: estimate.lower, high: estimate.upper, n };
}

/** Design effects of the mean score and of the rate of good outcomes. */
export interface Effects {
  readonly tcr: number;
  readonly success: number;
}

export function effectsOf(evaluations: readonly LatestEvaluation[]): Effects {
  const told = evaluations.filter(({ outcome }) => isInSuccessRate(outcome));
  return {
    tcr: designEffectOf(evaluations.flatMap((one) => (one.score === undefined ? [] : { ...one, value: one.score }))),
    success: designEffectOf(told.map((one) => ({ ...one, value: isGood(one.outcome) ? 1 : 0 }))),
  };
}

/** Design effects of many agents together, each against its own level. `all` counts the evaluations, read or not. */
export function effectsOfMany(latest: readonly LatestEvaluation[], all: number): Effects {
  const effect = (valueIn: (one: LatestEvaluation) => number | undefined) => {
    const valued = latest.flatMap((one) => {
      const value = valueIn(one);
      return value === undefined ? [] : [{ ...one, value }];
    });
    const means = new Map(
      [...Map.groupBy(valued, ({ agent }) => agent)].map(([agent, own]) => [
        agent,
        own.reduce((sum, { value }) => sum + value, 0) / own.length,
      ]),
    );
    const around = valued.map((one) => ({ ...one, value: one.value - (means.get(one.agent) ?? 0) }));
    return around.length === 0 ? 1 : grownEffect(designEffectOf(around), around, all);
  };
  return {
    tcr: effect(({ score }) => score),
    success: effect(({ outcome }) => (isInSuccessRate(outcome) ? Number(isGood(outcome)) : undefined)),
  };
}

/** Mean score and rate of good outcomes. */
export function levelsOf(evaluations: readonly LatestEvaluation[]): {
  readonly tcr?: ApiEstimate;
  readonly success?: ApiEstimate;
} {
  const effects = effectsOf(evaluations);
  const scores = evaluations.flatMap(({ score }) => score ?? []);
  const tcr = meanEstimate(
    {
      n: scores.length,
      sum: scores.reduce((sum, score) => sum + score, 0),
      squares: scores.reduce((sum, score) => sum + score * score, 0),
    },
    effects.tcr,
  );
  const outcomes = evaluations.map(({ outcome }) => outcome);
  const success = shareEstimate(
    outcomes.filter(isGood).length,
    outcomes.filter(isInSuccessRate).length,
    effects.success,
  );
  return { ...(tcr === undefined ? {} : { tcr }), ...(success === undefined ? {} : { success }) };
}

/** How the conversations are related, as far as it is known. */
export function relatedOf(came: readonly Pick<Came, 'user' | 'conversation'>[]): Related {
  const users = new Set<number>();
  const named = new Set<number>();
  const all = new Set<number>();
  for (const { user, conversation } of came) {
    all.add(conversation);
    if (user === undefined) continue;
    users.add(user);
    named.add(conversation);
  }
  const unnamed = all.size === 0 ? 0 : 1 - named.size / all.size;
  return {
    users: users.size,
    unnamed_share: unnamed,
    ...(unnamed > UNNAMED_LITTLE ? { note: noteOf(unnamed) } : {}),
  };
}

function noteOf(unnamed: number): string {
  const share = unnamed === 1 ? 'All' : `${Math.floor(unnamed * 100)} % of the`;
  return `${share} conversations name no user and are taken as unrelated: name users (user.id on spans), or intervals may be too narrow.`;
}
