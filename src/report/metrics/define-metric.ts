/**
 * Constructors of metric definitions: name, unit, then labels, help and queries. Labels are written in one of two ways:
 *
 *   labels: ['topic', 'signal']                     series begin when they are first counted
 *   labels: { topic: GIVEN, fate: RECORD_FATES }    series exist at zero before anything happens
 */
import { isList } from '../../model/json.ts';
import type { HistogramDefinition, MetricDefinition } from '../../model/metric.ts';
import type { LabelValues } from './text-format.ts';

/** Stands for label values that only the service knows. It gives them to `MetricSet.begin`. */
export const GIVEN: readonly string[] = [];

export interface DefinedMetric<Type extends MetricDefinition['type'], Label extends string> extends MetricDefinition {
  readonly type: Type;
  readonly labels: readonly Label[];
  /** Label values whose series exist at zero from the start. */
  readonly zeros?: { readonly [label: string]: readonly string[] };
}

/** A gauge that is read at each scrape. */
export interface ReadMetric<Readings> extends DefinedMetric<'gauge', string> {
  readonly read: (readings: Readings) => number | readonly Reading[];
}

export interface Reading {
  readonly labels: LabelValues;
  readonly value: number;
}

interface Meaning<Label extends string> {
  /** Labels; absent for a metric without any. */
  readonly labels?: readonly Label[] | { readonly [L in Label]: readonly string[] };
  readonly help: string;
  /** PromQL by the question that it answers. */
  readonly queries?: { readonly [asks: string]: string };
}

export function counter<const Label extends string = never>(
  name: string,
  unit: string,
  meaning: Meaning<Label>,
): DefinedMetric<'counter', NoInfer<Label>> {
  return defined({ name, type: 'counter', unit }, meaning);
}

export function gauge<const Label extends string = never>(
  name: string,
  unit: string,
  meaning: Meaning<Label>,
): DefinedMetric<'gauge', NoInfer<Label>> {
  return defined({ name, type: 'gauge', unit }, meaning);
}

export function readGauge<Readings>(
  name: string,
  unit: string,
  { read, ...meaning }: Meaning<string> & Pick<ReadMetric<Readings>, 'read'>,
): ReadMetric<Readings> {
  return { ...defined({ name, type: 'gauge', unit }, meaning), read };
}

export function histogram<const Label extends string = never>(
  name: string,
  unit: string,
  { buckets, ...meaning }: Meaning<Label> & Pick<HistogramDefinition, 'buckets'>,
): DefinedMetric<'histogram', NoInfer<Label>> & HistogramDefinition {
  return { ...defined({ name, type: 'histogram', unit }, meaning), buckets };
}

function defined<const Type extends MetricDefinition['type'], Label extends string>(
  named: { readonly name: string; readonly type: Type; readonly unit: string },
  { labels = [], help, queries = {} }: Meaning<Label>,
): DefinedMetric<Type, Label> {
  const asked = Object.entries(queries).map(([asks, promql]) => ({ asks, promql }));
  const common = { ...named, help, queries: asked };
  if (isList(labels)) return { ...common, labels };
  // The cast holds because these are the labels' keys.
  return { ...common, labels: Object.keys(labels) as Label[], zeros: labels };
}
