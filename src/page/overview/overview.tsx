/** The overview: is it good, since when not, what moved it, how did conversations end, and how much of that is known. */
import type { Detections } from '../../api/detections.ts';
import type { Facets } from '../../api/facets.ts';
import type { Trend } from '../../api/trend.ts';
import { isOther, OTHER } from '../../model/agent-labels.ts';
import { speaksOfSuccess, wordsOf } from '../../model/suite-words.ts';
import { type Held, useReply } from '../api/use-reply.ts';
import { serviceNow } from '../api/service-clock.ts';
import { Fleet } from '../fleet/fleet.tsx';
import { WentWell } from '../read/went-well.tsx';
import { FilterBar, sharedFilterList, sinceFilter, suiteFilters } from '../shell/filter-bar.tsx';
import { onlyOf, type Place, withChanges } from '../shell/place.ts';
import { Here } from '../shell/here.tsx';
import type { ViewProps } from '../shell/view-props.ts';
import { DashboardLink } from './dashboard-link.tsx';
import { Endings } from './endings.tsx';
import { Figures } from './figures.tsx';
import { JudgeSection } from './judge-section.tsx';
import { LastSeen } from './last-seen.tsx';
import { changesOnLine } from './marks.ts';
import { Headline } from './headline.tsx';
import { MovedParts, useMoved } from './moved-parts.tsx';
import { detectionsOf, OpenDetections } from './open-detections.tsx';
import { SubAgents } from './sub-agents.tsx';
import { TrendChart } from './trend-chart.tsx';
import { UsersSay } from './users-say.tsx';

const EVERY_MS = 30_000;
const HOUR_MS = 3_600_000;

export function Overview({ place, facets }: ViewProps) {
  const since = usualSince(facets, serviceNow());
  const query = trendQueryOf(place, since.value);
  const trend = useReply<Trend>('/api/v1/trend', { query, everyMs: EVERY_MS });
  const detections = useReply<Detections>('/api/v1/detections', { everyMs: EVERY_MS });
  return (
    <div class="overview">
      <h1 class="only-heard">Overview</h1>
      <FilterBar
        place={place}
        filters={[
          ...suiteFilters(place, facets),
          ...sharedFilterList(place, facets),
          sinceFilter(place, since.words, since.value),
        ]}
      />
      <LastSeen place={place} />
      <DashboardLink trend={trend.reply?.is === 'here' ? trend.reply.value : undefined} place={place} />
      <div class="sections">
        <Fleet place={place} facets={facets} since={since.value} />
        <WentWell place={place} facets={facets} />
      </div>
      <Here of={trend}>
        {(known) => <TrendSections trend={known} isOld={trend.isOld} detections={detections.reply} place={place} />}
      </Here>
    </div>
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

interface TrendSectionsProps {
  readonly trend: Trend;
  readonly isOld: boolean;
  readonly detections: Held<Detections>['reply'];
  readonly place: Place;
}

function TrendSections({ trend, isOld, detections, place }: TrendSectionsProps) {
  const [series] = trend.series;
  if (series === undefined || series.whole.evaluations === 0) return nothingHappened(trend, place);
  // A problem of detection is reported once, in place of the figures.
  return (
    <Sections
      trend={trend}
      series={series}
      detections={detections?.is === 'here' ? detections.value : undefined}
      isOld={isOld}
      place={place}
    />
  );
}

function whoseOf({ agents }: Trend, { query }: Place): string {
  const chosen = query.getAll('agent').length;
  const [only] = agents.length === 1 ? agents : [];
  return only ?? (chosen > 0 ? `${chosen} agents together` : 'All agents together');
}

interface SectionsProps {
  readonly trend: Trend;
  readonly series: Trend['series'][number];
  readonly detections: Detections | undefined;
  readonly isOld: boolean;
  readonly place: Place;
}

function Sections({ trend, series, detections, isOld, place }: SectionsProps) {
  const asked = useMoved(trend, place);
  const shown = detections === undefined ? undefined : detectionsOf(detections, trend.suite, place.query);
  const { about } = trend;
  return (
    <div class={isOld ? 'sections old' : 'sections'} aria-busy={isOld}>
      <Headline
        open={shown?.open ?? []}
        moved={asked.reply?.is === 'here' ? asked.reply.value : undefined}
        version={asked.version}
        trend={trend}
        place={place}
        whose={whoseOf(trend, place)}
      />
      <Figures figures={series.whole} trend={trend} limit={wordsOf(about).limit} place={place} />
      {isOther(place.query) && <p class="aside about-other">{ABOUT_OTHER}</p>}
      <TrendChart
        trend={trend}
        series={series}
        changes={detections === undefined ? [] : changesOnLine(detections, trend, place.query)}
        place={place}
      />
      <MovedParts asked={asked} trend={trend} place={place} />
      {/* The store is read for one question after another, and the first sentence waits for what moved. */}
      {asked.reply !== undefined && <SubAgents trend={trend} place={place} />}
      {detections !== undefined && shown !== undefined && (
        <OpenDetections detections={detections} shown={shown} place={place} />
      )}
      <Endings figures={series.whole} because={series.because} trend={trend} place={place} />
      {speaksOfSuccess(about) && <UsersSay place={place} since={trend.since} />}
      <JudgeSection place={place} />
    </div>
  );
}

/** Agents and versions beyond the limit of labels are counted together. */
const ABOUT_OTHER = `“${OTHER}” is what had no place among the agents and versions (metrics.max_label_values), counted together. The list finds those conversations under their own names.`;

/** No data is a state of its own, and never a zero. */
function nothingHappened({ suite, since, until }: Trend, place: Place) {
  return (
    <section class="problem">
      <h2>No conversation was evaluated in this time</h2>
      <p>
        {`The suite ${suite} has no evaluation between ${since.slice(0, 16).replace('T', ' ')} and `}
        {`${until.slice(0, 16).replace('T', ' ')} UTC that these filters let through. `}
        {place.query.has('agent') || place.query.has('agent_version') ? `${ABOUT_OTHER} ` : ''}
        {'A longer time may have some: '}
        <a href={`/?${withChanges(place.query, { since: '7d', until: undefined }).toString()}`}>the last 7 days</a>
        {', '}
        <a href={`/?${withChanges(place.query, { since: '30d', until: undefined }).toString()}`}>the last 30 days</a>.
      </p>
    </section>
  );
}
