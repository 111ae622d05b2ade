/** How conversations ended: each outcome with its shape, share and count, and a link to the conversations behind it. */
import { useEffect, useRef } from 'preact/hooks';
import type { Trend, TrendFigures } from '../../api/trend.ts';
import type { Outcome } from '../../model/evaluation.ts';
import { isOther } from '../../model/agent-labels.ts';
import { OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import { addressOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { counted, percent } from '../text/format.ts';
import { kindsText } from '../text/kinds.ts';
import { OutcomeMark } from '../text/outcome.tsx';

interface EndingsProps {
  readonly figures: TrendFigures;
  readonly because: Trend['series'][number]['because'] | undefined;
  readonly trend: Trend;
  readonly place: Place;
}

export function Endings({ figures: { outcomes, evaluations }, because, trend, place }: EndingsProps) {
  const counts = OUTCOMES_IN_ORDER.map((outcome) => ({ outcome, count: outcomes[outcome] ?? 0 })).filter(
    ({ count }) => count > 0,
  );
  const filters = sharedFilters(place.query);
  const address = (outcome: Outcome) =>
    addressOf(
      'conversations',
      withChanges(filters, { outcome, suite: trend.suite, since: filters.get('since') ?? trend.since }),
    );
  return (
    <section class="endings">
      <h2>
        How they ended<span class="aside">{`, ${counted(evaluations, trend.scope)}`}</span>
      </h2>
      <div class="shares" aria-hidden="true">
        {counts.map((one) => (
          <Share key={one.outcome} {...one} />
        ))}
      </div>
      <ul class="outcome-list">
        {counts.map(({ outcome, count }) => (
          <li key={outcome}>
            <a {...(isOther(place.query) ? {} : { href: address(outcome) })}>
              <OutcomeMark outcome={outcome} />
              <span class="share">{percent(count / evaluations)}</span>
              <span class="count">{counted(count, trend.scope)}</span>
            </a>
            <Kinds text={kindsText(because?.[outcome], count)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Kinds({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <p class="kinds">{text}</p>;
}

function Share({ outcome, count }: { readonly outcome: Outcome; readonly count: number }) {
  const bar = useRef<HTMLDivElement>(null);
  // Set by script, because the policy of the page allows no style in markup.
  useEffect(() => bar.current?.style.setProperty('flex-grow', String(count)), [count]);
  return <div ref={bar} class={`share-bar ${outcome}`} />;
}
