import { OUTCOMES } from '../../src/model/evaluation.ts';
import { expect, test } from 'vitest';
import { Exposition } from '../../src/report/metrics/exposition.ts';
import { rendered } from '../report/rendered.ts';
import { QualityView } from '../../src/report/metrics/quality-view.ts';
import { exposedIn } from '../report/exposed.ts';
import { exportRequest, type TrafficSpan } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { builtinSuites, defaultSettings, LogDriver } from '../engine/log-driver.ts';

const MAX_LABEL_VALUES = 5;
/** Including the capacity reserved for segments that become `other`. */
const COMBINATIONS_MAX = 7;

/** Requests of one span each, with absurd names, and attributes called like labels. */
function hostileSpan(number: number): TrafficSpan {
  const id = number.toString(16).padStart(16, '0');
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  return {
    traceId: id.padStart(32, 'a'),
    spanId: `1${id.slice(1)}`,
    name: `chat ${number}`,
    kind: 1,
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    status: { code: 0 },
    attributes: [
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', number % 3 === 0 ? 'helper' : `agent"\n} ${number}`),
      text('gen_ai.agent.version', `v${number % 7}\u0000`),
      text('deployment.environment.name', `environment ${number % 5}`),
      text('tier', `${'x'.repeat(300)}${number}`),
      text('criterion', `criterion ${number}`),
      text('suite', `suite ${number}`),
      text('outcome', `outcome ${number}`),
    ],
  };
}

test('hostile names of agents, versions, environments and segments make a bounded number of series, and criteria are the suites’', async () => {
  const suites = await builtinSuites(['default', 'response-clarity']);
  const metrics = { maxLabelValues: MAX_LABEL_VALUES, maxSeries: 1000, segment: ['tier'], maxSegments: 3 };
  const log = new LogDriver({ directory: tempDirectory(), suites, settings: { ...defaultSettings(), metrics } });
  const conversations = 1000;
  for (let number = 0; number < conversations; number += 50) {
    const spans = Array.from({ length: 50 }, (_, index) => hostileSpan(number + index));
    log.take({ at: number, request: exportRequest(spans, `service ${number}`) });
  }

  const { totals } = log.finish();

  const view = new QualityView();
  // The cast holds for what the store gives.
  const stored = totals as readonly { metric: string; labels: string; value: number }[];
  view.update(
    stored.map((total) => ({
      ...total,
      labels: JSON.parse(total.labels) as Record<string, string>,
      exemplar: undefined,
    })),
  );
  const { body } = await rendered(new Exposition(view.sources()));
  const valuesOf = (label: string) =>
    new Set([...body.matchAll(new RegExp(`[{,]${label}="((?:[^"\\\\]|\\\\.)*)"`, 'g'))].map(([, value]) => value));
  const evaluated = [...body.matchAll(/^assay_evaluations_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );

  expect(evaluated).toBe(conversations * suites.length);
  expect(view.labelSetCount).toBeLessThanOrEqual(COMBINATIONS_MAX);
  // 5 outcomes with 42 series each and 21 others, and 5 verdicts for each criterion, as docs/reference/METRICS.md says.
  const criteria = suites.flatMap((suite) => suite.criteria.map(({ name }) => name));
  const most = (COMBINATIONS_MAX + 1) * (suites.length * (21 + 5 * 42) + 5 * criteria.length) + view.labelSetCount + 1;
  const samples = [...exposedIn(body).values()].reduce((sum, exposed) => sum + exposed.samples, 0);
  expect(view.seriesCount).toBeLessThanOrEqual(most);
  expect(samples).toBe(view.seriesCount);
  expect(valuesOf('criterion').difference(new Set(criteria))).toEqual(new Set());
  expect(valuesOf('suite')).toEqual(new Set(suites.map(({ name }) => name)));
  expect(valuesOf('outcome')).toEqual(new Set(OUTCOMES));
  expect(Math.max(...[...valuesOf('segment')].map((value) => value?.length ?? 0))).toBeLessThanOrEqual(100);
  expect(valuesOf('agent')).toContain('other');
});
