/** The overview: is it good, since when not, what moved it, how did conversations end, and how much of that is known. */
import { h, type JSX } from 'preact';
import type { Detections } from '../../api/detections.ts';
import type { Facets } from '../../api/facets.ts';
import type { Trend } from '../../api/trend.ts';
import { isOther, OTHER } from '../../model/agent-labels.ts';
import { speaksOfSuccess, wordsOf } from '../../model/suite-words.ts';
import { type Held, useReply } from '../api/use-reply.ts';
import { serviceNow } from '../api/service-clock.ts';
import { FilterBar, plainChoices, sharedFilterList, sinceFilter } from '../shell/filter-bar.ts';
import { onlyOf, type Place, withChanges } from '../shell/place.ts';
import { Problem } from '../shell/problem.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { DashboardLink } from './dashboard-link.ts';
import { Endings } from './endings.ts';
import { Figures } from './figures.ts';
import { JudgeSection } from './judge-section.ts';
import { LastSeen } from './last-seen.ts';
import { changesOnLine } from './marks.ts';
import { Headline } from './headline.ts';
import { MovedParts, useMoved } from './moved-parts.ts';
import { detectionsOf, OpenDetections } from './open-detections.ts';
import { TrendChart } from './trend-chart.ts';
import { UsersSay } from './users-say.ts';

const EVERY_MS = 30_000;
const NOTHING_ASKED = new URLSearchParams();
const HOUR_MS = 3_600_000;

export function Overview({ place, facets }: ViewProps): JSX.Element {
  const since = usualSince(facets, serviceNow());
  const query = trendQueryOf(place, since.value);
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
        sinceFilter(place, since.words, since.value),
      ],
    }),
    h(LastSeen, { place }),
    h(DashboardLink, { trend: trend.reply?.is === 'here' ? trend.reply.value : undefined, place }),
    trendSections(trend, { detections: detections.reply, place }),
  );
}

/** A day, or less where nothing is older: the chart of a first hour should not be empty for twenty-three others. */
function usualSince(
  { agent_versions: versions }: Facets,
  now: number,
): { readonly value: string; readonly words: string } {
  const first = versions.reduce((earliest, { first_at: at }) => Math.min(earliest, Date.parse(at)), now);
  if (now - first < HOUR_MS) return { value: '1h', words: 'last hour' };
  return now - first < 6 * HOUR_MS ? { value: '6h', words: 'last 6 hours' } : { value: '24h', words: 'last 24 hours' };
}

function trendQueryOf({ query }: Place, since: string): URLSearchParams {
  const names = ['suite', 'agent', 'agent_version', 'environment', 'segment', 'since', 'until'];
  const asked = onlyOf(query, names);
  return asked.has('since') ? asked : withChanges(asked, { since });
}

function trendSections(
  { reply, isOld, again }: Held<Trend>,
  { detections, place }: { readonly detections: Held<Detections>['reply']; readonly place: Place },
): JSX.Element {
  if (reply === undefined) return h('p', { class: 'loading', role: 'status' }, 'Loading …');
  if (reply.is !== 'here') return h(Problem, { of: reply, again });
  const trend = reply.value;
  const [series] = trend.series;
  if (series === undefined || series.whole.evaluations === 0) return nothingHappened(trend, place);
  // A problem of detection is reported once, in place of the figures.
  return h(Sections, {
    trend,
    series,
    detections: detections?.is === 'here' ? detections.value : undefined,
    isOld,
    place,
  });
}

interface SectionsProps {
  readonly trend: Trend;
  readonly series: Trend['series'][number];
  readonly detections: Detections | undefined;
  readonly isOld: boolean;
  readonly place: Place;
}

function Sections({ trend, series, detections, isOld, place }: SectionsProps): JSX.Element {
  const asked = useMoved(trend, place);
  const shown = detections === undefined ? undefined : detectionsOf(detections, trend.suite, place.query);
  const { about, scope } = trend;
  return h(
    'div',
    { class: isOld ? 'sections old' : 'sections', 'aria-busy': isOld },
    h(Headline, {
      open: shown?.open ?? [],
      moved: asked.reply?.is === 'here' ? asked.reply.value : undefined,
      version: asked.version,
      whose: (trend.agents.length === 1 ? trend.agents[0] : undefined) ?? 'All agents together',
      about,
      scope,
    }),
    h(Figures, { figures: series.whole, trend, limit: wordsOf(about).limit }),
    isOther(place.query) && h('p', { class: 'aside about-other' }, ABOUT_OTHER),
    h(TrendChart, {
      trend,
      series,
      changes: detections === undefined ? [] : changesOnLine(detections, trend, place.query),
    }),
    h(MovedParts, { asked, trend, place }),
    detections !== undefined && shown !== undefined && h(OpenDetections, { detections, shown, place }),
    h(Endings, { figures: series.whole, because: series.because, trend, place }),
    speaksOfSuccess(about) && h(UsersSay, { place, since: trend.since }),
    h(JudgeSection, { place }),
  );
}

/** Agents and versions beyond the limit of labels are counted together. */
const ABOUT_OTHER = `“${OTHER}” is what came after the first agents and versions (metrics.max_label_values), counted together. The list finds those conversations under their own names.`;

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
      `${until.slice(0, 16).replace('T', ' ')} UTC that these filters let through. `,
      place.query.has('agent') || place.query.has('agent_version') ? `${ABOUT_OTHER} ` : '',
      'A longer time may have some: ',
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
