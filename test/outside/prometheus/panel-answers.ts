/** The answers of a real Prometheus to the queries of panels and rules, and the queries without an answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ruleGroups } from '../../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from '../../../deploy/prometheus/source/settings.ts';
import type { Panel } from '../../deploy/dashboard-queries.ts';
import type { PrometheusForTests } from './prometheus-process.ts';

export interface Asked {
  /** The place of the query, and the query. */
  readonly name: string;
  readonly board: string;
  readonly title: string;
  /** The query with its variables replaced. */
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
  /** Queries that have shown no number, or none with the labels that distinguish their series. */
  readonly unanswered: readonly Asked[];
  /** Queries that have shown NaN or an infinite value. */
  readonly broken: readonly string[];
  /** By panel, the highest number shown. */
  readonly highest: ReadonlyMap<string, number>;
}

/** The answers of a dashboard for the time since `start`, second by second. */
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

const ANSWER_WITHIN_MS = 120_000;

/** Resolves once an expression has an answer. */
export async function untilAnswered(prometheus: PrometheusForTests, query: string): Promise<void> {
  const until = Date.now() + ANSWER_WITHIN_MS;
  while (Date.now() < until) {
    const { result } = (await prometheus.ask('query', { query })) as { readonly result: readonly unknown[] };
    if (result.length > 0) return;
    await sleep(200);
  }
  throw new Error(`Prometheus gives nothing within ${ANSWER_WITHIN_MS / 1000} s for: ${query}`);
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

/** The selectors of the shipped rules over metrics that Assay exposes. */
export function selectorsOfRules(): readonly string[] {
  const expressions = ruleGroups(RULE_SETTINGS).flatMap(({ rules }) => rules.map(({ expr }) => expr));
  // A name with a colon is recorded by other rules.
  return [...new Set(expressions.flatMap((expr) => expr.match(/(?<![:\w])assay_\w+(?:\{[^}]*\})?/g) ?? []))];
}

/** Selectors without any sample since `start`. */
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
