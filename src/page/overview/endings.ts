/** How conversations ended: each outcome with its shape, share and count, and a link to the conversations behind it. */
import { h, type JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Trend, TrendFigures } from '../../api/trend.ts';
import type { Outcome } from '../../model/evaluation.ts';
import { isOther } from '../../model/agent-labels.ts';
import { OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import { addressOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { counted, percent } from '../text/format.ts';
import { kindsText } from '../text/kinds.ts';
import { OutcomeMark } from '../text/outcome.ts';

interface EndingsProps {
  readonly figures: TrendFigures;
  readonly because: Trend['series'][number]['because'] | undefined;
  readonly trend: Trend;
  readonly place: Place;
}

export function Endings({ figures: { outcomes, evaluations }, because, trend, place }: EndingsProps): JSX.Element {
  const counts = OUTCOMES_IN_ORDER.map((outcome) => ({ outcome, count: outcomes[outcome] ?? 0 })).filter(
    ({ count }) => count > 0,
  );
  const filters = sharedFilters(place.query);
  const address = (outcome: Outcome) =>
    addressOf(
      'conversations',
      withChanges(filters, { outcome, suite: trend.suite, since: filters.get('since') ?? trend.since }),
    );
  return h(
    'section',
    { class: 'endings' },
    h('h2', null, 'How they ended', h('span', { class: 'aside' }, `, ${counted(evaluations, trend.scope)}`)),
    h(
      'div',
      { class: 'shares', 'aria-hidden': 'true' },
      ...counts.map((one) => h(Share, { key: one.outcome, ...one })),
    ),
    h(
      'ul',
      { class: 'outcome-list' },
      ...counts.map(({ outcome, count }) =>
        h(
          'li',
          { key: outcome },
          h(
            'a',
            { href: isOther(place.query) ? undefined : address(outcome) },
            h(OutcomeMark, { outcome }),
            h('span', { class: 'share' }, percent(count / evaluations)),
            h('span', { class: 'count' }, counted(count, trend.scope)),
          ),
          h(Kinds, { text: kindsText(because?.[outcome], count) }),
        ),
      ),
    ),
  );
}

function Kinds({ text }: { readonly text: string | undefined }): JSX.Element | null {
  return text === undefined ? null : h('p', { class: 'kinds' }, text);
}

function Share({ outcome, count }: { readonly outcome: Outcome; readonly count: number }): JSX.Element {
  const bar = useRef<HTMLDivElement>(null);
  // Set by script, because the policy of the page allows no style in markup.
  useEffect(() => bar.current?.style.setProperty('flex-grow', String(count)), [count]);
  return h('div', { ref: bar, class: `share-bar ${outcome}` });
}
