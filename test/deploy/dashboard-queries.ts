/** The Prometheus queries of the dashboards, panel by panel. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { ALERT_MARKS, VERSION_MARKS } from '../../deploy/grafana/source/panels.ts';
import { CLUSTER_METRICS } from '../../src/report/events/cluster.ts';

export interface Panel {
  readonly board: string;
  readonly title: string;
  readonly description: string;
  readonly noValue: string | undefined;
  readonly queries: readonly Query[];
}

export interface Query {
  readonly expr: string;
  /** The labels that distinguish the panel's series. */
  readonly labels: readonly string[];
}

/** The parts of a panel that matter here. */
interface WrittenPanel {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly fieldConfig?: { readonly defaults?: { readonly noValue?: string } };
  readonly options?: { readonly xField?: string };
  readonly targets?: readonly { readonly expr?: string; readonly legendFormat?: string }[];
  readonly panels?: readonly WrittenPanel[];
}

export function panelsOf(boards: ReadonlyMap<string, Dashboard>): readonly Panel[] {
  const flat = (panels: readonly WrittenPanel[]): readonly WrittenPanel[] =>
    panels.flatMap((panel) => [panel, ...flat(panel.panels ?? [])]);
  return [...boards].flatMap(([board, { panels = [] }]) =>
    // The cast holds for what the builders make.
    flat(panels as readonly WrittenPanel[])
      .filter(({ type }) => type !== 'row')
      .map(({ title = '', description = '', fieldConfig, options, targets = [] }) => ({
        board,
        title,
        description,
        noValue: fieldConfig?.defaults?.noValue,
        queries: targets.map(({ expr = '', legendFormat = '' }) => ({
          expr,
          labels: [
            ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
            ...(options?.xField === undefined ? [] : [options.xField]),
          ],
        })),
      })),
  );
}

export const MARKS: readonly string[] = [VERSION_MARKS, ALERT_MARKS];

/** Metrics of instances over Kafka and a shared store, and the parts that only they have. */
const OF_CLUSTER = [
  ...Object.values(CLUSTER_METRICS).map(({ name }) => name),
  'part=~"kafka|store"',
  'part!="own_store"',
];

/** Whether only instances over Kafka and a shared store have an answer. */
export function isOfCluster(promql: string): boolean {
  return OF_CLUSTER.some((name) => promql.includes(name));
}

/** Substitutes variables as Grafana would. */
export function withVariables(query: string, values: Readonly<Record<string, string>>): string {
  return query.replace(/\$(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no variable is called ${name}: ${query}`);
    return value;
  });
}
