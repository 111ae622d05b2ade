/**
 * The store's running totals as Prometheus metrics. It holds the last committed value of each series and renders from
 * that; nothing is counted here, so what is scraped is what the store says.
 *
 * There may be a hundred thousand series, and the thread that renders them receives spans as well. From one scrape to the next few of them change:
 * those of versions that nobody runs any more never do. So the text of a series, or of a histogram with all its buckets, is
 * kept until it changes; that is no more than one answer's text in all. `series-budget.ts` says which of them are shown.
 */
import type { Lines, MetricSource, Scrape } from './exposition.ts';
import { isFolded } from '../../model/agent-labels.ts';
import { type Form, type Kept, KeptSeries } from './kept-series.ts';
import {
  type HistogramMetric,
  QUALITY_METRICS,
  type QualityMetric,
  type SingleMetric,
  WITHDRAWN_METRICS,
} from './quality-metrics.ts';
import { type AgentSeries, SeriesBudget, type SeriesPart } from './series-budget.ts';
import { SHADOW_METRICS } from './shadow-metrics.ts';
import type { SeriesExemplar } from '../../model/metric.ts';
import { visibleText } from '../../model/visible-text.ts';
import { type ExemplarSample, exemplarText, type Format, labelText } from './text-format.ts';

/** State of one series in the store; see `Total` there. */
export interface SeriesTotal {
  readonly metric: string;
  readonly labels: { readonly [label: string]: string };
  readonly value: number;
  readonly exemplar: SeriesExemplar | undefined;
  /** The store has deleted it. */
  readonly isGone?: true;
}

const ALL: readonly QualityMetric[] = [
  ...Object.values(QUALITY_METRICS),
  ...WITHDRAWN_METRICS,
  ...Object.values(SHADOW_METRICS),
];

interface Family {
  take(part: string, total: SeriesTotal, bornAt: number): void;
  drop(part: string, total: SeriesTotal): void;
  lines(scrape: Scrape): Lines;
  dropExemplars(): void;
}

const BEFORE_ALL = Number.NEGATIVE_INFINITY;

export class QualityView {
  readonly #families = new Map<QualityMetric, Family>();
  /** Family and part of a histogram, by the name in the store. */
  readonly #places = new Map<string, { readonly family: Family; readonly part: string }>();
  readonly #labelSets = new Set<string>();
  readonly #budget: SeriesBudget;
  #hasBegun = false;

  constructor(maxSeries = Number.POSITIVE_INFINITY) {
    this.#budget = new SeriesBudget(maxSeries);
    for (const metric of ALL) {
      const family: Family =
        metric.type === 'histogram' ? new Histograms(metric, this.#budget) : new Singles(metric, this.#budget);
      this.#families.set(metric, family);
      const parts = metric.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      for (const part of parts) this.#places.set(`${metric.name}${part}`, { family, part });
    }
  }

  /**
   * The first values are those that the store had before this process began: they continue, and nothing of them is new.
   */
  update(totals: readonly SeriesTotal[]): void {
    const bornAt = this.#hasBegun ? performance.now() : BEFORE_ALL;
    this.#hasBegun = true;
    for (const total of totals) {
      const place = this.#places.get(total.metric);
      // Series of a newer Assay that used this store.
      if (place === undefined) continue;
      if (total.isGone === true) {
        place.family.drop(place.part, total);
        if (total.metric === QUALITY_METRICS.evaluations.name) this.#labelSets.delete(labelSetOf(total.labels));
        continue;
      }
      place.family.take(place.part, total, bornAt);
      if (total.metric === QUALITY_METRICS.evaluations.name) this.#noteLabels(total.labels);
    }
  }

  /** A conversation was forgotten: whichever one they name, new ones come. */
  dropExemplars(): void {
    for (const family of this.#families.values()) family.dropExemplars();
  }

  /** Number of series that are exposed. */
  get seriesCount(): number {
    return this.#budget.exposed;
  }

  /** Number of series that an answer has besides those here. */
  reserve(others: number): void {
    this.#budget.reserve(others);
  }

  /** Agents of which a part is not exposed, by part. */
  withheld(): Readonly<Record<SeriesPart, readonly string[]>> {
    const of = (part: SeriesPart) => this.#budget.withheld(part);
    return { effort: of('effort'), criteria: of('criteria'), buckets: of('buckets') };
  }

  /** Combinations of agent, version, environment and segment. */
  get labelSetCount(): number {
    return this.#labelSets.size;
  }

  sources(): readonly MetricSource[] {
    return [...this.#families].map(([definition, family]) => ({
      definition,
      lines: (scrape) => {
        // Scrapes are written one at a time, and all lines of one begin together.
        this.#budget.renew(performance.now());
        return family.lines(scrape);
      },
    }));
  }

  #noteLabels(labels: SeriesTotal['labels']): void {
    const { agent = '', agent_version = '', environment = '' } = labels;
    if (!isFolded({ agent, agent_version, environment })) this.#labelSets.add(labelSetOf(labels));
  }
}

function labelSetOf({ agent = '', agent_version = '', environment = '', segment }: SeriesTotal['labels']): string {
  return JSON.stringify([agent, agent_version, environment, segment ?? null]);
}

/** The last one, and its text once it was asked for. */
class ExemplarSlot {
  #exemplar: SeriesExemplar | undefined;
  #text = '';

  take(exemplar: SeriesExemplar | undefined): void {
    if (exemplar === undefined) return;
    this.#exemplar = exemplar;
    this.#text = '';
  }

  drop(): void {
    this.#exemplar = undefined;
    this.#text = '';
  }

  get text(): string {
    if (this.#exemplar === undefined) return '';
    if (this.#text === '') this.#text = exemplarText(exemplarSample(this.#exemplar));
    return this.#text;
  }
}

interface Owned extends Kept {
  /** Undefined for series of no agent. */
  readonly owner: AgentSeries | undefined;
}

function ownerOf({ agent }: SeriesTotal['labels'], budget: SeriesBudget): AgentSeries | undefined {
  return agent === undefined ? undefined : budget.of(agent);
}

function isShown({ shown }: AgentSeries, part: SeriesPart | undefined): boolean {
  return part === undefined || shown[part];
}

interface Single extends Owned {
  /** `name{labels} `. */
  readonly head: string;
  readonly exemplar: ExemplarSlot;
  value: number;
}

class Singles implements Family {
  readonly #metric: SingleMetric;
  readonly #budget: SeriesBudget;
  readonly #series = new KeptSeries<Single>({
    formOf: ({ owner }) => (owner === undefined || isShown(owner, this.#metric.part) ? 'whole' : undefined),
    write: ({ head, value, exemplar }, format) => [head, value, format === 'text' ? '' : exemplar.text, '\n'].join(''),
    writeEmpty: ({ head }) => `${head}0\n`,
  });

  constructor(metric: SingleMetric, budget: SeriesBudget) {
    this.#metric = metric;
    this.#budget = budget;
  }

  dropExemplars(): void {
    for (const series of this.#series.changeAll()) series.exemplar.drop();
  }

  take(_part: string, { labels, value, exemplar }: SeriesTotal, bornAt: number): void {
    const make = (kept: Kept): Single => {
      const pairs = labelText(labels);
      const head = `${this.#metric.name}${pairs === '' ? '' : `{${pairs}}`} `;
      const owner = ownerOf(labels, this.#budget);
      this.#budget.add(1, owner, this.#metric.part);
      return { ...kept, owner, head, exemplar: new ExemplarSlot(), value: 0 };
    };
    // A gauge has no beginning: it is what it is.
    const born = this.#metric.type === 'gauge' ? BEFORE_ALL : bornAt;
    const series = this.#series.change(JSON.stringify(labels), make, born);
    if (this.#metric === QUALITY_METRICS.evaluations && series.owner !== undefined)
      series.owner.traffic += value - series.value;
    series.value = scaled(value, this.#metric);
    series.exemplar.take(exemplar);
  }

  drop(_part: string, { labels }: SeriesTotal): void {
    const gone = this.#series.drop(JSON.stringify(labels));
    if (gone !== undefined) this.#budget.add(-1, gone.owner, this.#metric.part);
  }

  lines(scrape: Scrape): Lines {
    return this.#series.lines(scrape);
  }
}

interface HistogramSeries extends Owned {
  readonly labels: string;
  /** Counts of each bucket, as the store has them. */
  readonly counts: number[];
  readonly exemplars: ExemplarSlot[];
  sum: number;
  count: number;
}

/** Lines of a histogram without its buckets: count, sum, and the bucket that every histogram has. */
const WITHOUT_BUCKETS = 3;

class Histograms implements Family {
  readonly #metric: HistogramMetric;
  readonly #budget: SeriesBudget;
  readonly #series = new KeptSeries<HistogramSeries>({
    formOf: ({ owner }) => {
      if (owner === undefined) return 'whole';
      if (!isShown(owner, this.#metric.part)) return undefined;
      return owner.shown.buckets ? 'whole' : 'short';
    },
    write: (series, format, form) => this.#text(series, format, form),
    writeEmpty: ({ labels }, format, form) =>
      this.#text({ labels, counts: [], exemplars: [], sum: 0, count: 0 }, format, form),
  });
  readonly #bounds: readonly string[];
  /** The part after the labels in the line of each bucket. */
  readonly #ends: readonly string[];

  constructor(metric: HistogramMetric, budget: SeriesBudget) {
    this.#metric = metric;
    this.#budget = budget;
    this.#bounds = [...metric.buckets.map(String), '+Inf'];
    this.#ends = this.#bounds.map((bound) => `,le="${bound}"} `);
  }

  dropExemplars(): void {
    for (const { exemplars } of this.#series.changeAll()) for (const exemplar of exemplars) exemplar.drop();
  }

  take(part: string, total: SeriesTotal, bornAt: number): void {
    const { le, ...labels } = total.labels;
    const make = (kept: Kept): HistogramSeries => {
      const counts = this.#bounds.map(() => 0);
      const exemplars = this.#bounds.map(() => new ExemplarSlot());
      const owner = ownerOf(labels, this.#budget);
      this.#budget.add(WITHOUT_BUCKETS, owner, this.#metric.part);
      this.#budget.add(this.#bounds.length - 1, owner, 'buckets');
      return { ...kept, owner, labels: labelText(labels), counts, exemplars, sum: 0, count: 0 };
    };
    const series = this.#series.change(JSON.stringify(labels), make, bornAt);
    if (part === '_sum') series.sum = scaled(total.value, this.#metric);
    else if (part === '_count') series.count = total.value;
    else {
      const index = this.#bounds.indexOf(le ?? '');
      series.counts[index] = total.value;
      series.exemplars[index]?.take(total.exemplar);
    }
  }

  /** A histogram is one series here, which goes with the first of its parts. */
  drop(_part: string, total: SeriesTotal): void {
    const { le: _, ...labels } = total.labels;
    const gone = this.#series.drop(JSON.stringify(labels));
    if (gone === undefined) return;
    this.#budget.add(-WITHOUT_BUCKETS, gone.owner, this.#metric.part);
    this.#budget.add(1 - this.#bounds.length, gone.owner, 'buckets');
  }

  lines(scrape: Scrape): Lines {
    return this.#series.lines(scrape);
  }

  /** Totals hold the one bucket of each observation; Prometheus wants the sum of all buckets up to each bound. */
  #text(
    { labels, counts, exemplars, sum, count }: Omit<HistogramSeries, keyof Owned>,
    format: Format,
    form: Form,
  ): string {
    const { name } = this.#metric;
    const parts: (string | number)[] = [];
    let cumulative = 0;
    for (const [index, end] of this.#ends.entries()) {
      cumulative += counts[index] ?? 0;
      if (form === 'short' && index < this.#ends.length - 1) continue;
      const exemplar = format === 'text' ? '' : (exemplars[index]?.text ?? '');
      parts.push(name, '_bucket{', labels, end, cumulative, exemplar, '\n');
    }
    parts.push(name, '_sum{', labels, '} ', sum, '\n', name, '_count{', labels, '} ', count, '\n');
    // Joined, it is one piece of text; added up, it would be as many as there are parts.
    return parts.join('');
  }
}

/** OpenMetrics allows 128 characters for the names and values of an exemplar's labels together. */
const EXEMPLAR_LENGTH_MAX = 128;

/**
 * Ids are never cut or changed: half an id leads nowhere. The conversation's goes first if both don't fit, and if it has
 * characters that a terminal obeys.
 */
export function exemplarSample(exemplar: SeriesExemplar): ExemplarSample {
  const { traceId, conversationId } = exemplar;
  const fits = (labels: { readonly [label: string]: string }) =>
    Object.entries(labels).reduce((sum, [name, value]) => sum + name.length + [...value].length, 0) <=
    EXEMPLAR_LENGTH_MAX;
  const both = { trace_id: traceId, conversation_id: conversationId };
  const labelSet = fits(both) && visibleText(conversationId) === conversationId ? both : { trace_id: traceId };
  return { labelSet, value: exemplar.value, timestamp: exemplar.at / 1000 };
}

/** Division by the inverse is exact where the scale is a power of ten; multiplication would give 0.30000000000000004. */
function scaled(value: number, metric: QualityMetric): number {
  return metric.scale === 1 ? value : value / Math.round(1 / metric.scale);
}
