import { expect, test } from 'vitest';
import { dashboards } from '../../deploy/grafana/source/dashboards.ts';
import { DASHBOARDS, LINKS } from '../../deploy/links.ts';
import { RULE_SETTINGS } from '../../deploy/prometheus/source/settings.ts';
import { MARKS, panelsOf } from './dashboard-queries.ts';
import { unknownMetrics } from './known-metrics.ts';

const panels = panelsOf(dashboards(RULE_SETTINGS, LINKS));

test('every panel says what it shows, and what where there is nothing', () => {
  expect(panels.length).toBeGreaterThan(40);
  expect(panels.filter(({ description }) => !/^.{20,}\.$/.test(description)).map(({ title }) => title)).toEqual([]);
  expect(panels.filter(({ noValue }) => noValue === undefined).map(({ title }) => title)).toEqual([]);
});

test('the quality of an agent begins with how many went well, and with what to do where nothing was read', () => {
  const ofQuality = panels.filter(({ board }) => board === DASHBOARDS.quality);
  const ofReadings = ofQuality.filter(({ queries }) => queries.some(({ expr }) => expr.includes('estimate')));

  expect(ofReadings.length).toBe(4);
  expect(ofReadings).toEqual(ofQuality.slice(0, 4));
  expect(ofReadings.filter(({ noValue }) => noValue?.includes('assay estimate --read') !== true)).toEqual([]);
});

test('no two panels of a dashboard have one title', () => {
  expect(new Set(panels.map(({ board, title }) => `${board}: ${title}`)).size).toBe(panels.length);
});

test('every metric that is asked for is exposed or recorded', () => {
  const asked = [...panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)), ...MARKS];

  expect(asked.flatMap(unknownMetrics)).toEqual([]);
});

test('what is divided by is above zero', () => {
  const ratios = panels
    .flatMap(({ queries }) => queries.map(({ expr }) => expr))
    .filter((query) => query.includes(' / '));

  expect(ratios.length).toBeGreaterThan(10);
  expect(ratios.filter((query) => !/ > 0\)/.test(query))).toEqual([]);
});

test('a quantile of nothing is left out', () => {
  const quantiles = panels
    .flatMap(({ queries }) => queries.map(({ expr }) => expr))
    .filter((query) => query.includes('histogram_quantile('));

  expect(quantiles.length).toBeGreaterThan(5);
  expect(quantiles.filter((query) => !query.endsWith(' >= 0'))).toEqual([]);
});
