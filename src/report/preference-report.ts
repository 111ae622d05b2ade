/** Preferences of a judge, as JSON. */
interface Bounded {
  readonly value: number;
  readonly cases: number;
  lower(tail: number): number;
  upper(tail: number): number;
}

export interface PreferenceFigures {
  readonly pairs: readonly {
    readonly a: string;
    readonly b: string;
    readonly winsA: number;
    readonly winsB: number;
    readonly ties: number;
    readonly contradictions: number;
    readonly unanswered: number;
    readonly casesA: readonly string[];
    readonly casesB: readonly string[];
    readonly share: Bounded | undefined;
    readonly p: number | undefined;
  }[];
  readonly lean: {
    readonly first: number;
    readonly decided: number;
    readonly share: Bounded | undefined;
    readonly p: number | undefined;
  };
  readonly ranking:
    | {
        readonly is: 'ranked';
        readonly ranked: readonly {
          readonly name: string;
          readonly rank: number;
          readonly strength: number;
          readonly lower: number;
          readonly upper: number;
          readonly winRate: number;
        }[];
        readonly unbeaten: readonly string[];
      }
    | { readonly is: 'not_connected'; readonly groups: readonly (readonly string[])[] }
    | undefined;
}

export function preferenceJson({ pairs, lean, ranking }: PreferenceFigures, confidence: number): unknown {
  const bounds = (share: Bounded | undefined) =>
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
