/** Draws the trend with uPlot, in the colours of the theme. */
import uPlot from 'uplot';
import type { Trend } from '../../api/trend.ts';
import { writtenOut } from '../../model/visible-text.ts';
import type { FoundChange } from './marks.ts';
import { scaleOf } from './trend-scale.ts';
import { versionLabels } from './version-labels.ts';

interface TrendDrawing {
  readonly trend: Trend;
  readonly series: Trend['series'][number];
  readonly changes: readonly FoundChange[];
  /** The bucket under the pointer. */
  readonly onBucket: (index: number | undefined) => void;
  /** A time that somebody drew over, in milliseconds, in whole buckets. */
  readonly onStretch: (since: number, until: number) => void;
}

/** A shorter drag is a click. */
const DRAG_PIXELS = 8;
/** Columns of the data: time, then these. */
const COLUMNS = { high: 1, low: 2, success: 3, tcr: 4 } as const;

export function drawTrend(
  place: HTMLElement,
  { trend, series, changes, onBucket, onStretch }: TrendDrawing,
): { stop(): void } {
  const { data, bucketAt } = columnsOf(trend, series);
  const colours = coloursOf(place);
  const scale = scaleOf(series.buckets);
  // The style sheet gives the height.
  const sizeOf = () => ({ width: Math.max(place.clientWidth, 200), height: place.clientHeight });
  const options: uPlot.Options = {
    ...sizeOf(),
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false, dist: DRAG_PIXELS }, points: { size: 6 } },
    scales: {
      x: { time: true, range: () => [Date.parse(trend.since) / 1_000, Date.parse(trend.until) / 1_000] },
      y: { range: [scale.low, scale.high] },
    },
    axes: [
      {
        stroke: colours.quiet,
        grid: { show: false },
        ticks: { stroke: colours.line, size: 4 },
        size: 28,
        font: colours.font,
        values: (_chart, splits) => splits.map(tickText),
      },
      {
        stroke: colours.quiet,
        grid: { stroke: colours.line, width: 1 },
        ticks: { show: false },
        size: 48,
        font: colours.font,
        splits: () => [...scale.lines],
        values: (_chart, splits) => splits.map((one) => `${Math.round(one * 100)} %`),
      },
    ],
    series: [
      {},
      { stroke: 'transparent', points: { show: false } },
      { stroke: 'transparent', points: { show: false } },
      { stroke: colours.good, width: 2, points: { size: 5, fill: colours.good } },
      { stroke: colours.quiet, width: 1, dash: [4, 3], points: { show: false } },
    ],
    bands: [{ series: [COLUMNS.high, COLUMNS.low], fill: colours.band }],
    hooks: {
      draw: [
        (chart) => markAlone(chart, colours),
        (chart) => markVersions(chart, trend, colours),
        (chart) => markChanges(chart, changes, colours),
      ],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width < DRAG_PIXELS) return;
          const [from, to] = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
          chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          const { bucket_ms: bucket } = trend;
          onStretch(Math.floor((from * 1_000) / bucket) * bucket, Math.ceil((to * 1_000) / bucket) * bucket);
        },
      ],
      setCursor: [({ cursor: { idx } }) => onBucket(typeof idx === 'number' ? bucketAt[idx] : undefined)],
    },
  };
  const chart = new uPlot(options, data, place);
  const resized = new ResizeObserver(() => chart.setSize(sizeOf()));
  resized.observe(place);
  return {
    stop: () => {
      resized.disconnect();
      chart.destroy();
    },
  };
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Midnight has the day that begins. */
function tickText(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return time.getHours() === 0 && time.getMinutes() === 0 ? DAY.format(time) : CLOCK.format(time);
}

/** A bucket without evaluations is a gap: no line is drawn over a time of which nothing is known. */
function columnsOf({ bucket_ms: width }: Trend, { buckets }: Trend['series'][number]) {
  const rows: { at: number; bucket: number | undefined }[] = [];
  for (const [index, { at }] of buckets.entries()) {
    const time = Date.parse(at);
    const last = rows.at(-1);
    if (last !== undefined && time - last.at > width) rows.push({ at: last.at + width, bucket: undefined });
    rows.push({ at: time, bucket: index });
  }
  const column = (value: (bucket: (typeof buckets)[number]) => number | undefined) =>
    rows.map(({ bucket: index }) => {
      const bucket = index === undefined ? undefined : buckets[index];
      return bucket === undefined ? null : (value(bucket) ?? null);
    });
  const data: uPlot.AlignedData = [
    // The middle of a bucket stands for it.
    rows.map(({ at }) => (at + width / 2) / 1_000),
    column(({ success }) => success?.high),
    column(({ success }) => success?.low),
    column(({ success }) => success?.value),
    column(({ tcr }) => tcr?.value),
  ];
  return { data, bucketAt: rows.map(({ bucket }) => bucket) };
}

/** A bucket between two gaps has no band: its interval is a line of its own. */
function markAlone({ ctx, bbox, data, valToPos }: uPlot, { good }: Colours): void {
  const [times] = data;
  const highs = data[COLUMNS.high] ?? [];
  const lows = data[COLUMNS.low] ?? [];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = good;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([]);
  for (const [index, time] of times.entries()) {
    const [high, low] = [highs[index], lows[index]];
    if (high == null || low == null || highs[index - 1] != null || highs[index + 1] != null) continue;
    const x = Math.round(valToPos(time, 'x', true));
    ctx.beginPath();
    ctx.moveTo(x, valToPos(high, 'y', true));
    ctx.lineTo(x, valToPos(low, 'y', true));
    ctx.stroke();
  }
  ctx.restore();
}

type Colours = ReturnType<typeof coloursOf>;
const LABELS_MAX = 6;

/** A line stands at the beginning of its bucket: the point of the bucket has conversations of the version. */
function markVersions(
  { ctx, bbox, valToPos }: uPlot,
  { versions, since, bucket_ms: width }: Trend,
  { text, quiet, font }: Colours,
): void {
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = font.replace(/^\d+/, (size) => String(Number(size) * ratio));
  ctx.strokeStyle = quiet;
  ctx.fillStyle = text;
  ctx.lineWidth = ratio;
  ctx.setLineDash([]);
  const end = bbox.left + bbox.width;
  const marks = versions
    .slice(-LABELS_MAX)
    .map(({ agent_version: version, at }) => ({
      x: Math.round(
        valToPos(Math.max(Date.parse(since), Math.floor(Date.parse(at) / width) * width) / 1_000, 'x', true),
      ),
      version: writtenOut(version),
    }))
    .filter(({ x }) => x >= bbox.left && x <= end);
  for (const { x } of marks) {
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.textAlign = 'left';
  const room = { end, gap: 4 * ratio, widthOf: (words: string) => ctx.measureText(words).width };
  for (const { words, left } of versionLabels(marks, room))
    ctx.fillText(words, left, bbox.top + bbox.height - 6 * ratio);
  ctx.restore();
}

const MARK_SIZE = 6;

/** A triangle at the upper edge, which points where it went. */
function markChanges({ ctx, bbox, valToPos }: uPlot, changes: readonly FoundChange[], { good, bad }: Colours): void {
  const size = MARK_SIZE * devicePixelRatio;
  ctx.save();
  for (const { at, is } of changes) {
    const x = Math.round(valToPos(at / 1_000, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const [flat, point] = is === 'worse' ? [bbox.top, bbox.top + 2 * size] : [bbox.top + 2 * size, bbox.top];
    ctx.fillStyle = is === 'worse' ? bad : good;
    ctx.beginPath();
    ctx.moveTo(x - size, flat);
    ctx.lineTo(x + size, flat);
    ctx.lineTo(x, point);
    ctx.fill();
  }
  ctx.restore();
}

/** A canvas knows no custom properties: an element that has the colour says what it is. */
function coloursOf(place: HTMLElement) {
  const probe = place.appendChild(document.createElement('span'));
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    good: colour('success'),
    bad: colour('hard'),
    band: colour('band'),
    quiet: colour('quiet'),
    line: colour('line'),
    text: colour('text'),
    font: `12px ${getComputedStyle(place).fontFamily}`,
  };
  probe.remove();
  return colours;
}
