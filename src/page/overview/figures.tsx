/** The figures of a suite, with what limits each of them beside it in the same size. */
import type { JSX } from 'preact';
import type { Trend, TrendFigures } from '../../api/trend.ts';
import { speaksOfSuccess, wordsOf } from '../../model/suite-words.ts';
import { isOther } from '../../model/agent-labels.ts';
import { addressOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { WIDE } from '../../model/wide.ts';
import { FaultEstimate, ScoreEstimate, ShareEstimate } from '../text/estimate.tsx';
import { capitalized } from '../text/capitalized.ts';
import { countText, counted, percent } from '../text/format.ts';

interface FiguresProps {
  readonly figures: TrendFigures;
  readonly trend: Pick<Trend, 'suite' | 'about' | 'scope' | 'related' | 'since'>;
  /** The limit of what the figures can say. */
  readonly limit: string | undefined;
  readonly place: Place;
}

const DECIDED_LITTLE = 0.9;

export function Figures({ figures, trend: { suite, about, scope, related, since }, limit, place }: FiguresProps) {
  const { success, tcr, decided_share: decided, evaluations, scored } = figures;
  const words = wordsOf(about);
  const main = speaksOfSuccess(about)
    ? { name: capitalized(words.goodRate), show: ShareEstimate }
    : { name: `Of 100 ${scope}s, with a fault`, show: FaultEstimate };
  const filters = sharedFilters(place.query);
  const all = { suite, since: filters.get('since') ?? since };
  const linked = (figure: JSX.Element, more: Readonly<Record<string, string>>) =>
    isOther(place.query) ? (
      figure
    ) : (
      <a href={addressOf('conversations', withChanges(filters, { ...all, ...more }))}>{figure}</a>
    );
  return (
    <section class="figures" aria-label={`Figures of the suite ${suite}`}>
      <dl>
        {entry(
          main.name,
          success === undefined ? unknown() : linked(<main.show estimate={success} isAlone />, { outcome: 'failed' }),
          'main',
        )}
        {entry(
          `${capitalized(words.score)}, the mean score`,
          tcr === undefined ? unknown() : linked(<ScoreEstimate estimate={tcr} />, { order: 'worst' }),
        )}
        {entry(
          'Decided',
          decided === undefined
            ? unknown()
            : linked(<span class="value">{percent(decided, 0)}</span>, { decided_below: String(DECIDED_LITTLE) }),
        )}
        {entry(
          scope === 'turn' ? 'Turns' : 'Conversations',
          linked(<span class="value">{countText(evaluations)}</span>, {}),
        )}
      </dl>
      <ul class="limits">
        {limitsOf({ limit, figures, scope, scored, note: related.note }).map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </section>
  );
}

function limitsOf({
  limit,
  figures: { success, decided_share: decided, evaluations, outcomes },
  scope,
  scored,
  note,
}: {
  readonly limit: string | undefined;
  readonly figures: TrendFigures;
  readonly scope: Trend['scope'];
  readonly scored: number;
  readonly note: string | undefined;
}): string[] {
  const handedOver = outcomes.handed_over ?? 0;
  const unscored = evaluations - scored;
  return [
    ...(limit === undefined ? [] : [limit]),
    ...(success !== undefined && success.high - success.low > WIDE
      ? [
          `too early: ${counted(success.n, 'evaluation')} ${success.n === 1 ? 'leaves' : 'leave'} everything between ${percent(success.low, 0)} and ${percent(success.high, 0)} possible`,
        ]
      : []),
    ...(decided !== undefined && decided < DECIDED_LITTLE
      ? [`${percent(1 - decided, 0)} of the weight could not be decided`]
      : []),
    ...(handedOver > 0
      ? [`${counted(handedOver, scope)} handed over ${handedOver === 1 ? 'is' : 'are'} in no rate`]
      : []),
    ...(unscored > 0 ? [`${countText(unscored)} of ${counted(evaluations, 'evaluation')} gave no score`] : []),
    ...(note === undefined ? [] : [note]),
  ];
}

export function entry(name: string, value: JSX.Element, kind = 'other') {
  return (
    <div key={name} class={`figure ${kind}`}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function unknown() {
  return <span class="value unknown">not known</span>;
}
