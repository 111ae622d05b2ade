import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { Exposition, type MetricSource } from '../../src/report/metrics/exposition.ts';
import { rendered } from './rendered.ts';
import { counter, gauge, histogram } from '../../src/report/metrics/define-metric.ts';
import { MetricSet } from '../../src/report/metrics/metric-set.ts';
import { QualityView, type SeriesTotal } from '../../src/report/metrics/quality-view.ts';
import { Scrapers } from '../../src/report/metrics/scrapers.ts';
import { exposedIn } from './exposed.ts';

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0';
const MINUTE = 60_000;

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

test('what prom-client counts is written as prom-client writes it', async () => {
  const registry = new Registry();
  const hostile = 'a "quoted" \\ back\nslash é 😀 {},=';
  const common = { labels: ['a', 'b'], help: 'Help with a \\ and a "quote".' } as const;
  const buckets = [0.1, 1, 2.5];
  const metrics = new MetricSet({
    counter: counter('x_total', 'x', common),
    gauge: gauge('x_gauge', 'x', common),
    histogram: histogram('x_seconds', 'x', { ...common, buckets }),
  });
  const { counter: ownCounter, gauge: ownGauge, histogram: ownHistogram } = metrics.counted;
  const registers = [registry];
  const names = (name: string) => ({ name, help: common.help, labelNames: common.labels, registers });
  const counters = [ownCounter, new Counter(names('x_total'))];
  const gauges = [ownGauge, new Gauge(names('x_gauge'))];
  const histograms = [ownHistogram, new Histogram({ ...names('x_seconds'), buckets })];
  for (const counter of counters) {
    counter.inc({ a: hostile, b: '' }, 0.1 + 0.2);
    counter.inc({ a: '1', b: '2' }, 1e21);
  }
  for (const gauge of gauges) {
    for (const [a, value] of Object.entries({
      one: -1.5,
      three: Number.POSITIVE_INFINITY,
      four: Number.NEGATIVE_INFINITY,
    }))
      gauge.set({ a, b: '' }, value);
  }
  for (const histogram of histograms)
    for (const value of [0.05, 2.5, 7]) histogram.observe({ a: hostile, b: 'x' }, value);

  const { body, contentType } = await rendered(new Exposition(metrics.sources(() => undefined)), 'text/plain');

  expect(lines(body)).toEqual(lines(await registry.metrics()));
  expect(contentType).toBe(registry.contentType);
});

const BASE = { suite: 's', agent: 'a', agent_version: '1', environment: 'e' };

function evaluations(value: number, agent = 'a'): SeriesTotal {
  return {
    metric: 'assay_evaluations_total',
    labels: { ...BASE, agent, outcome: 'unscored' },
    value,
    exemplar: undefined,
  };
}

function begun(): { readonly view: QualityView; readonly exposition: Exposition } {
  const view = new QualityView();
  view.update([]);
  return { view, exposition: new Exposition(view.sources()) };
}

async function shownValue(
  exposition: Exposition,
  scraper: string | undefined,
  name = 'assay_evaluations_total',
): Promise<string | undefined> {
  const { body } = await rendered(exposition, undefined, scraper);
  return new RegExp(`^${name}\\{.*\\} (.*)$`, 'm').exec(body)?.[1];
}

test('a series that begins is 0 to each scraper once, and what it is from then on', async () => {
  const { view, exposition } = begun();
  await rendered(exposition, undefined, 'one');
  view.update([evaluations(3)]);

  expect(await shownValue(exposition, 'one')).toBe('0');
  view.update([evaluations(4)]);
  expect(await shownValue(exposition, 'one')).toBe('4');
  expect(await shownValue(exposition, 'two')).toBe('0');
  expect(await shownValue(exposition, 'two')).toBe('4');
  expect(await shownValue(exposition, 'one')).toBe('4');
});

test('a histogram begins as a whole', async () => {
  const { view, exposition } = begun();
  const of = (part: string, value: number, le?: string): SeriesTotal => ({
    metric: `assay_evaluation_score_${part}`,
    labels: { ...BASE, ...(le === undefined ? {} : { le }) },
    value,
    exemplar: { traceId: 't', conversationId: 'c', value: 1, at: 0 },
  });
  view.update([of('bucket', 2, '1'), of('sum', 1_500_000), of('count', 2)]);

  const first = (await rendered(exposition, OPEN_METRICS, 'one')).body;
  const second = (await rendered(exposition, OPEN_METRICS, 'one')).body;

  const values = (body: string) =>
    lines(body)
      .filter((line) => line.startsWith('assay_evaluation_score_'))
      .map((line) => line.split('} ')[1]?.split(' ')[0]);
  expect(new Set(values(first))).toEqual(new Set(['0']));
  expect(values(first)).toHaveLength(values(second).length);
  expect(first).not.toContain('trace_id');
  expect(second).toContain('le="1"} 2 # {trace_id="t",conversation_id="c"} 1 0\n');
  expect(second).toContain('assay_evaluation_score_sum{suite="s",agent="a",agent_version="1",environment="e"} 1.5\n');
});

test('what the store had before the process began goes on from where it was; a person sees what there is', async () => {
  const view = new QualityView();
  view.update([evaluations(7)]);
  const exposition = new Exposition(view.sources());
  expect(await shownValue(exposition, 'one')).toBe('7');

  view.update([evaluations(8), evaluations(1, 'b')]);

  expect(await shownValue(exposition, 'one')).toBe('8');
  const { body } = await rendered(exposition);
  expect(body).toContain('agent="b",agent_version="1",environment="e",outcome="unscored"} 1\n');
});

test('the time of a version’s first evaluation is not held back', async () => {
  const { view, exposition } = begun();
  const name = 'assay_agent_version_first_seen_timestamp_seconds';
  const { agent, agent_version, environment } = BASE;
  view.update([
    { metric: name, labels: { agent, agent_version, environment }, value: 1_790_000_000_500, exemplar: undefined },
  ]);

  expect(await shownValue(exposition, 'one', name)).toBe('1790000000.5');
});

test('to whom is new himself only what is younger than five minutes is new', () => {
  const scrapers = new Scrapers();

  const scraped = (scraper: string, at: number) => {
    const since = scrapers.newSince(scraper, at);
    scrapers.noteTaken(scraper, at);
    return since;
  };

  expect(scraped('a', 100 * MINUTE)).toBe(95 * MINUTE);
  expect(scraped('a', 101 * MINUTE)).toBe(100 * MINUTE);
  expect(scraped('b', 102 * MINUTE)).toBe(97 * MINUTE);
  expect(scraped('a', 200 * MINUTE)).toBe(195 * MINUTE);
});

test('whoever scrapes under ever new names takes no memory, and the faithful one is still known', () => {
  const scrapers = new Scrapers();
  for (let number = 0; number < 1000; number += 1) {
    scrapers.noteTaken(`stranger ${number}`, number);
    scrapers.noteTaken('faithful', number);
  }

  expect(scrapers.newSince('faithful', 1000)).toBe(999);
  expect(scrapers.newSince('stranger 0', 1000)).toBe(1000 - 5 * MINUTE);
});

test('text from spans cannot leave its place', async () => {
  const view = new QualityView();
  const agent = '"} 1\nassay_evaluations_total{agent="x"} 99\\';
  const exemplar = { traceId: 't"', conversationId: 'c\n# EOF\n', value: 1, at: 0 };
  view.update([{ ...evaluations(5, agent), exemplar }]);

  for (const accept of [undefined, OPEN_METRICS]) {
    const { body } = await rendered(new Exposition(view.sources()), accept);

    const exposed = exposedIn(body).get('assay_evaluations_total');
    expect(exposed?.samples).toBe(1);
    expect(body).not.toContain('\nassay_evaluations_total{agent="x"}');
    expect(lines(body).filter((line) => line.startsWith('# EOF'))).toHaveLength(accept === undefined ? 0 : 1);
  }
});

test('one source that gives samples and one that writes lines stand beside each other in order', async () => {
  const definition = (name: string) => ({ name, type: 'gauge', labels: [], unit: 'x', help: 'h' }) as const;
  const sources: MetricSource[] = [
    { definition: definition('first'), samples: async () => [{ labels: {}, value: 1 }] },
    { definition: definition('second'), lines: () => ({ texts: ['second 2\n'], release: () => undefined }) },
  ];

  const { body } = await rendered(new Exposition(sources));

  expect(body).toBe('# HELP first h\n# TYPE first gauge\nfirst 1\n# HELP second h\n# TYPE second gauge\nsecond 2\n');
});

const SERIES = 20_000;

function many(value: number): readonly SeriesTotal[] {
  return Array.from({ length: SERIES }, (_, number) => evaluations(value, `agent-${number}`));
}

function valuesIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => /^assay_evaluations_total\{.*\} (.*)\n$/.exec(text)?.[1] ?? []);
}

test('a scrape shows the moment at which it began, whatever is committed between its slices', async () => {
  const view = new QualityView();
  view.update(many(1));
  const exposition = new Exposition(view.sources());
  let commits = 0;
  let isUnderWay = true;
  const commit = () => {
    if (!isUnderWay) return;
    commits += 1;
    // From both ends, so that of each commit something is before the place of the scrape and something behind it.
    view.update([evaluations(1 + commits, 'agent-0'), evaluations(1 + commits, `agent-${SERIES - 1}`)]);
    view.update([evaluations(1 + commits, `new-${commits}`)]);
    setImmediate(commit);
  };
  setImmediate(commit);

  const [first, second] = await Promise.all([
    exposition.scrape({ accept: undefined }).finally(() => {
      // The second one begins now: it shows these commits, and none of its own time.
      view.update([evaluations(1000, 'agent-1')]);
    }),
    exposition.scrape({ accept: OPEN_METRICS }),
  ]);
  isUnderWay = false;

  expect(commits).toBeGreaterThan(1);
  const values = valuesIn(first?.texts ?? []);
  expect(values).toHaveLength(SERIES);
  expect(new Set(values)).toEqual(new Set(['1']));
  const [of0, , ...others] = valuesIn(second?.texts ?? []);
  const last = others[SERIES - 3];
  expect(of0).toBe(last);
  expect(Number(of0)).toBeGreaterThan(1);
  expect(others.slice(SERIES - 2)).toEqual(Array.from({ length: Number(of0) - 1 }, (_, at) => String(at + 2)));
  expect(await shownValue(exposition, undefined)).toBe(String(commits + 1));
});

test('a scrape gives others their turn, and one that nobody waits for ends early', async () => {
  const view = new QualityView();
  view.update(many(1));
  const exposition = new Exposition(view.sources());
  let turns = 0;
  const ticker = setInterval(() => {
    turns += 1;
  }, 1);

  const gone = await exposition.scrape({ accept: undefined, isWanted: () => turns === 0 });
  const turnsUntilGone = turns;
  const whole = await exposition.scrape({ accept: undefined });
  clearInterval(ticker);

  expect(gone).toBeUndefined();
  expect(turnsUntilGone).toBe(1);
  expect(valuesIn(whole?.texts ?? [])).toHaveLength(SERIES);
});

test('a series begins at 0 again for a scraper that did not get all of its scrape', async () => {
  const { view, exposition } = begun();
  view.update([evaluations(3)]);

  const lost = await exposition.scrape({ accept: undefined, scraper: 'one' });

  expect(valuesIn(lost?.texts ?? [])).toEqual(['0']);
  expect(await shownValue(exposition, 'one')).toBe('0');
  expect(await shownValue(exposition, 'one')).toBe('3');
});

test('a source that fails fails its scrape only, and ends its snapshot', async () => {
  const definition = (name: string) => ({ name, type: 'gauge', labels: [], unit: 'x', help: 'h' }) as const;
  let fails = true;
  let released = 0;
  const exposition = new Exposition([
    { definition: definition('first'), lines: () => ({ texts: ['first 1\n'], release: () => (released += 1) }) },
    {
      definition: definition('second'),
      samples: async () => {
        if (!fails) return [];
        fails = false;
        throw new Error('it has no value');
      },
    },
  ]);

  const failed = exposition.scrape({ accept: undefined });
  const next = exposition.scrape({ accept: undefined });
  await expect(failed).rejects.toThrow('it has no value');

  expect((await next)?.texts.join('')).toContain('first 1\n');
  expect(released).toBe(2);
});
