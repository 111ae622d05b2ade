/**
 * The trend as a chart: the good rate with its 95 % band, the mean score, and a mark where a version was first seen. The
 * same figures are a table below it, for who does not see the chart or wants the numbers.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Trend } from '../../api/trend.ts';
import { changeWords, wordsOf } from '../../model/suite-words.ts';
import { isOther } from '../../model/agent-labels.ts';
import { goTo } from '../shell/navigation.ts';
import { addressOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { THEME_CHANGED } from '../shell/theme.ts';
import { countText, percent, percentRange, scoreText } from '../text/format.ts';
import { Table } from '../text/table.tsx';
import { Time } from '../text/time.tsx';
import type { FoundChange } from './marks.ts';
import { drawTrend } from './draw-trend.ts';
import { scaleOf } from './trend-scale.ts';

type Series = Trend['series'][number];
type Bucket = Series['buckets'][number];

interface ChartProps {
  readonly trend: Trend;
  readonly series: Series;
  readonly changes: readonly FoundChange[];
  readonly place: Place;
}

export function TrendChart({ trend, series, changes, place: shown }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | undefined>();
  // A new list of the same changes is no reason to draw again.
  const marked = changes.map(({ at, is }) => `${is} ${at}`).join();
  const { goodRate: name, score } = wordsOf(trend.about);
  const changed = changeWords(trend.about);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const onStretch = (since: number, until: number) => {
      const times = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
      goTo(addressOf('overview', withChanges(shown.query, times)));
    };
    const draw = () => drawTrend(current, { trend, series, changes, onBucket: setAt, onStretch });
    let chart = draw();
    const redraw = () => {
      chart.stop();
      chart = draw();
    };
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    window.addEventListener(THEME_CHANGED, redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      window.removeEventListener(THEME_CHANGED, redraw);
      chart.stop();
    };
  }, [trend, series, marked, shown.query]);
  const { low } = scaleOf(series.buckets);
  const bucket = at === undefined ? undefined : series.buckets[at];
  return (
    <section class="trend">
      <p class="legend" aria-hidden="true">
        <span class="key success">{name}</span>
        <span class="key band">95 % interval</span>
        <span class="key tcr">{score}</span>
        {trend.versions.length > 0 && <span class="key version">version first seen</span>}
        {changes.some(({ is }) => is === 'worse') && <span class="key got-worse">{GOT[changed.bad]}</span>}
        {changes.some(({ is }) => is === 'better') && <span class="key got-better">{GOT[changed.good]}</span>}
        {low > 0 && <span class="aside">{`axis from ${percent(low, 0)}`}</span>}
        <span class="drag-hint">drag to choose a time</span>
        <span class="readout">{bucket === undefined ? '' : readout(bucket, name, score)}</span>
      </p>
      <div ref={place} class="chart" role="img" aria-label={`${name} over time; the table below has the figures`} />
      <details class="chart-table">
        <summary>As a table</summary>
        <TrendTable trend={trend} buckets={series.buckets} name={name} score={score} place={shown} />
      </details>
    </section>
  );
}

/** Conversations of one bucket. */
function conversationsOf({ suite, bucket_ms: width }: Trend, { query }: Place, at: string): { readonly href?: string } {
  if (isOther(query)) return {};
  const until = new Date(Date.parse(at) + width).toISOString();
  return { href: addressOf('conversations', withChanges(sharedFilters(query), { suite, since: at, until })) };
}

const GOT = {
  better: 'got better',
  worse: 'got worse',
  fewer_faults: 'fewer faults',
  more_faults: 'more faults',
} as const;

function readout(bucket: Bucket, name: string, score: string) {
  const { success, tcr, scored } = bucket;
  const rate =
    success === undefined ? `${name} not known` : `${name} ${percent(success.value)} (${percentRange(success)})`;
  const mean = tcr === undefined ? '' : `, ${score} ${scoreText(tcr.value)}`;
  return (
    <span>
      <Time at={bucket.at} />
      {`: ${rate}${mean}, ${countText(scored)} scored`}
    </span>
  );
}

/** The latest first: a long table is cut at its old end. */
const ROWS_MAX = 200;

interface TableProps {
  readonly trend: Trend;
  readonly place: Place;
  readonly buckets: readonly Bucket[];
  readonly name: string;
  readonly score: string;
}

function TrendTable({ trend, buckets, name, score, place }: TableProps) {
  const heads = Object.fromEntries(['From', name, '95 % interval', score, 'Scored'].map((one) => [one, '']));
  const rows = buckets.toReversed().slice(0, ROWS_MAX);
  return (
    <Table heads={heads} label="Figures of the chart">
      {rows.map(({ at, success, tcr, scored }) => (
        <tr key={at}>
          <th scope="row">
            <Time at={at} />
          </th>
          <td class="number">{success === undefined ? '' : percent(success.value)}</td>
          <td class="number">{success === undefined ? '' : percentRange(success)}</td>
          <td class="number">{tcr === undefined ? '' : scoreText(tcr.value, 3)}</td>
          <td class="number">
            <a {...conversationsOf(trend, place, at)}>{countText(scored)}</a>
          </td>
        </tr>
      ))}
    </Table>
  );
}
