/** Preferences of a judge, as JSON. */
import type { Estimated } from '../../model/estimated.ts';
import type { WeighedPreferences } from '../../model/preference.ts';

export function preferenceJson({ pairs, lean, ranking }: WeighedPreferences, confidence: number): unknown {
  const bounds = (share: Estimated | undefined) =>
    share === undefined
      ? null
      : {
          value: share.value,
          lower: share.lower((1 - confidence) / 2),
          upper: share.upper((1 - confidence) / 2),
          cases: share.cases,
        };
  return {
    confidence,
    pairs: pairs.map(({ winsA, winsB, casesA, casesB, share, p, ...pair }) => ({
      ...pair,
      wins_a: winsA,
      wins_b: winsB,
      share_of_b: bounds(share),
      p: p ?? null,
      cases_a: casesA,
      cases_b: casesB,
    })),
    position: { first: lean.first, decided: lean.decided, share_of_first: bounds(lean.share), p: lean.p ?? null },
    ranking:
      ranking === undefined
        ? null
        : ranking.is === 'not_connected'
          ? { groups: ranking.groups }
          : {
              ranked: ranking.ranked.map(({ winRate, ...one }) => ({ ...one, win_rate: winRate })),
              unbeaten: ranking.unbeaten,
            },
  };
}
