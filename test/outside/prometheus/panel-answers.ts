/** What a real Prometheus has to say to the queries of panels and rules, and which of them it has no answer to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ruleGroups } from '../../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from '../../../deploy/prometheus/source/settings.ts';
import type { Panel } from '../../deploy/dashboard-queries.ts';
import type { PrometheusForTests } from './prometheus-process.ts';

export interface Asked {
  /** Where the query stands, and the query. */
  readonly name: string;
  readonly board: string;
  readonly title: string;
  /** Without variables. */
  readonly promql: string;
  readonly labels: readonly string[];
}

export function askedBy(panels: readonly Panel[], fill: (query: string) => string): readonly Asked[] {
  return panels.flatMap(({ board, title, queries }) =>
    queries.map(({ expr, labels }) => ({
      name: `${board}, ${title}: ${expr}`,
      board,
      title,
      promql: fill(expr),
      labels,
    })),
  );
}

export interface Answers {
  /** Those that have shown no number, or none with the labels that the panel tells series apart by. */
  readonly unanswered: readonly Asked[];
  /** Those that have shown what is no number, or has no end. */
  readonly broken: readonly string[];
  /** By panel, the highest number shown. */
  readonly highest: ReadonlyMap<string, number>;
}

/** As a dashboard would show the time since `start`, second by second. */
export async function answersOf(
  prometheus: PrometheusForTests,
  asked: readonly Asked[],
  start: number,
): Promise<Answers> {
  const unanswered: Asked[] = [];
  const broken: string[] = [];
  const highest = new Map<string, number>();
  for (const one of asked) {
    const series = await seriesSince(prometheus, one.promql, start);
    const values = series.flatMap((shown) => shown.values);
    const numbers = values.filter(Number.isFinite);
    if (numbers.length < values.length) broken.push(one.name);
    const isTold = series.some(
      (shown) => shown.values.some(Number.isFinite) && one.labels.every((label) => label in shown.metric),
    );
    if (isTold) highest.set(one.title, Math.max(highest.get(one.title) ?? Number.NEGATIVE_INFINITY, ...numbers));
    else unanswered.push(one);
  }
  return { unanswered, broken, highest };
}

/** Resolves once an expression has an answer. */
export async function untilAnswered(prometheus: PrometheusForTests, query: string): Promise<void> {
  for (;;) {
    const { result } = (await prometheus.ask('query', { query })) as { readonly result: readonly unknown[] };
    if (result.length > 0) return;
    await sleep(200);
  }
}

interface Shown {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly number[];
}

export async function seriesSince(
  prometheus: PrometheusForTests,
  query: string,
  start: number,
): Promise<readonly Shown[]> {
  const end = Date.now() / 1000;
  // The cast holds for a range of any query.
  const { result } = (await prometheus.ask('query_range', {
    ...{ query, start: String(start), end: String(end), step: '1' },
  })) as { readonly result: readonly { metric: Shown['metric']; values: readonly (readonly [number, string])[] }[] };
  return result.map(({ metric, values }) => ({ metric, values: values.map(([, value]) => Number(value)) }));
}

/** What the shipped rules select of what Assay exposes. */
export function selectorsOfRules(): readonly string[] {
  const expressions = ruleGroups(RULE_SETTINGS).flatMap(({ rules }) => rules.map(({ expr }) => expr));
  // What has a colon before it is recorded by other rules.
  return [...new Set(expressions.flatMap((expr) => expr.match(/(?<![:\w])assay_\w+(?:\{[^}]*\})?/g) ?? []))];
}

/** Selectors under which nothing was scraped since `start`. */
export async function selectingNothing(
  prometheus: PrometheusForTests,
  selectors: readonly string[],
  start: number,
): Promise<readonly string[]> {
  const range = { start: String(start), end: String(Date.now() / 1000) };
  const missing: string[] = [];
  for (const selector of selectors) {
    const found = (await prometheus.ask('series', { 'match[]': selector, ...range })) as readonly unknown[];
    if (found.length === 0) missing.push(selector);
  }
  return missing;
}
