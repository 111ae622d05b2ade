/** The overview: is it good, since when not, what moved it, how did conversations end, and how much of that is known. */
import { h, type JSX } from 'preact';
import type { Detections } from '../../model/api/detections.ts';
import type { Trend } from '../../model/api/trend.ts';
import { limitOf } from '../../model/known-share.ts';
import { type Held, useReply } from '../api/use-reply.ts';
import { FilterBar, plainChoices, sharedFilterList, sinceFilter } from '../shell/filter-bar.ts';
import { onlyOf, type Place, withChanges } from '../shell/place.ts';
import { Problem } from '../shell/problem.ts';
import type { ViewProps } from '../shell/views.ts';
import { Endings } from './endings.ts';
import { Figures } from './figures.ts';
import { MovedParts } from './moved-parts.ts';
import { OpenDetections } from './open-detections.ts';
import { TrendChart } from './trend-chart.ts';

const EVERY_MS = 30_000;
const NOTHING_ASKED = new URLSearchParams();
const SINCE = '24h';

export function Overview({ place, facets }: ViewProps): JSX.Element {
  const query = trendQueryOf(place);
  const trend = useReply<Trend>('/api/v1/trend', query, { everyMs: EVERY_MS });
  const detections = useReply<Detections>('/api/v1/detections', NOTHING_ASKED, { everyMs: EVERY_MS });
  const suites = {
    name: 'suite',
    label: 'Suite',
    all: facets.suites[0] ?? 'suite',
    choices: plainChoices(facets.suites.slice(1)),
  };
  return h(
    'div',
    { class: 'overview' },
    h('h1', { class: 'only-heard' }, 'Overview'),
    h(FilterBar, {
      place,
      filters: [
        ...(facets.suites.length > 1 || place.query.has('suite') ? [suites] : []),
        ...sharedFilterList(place, facets),
        sinceFilter('last 24 hours', SINCE),
      ],
    }),
    h(OpenDetections, { held: detections, place }),
    trendSections(trend, place),
  );
}

function trendQueryOf({ query }: Place): URLSearchParams {
  const names = ['suite', 'agent', 'agent_version', 'environment', 'segment', 'since', 'until'];
  const asked = onlyOf(query, names);
  return asked.has('since') ? asked : withChanges(asked, { since: SINCE });
}

function trendSections({ reply, isOld, again }: Held<Trend>, place: Place): JSX.Element {
  if (reply === undefined) return h('p', { class: 'loading', role: 'status' }, 'Loading …');
  if (reply.is !== 'here') return h(Problem, { of: reply, again });
  const trend = reply.value;
  const [series] = trend.series;
  if (series === undefined || series.whole.evaluations === 0) return nothingHappened(trend, place);
  const limit = limitOf(trend.about);
  return h(
    'div',
    { class: isOld ? 'sections old' : 'sections', 'aria-busy': isOld },
    h(Figures, { figures: series.whole, about: trend.about, suite: trend.suite, limit }),
    h(TrendChart, { trend, series }),
    h(MovedParts, { trend, place }),
    h(Endings, { figures: series.whole, trend, place }),
  );
}

/** No data is a state of its own, and never a zero. */
function nothingHappened({ suite, since, until }: Trend, place: Place): JSX.Element {
  return h(
    'section',
    { class: 'problem' },
    h('h2', null, 'No conversation was evaluated in this time'),
    h(
      'p',
      null,
      `The suite ${suite} has no evaluation between ${since.slice(0, 16).replace('T', ' ')} and `,
      `${until.slice(0, 16).replace('T', ' ')} UTC that these filters let through. A longer time may have some: `,
      h(
        'a',
        { href: `/?${withChanges(place.query, { since: '7d', until: undefined }).toString()}` },
        'the last 7 days',
      ),
      ', ',
      h(
        'a',
        { href: `/?${withChanges(place.query, { since: '30d', until: undefined }).toString()}` },
        'the last 30 days',
      ),
      '.',
    ),
  );
}
