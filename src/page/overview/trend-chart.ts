/**
 * The trend as a chart: the good rate with its 95 % band, the mean score, and a mark where a version was first seen. The
 * same figures are a table below it, for who does not see the chart or wants the numbers.
 */
import { h, type JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Trend } from '../../api/trend.ts';
import { changeWords, wordsOf } from '../../model/suite-words.ts';
import { THEME_CHANGED } from '../shell/theme.ts';
import { countText, percent, percentRange, scoreText } from '../text/format.ts';
import { Time } from '../text/time.ts';
import type { FoundChange } from './marks.ts';
import { drawTrend } from './draw-trend.ts';

type Series = Trend['series'][number];
type Bucket = Series['buckets'][number];

interface ChartProps {
  readonly trend: Trend;
  readonly series: Series;
  readonly changes: readonly FoundChange[];
}

export function TrendChart({ trend, series, changes }: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | undefined>();
  // A new list of the same changes is no reason to draw again.
  const marked = changes.map(({ at, is }) => `${is} ${at}`).join();
  const { goodRate: name, score } = wordsOf(trend.about);
  const changed = changeWords(trend.about);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    let chart = drawTrend(current, { trend, series, changes, onBucket: setAt });
    const redraw = () => {
      chart.stop();
      chart = drawTrend(current, { trend, series, changes, onBucket: setAt });
    };
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    window.addEventListener(THEME_CHANGED, redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      window.removeEventListener(THEME_CHANGED, redraw);
      chart.stop();
    };
  }, [trend, series, marked]);
  const bucket = at === undefined ? undefined : series.buckets[at];
  return h(
    'section',
    { class: 'trend' },
    h(
      'p',
      { class: 'legend', 'aria-hidden': 'true' },
      h('span', { class: 'key success' }, name),
      h('span', { class: 'key band' }, '95 % interval'),
      h('span', { class: 'key tcr' }, score),
      trend.versions.length > 0 && h('span', { class: 'key version' }, 'version first seen'),
      changes.some(({ is }) => is === 'worse') && h('span', { class: 'key got-worse' }, GOT[changed.bad]),
      changes.some(({ is }) => is === 'better') && h('span', { class: 'key got-better' }, GOT[changed.good]),
      h('span', { class: 'readout' }, bucket === undefined ? '' : readout(bucket, name, score)),
    ),
    h('div', {
      ref: place,
      class: 'chart',
      role: 'img',
      'aria-label': `${name} over time; the table below has the figures`,
    }),
    h(
      'details',
      { class: 'chart-table' },
      h('summary', null, 'As a table'),
      h(TrendTable, { buckets: series.buckets, name, score }),
    ),
  );
}

const GOT = {
  better: 'got better',
  worse: 'got worse',
  fewer_faults: 'fewer faults',
  more_faults: 'more faults',
} as const;

function readout(bucket: Bucket, name: string, score: string): JSX.Element {
  const { success, tcr, scored } = bucket;
  const rate =
    success === undefined ? `${name} not known` : `${name} ${percent(success.value)} (${percentRange(success)})`;
  const mean = tcr === undefined ? '' : `, ${score} ${scoreText(tcr.value)}`;
  return h('span', null, h(Time, { at: bucket.at }), `: ${rate}${mean}, ${countText(scored)} scored`);
}

/** The latest first: a long table is cut at its old end. */
const ROWS_MAX = 200;

interface TableProps {
  readonly buckets: readonly Bucket[];
  readonly name: string;
  readonly score: string;
}

function TrendTable({ buckets, name, score }: TableProps): JSX.Element {
  const heads = ['From', name, '95 % interval', score, 'Scored'];
  const rows = buckets.toReversed().slice(0, ROWS_MAX);
  return h(
    'div',
    { class: 'table-frame', tabIndex: 0, role: 'region', 'aria-label': 'Figures of the chart' },
    h(
      'table',
      null,
      h('thead', null, h('tr', null, ...heads.map((one) => h('th', { key: one, scope: 'col' }, one)))),
      h(
        'tbody',
        null,
        ...rows.map(({ at, success, tcr, scored }) =>
          h(
            'tr',
            { key: at },
            h('th', { scope: 'row' }, h(Time, { at })),
            h('td', { class: 'number' }, success === undefined ? '' : percent(success.value)),
            h('td', { class: 'number' }, success === undefined ? '' : percentRange(success)),
            h('td', { class: 'number' }, tcr === undefined ? '' : scoreText(tcr.value, 3)),
            h('td', { class: 'number' }, countText(scored)),
          ),
        ),
      ),
    ),
  );
}
