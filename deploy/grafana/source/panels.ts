/**
 * The common parts of all dashboards: variables, version marks, and the few kinds of panel. Each panel has a
 * description, and a text for the case without data: a ratio of no traffic is not a number, and the panel must not look
 * broken because of that.
 */
import * as barchart from '@grafana/grafana-foundation-sdk/barchart';
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as statushistory from '@grafana/grafana-foundation-sdk/statushistory';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { DASHBOARDS, type Dashboard, type Links } from '../../links.ts';
import { duration } from '../../prometheus/source/promql.ts';
import { BANDS, type RuleSettings } from '../../prometheus/source/settings.ts';
import { TCR_CHANGE } from '../../prometheus/source/split.ts';

const DATASOURCE = { type: 'prometheus', uid: `\${datasource}` };
const NOTHING = 'no traffic';
/** Assay's page reads it in an address as no choice. */
const ALL = '.*';

/** One agent or all in one suite; the recorded series have these labels. */
export const AGENT = 'suite="$suite", agent=~"$agent", environment=~"$environment"';
/** The same, for the chosen versions; only metrics that Assay itself exposes have that label. */
export const VERSIONS = `${AGENT}, agent_version=~"$version"`;
export const WINDOW = 'window="$window"';

/**
 * The quantile of buckets summed by `le` and other labels. Without traffic it would be NaN, so a comparison filters it
 * out.
 */
export function quantile(q: number, buckets: string): string {
  return `histogram_quantile(${q}, ${buckets}) >= 0`;
}

export interface Question {
  readonly title: string;
  readonly description: string;
  readonly unit?: string;
  readonly width?: number;
  readonly height?: number;
  /** Text in place of figures that are absent. */
  readonly nothing?: string;
}

export interface Query {
  readonly expr: string;
  readonly legend?: string;
  readonly exemplars?: boolean;
}

/** A column is a query with one value for each row. */
export interface Column {
  readonly name: string;
  readonly expr: string;
  readonly unit?: string;
}

function ranged({ expr, legend = '', exemplars = false }: Query, index = 0) {
  return new prometheus.DataqueryBuilder()
    .refId(nameOf(index))
    .expr(expr)
    .legendFormat(legend)
    .range()
    .exemplar(exemplars)
    .datasource(DATASOURCE);
}

function now({ expr }: { readonly expr: string }, index = 0) {
  return new prometheus.DataqueryBuilder()
    .refId(nameOf(index))
    .expr(expr)
    .instant()
    .format(prometheus.PromQueryFormat.Table)
    .datasource(DATASOURCE);
}

/** A, B, C: Grafana's names for the queries of a panel. */
function nameOf(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

export const BAND_COLOURS = new dashboard.ThresholdsConfigBuilder().mode(dashboard.ThresholdsMode.Absolute).steps([
  { value: null, color: 'red' },
  { value: BANDS.usable, color: 'yellow' },
  { value: BANDS.production, color: 'green' },
]);

export function lines(
  question: Question,
  queries: readonly Query[],
  options: { readonly bands?: true; readonly stacked?: true } = {},
) {
  const { title, description, unit = 'none', width = 12, height = 8, nothing = NOTHING } = question;
  const panel = new timeseries.PanelBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .noValue(nothing)
    .span(width)
    .height(height)
    .targets(queries.map(ranged));
  if (options.stacked === true) {
    panel.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal)).fillOpacity(60);
  }
  if (options.bands === true) {
    panel
      .thresholds(BAND_COLOURS)
      .thresholdsStyle(new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Line));
  }
  return panel;
}

export function figure(
  question: Question,
  query: Query,
  options: { readonly bands?: true; readonly colours?: dashboard.ThresholdsConfigBuilder } = {},
) {
  const { title, description, unit = 'none', width = 4, height = 5, nothing = NOTHING } = question;
  const panel = new stat.PanelBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .noValue(nothing)
    .span(width)
    .height(height)
    .withTarget(ranged(query));
  if (options.colours !== undefined) panel.thresholds(options.colours);
  else if (options.bands === true) panel.thresholds(BAND_COLOURS);
  return panel;
}

/** A row for each series, a colour for each value. */
export function heatMap(
  question: Question,
  query: Query,
  { colours = BAND_COLOURS }: { readonly colours?: dashboard.ThresholdsConfigBuilder } = {},
) {
  const { title, description, unit = 'none', width = 12, height = 8 } = question;
  return new statushistory.PanelBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .noValue(NOTHING)
    .thresholds(colours)
    .colorScheme(new dashboard.FieldColorBuilder().mode(dashboard.FieldColorModeId.Thresholds))
    .span(width)
    .height(height)
    .withTarget(ranged(query));
}

/** One bar for each series, with the newest values. */
export function bars(question: Question, query: Query, options: { readonly by: string }) {
  const { title, description, unit = 'none', width = 12, height = 8 } = question;
  return new barchart.PanelBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .noValue(NOTHING)
    .orientation(common.VizOrientation.Horizontal)
    .xField(options.by)
    .span(width)
    .height(height)
    .withTarget(now(query));
}

/**
 * Parts of a change, each with a name: `mix` for that of the mix, and `none` if the label is absent. They are the mean of
 * the agents and environments that are chosen, so that they add up to the mean of their changes. They are recorded for
 * one window.
 */
export function partsBy(metric: string, label: string): string {
  const parts = `label_replace(${metric}{${AGENT}}, "${label}", "none", "${label}", "")`;
  const named = `label_replace(${parts}, "${label}", "mix", "part", "mix")`;
  return `sort(sum by (${label}) (${named}) / scalar(count(${TCR_CHANGE}{${AGENT}}) > 0))`;
}

/** One row for each combination of labels, one column for each query. */
export function comparison(question: Question, columns: readonly Column[]) {
  const { title, description, width = 24, height = 8 } = question;
  // Grafana names a column differently if it is the only one.
  const found = columns.length === 1 ? () => 'Value' : (index: number) => `Value #${nameOf(index)}`;
  const renameByName = Object.fromEntries(columns.map(({ name }, index) => [found(index), name]));
  const panel = new table.PanelBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .noValue('–')
    .span(width)
    .height(height)
    .targets(columns.map(now))
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({ id: 'organize', options: { excludeByName: { Time: true }, renameByName } });
  for (const { name, unit } of columns) {
    if (unit !== undefined) panel.overrideByName(name, [{ id: 'unit', value: unit }]);
  }
  return panel;
}

export function page(
  settings: RuleSettings,
  { key, title, about }: { readonly key: Dashboard; readonly title: string; readonly about: 'agent' | 'assay' },
) {
  const board = new dashboard.DashboardBuilder(title)
    .uid(DASHBOARDS[key])
    .tags(['assay'])
    .refresh('1m')
    .time({ from: 'now-24h', to: 'now' })
    .timezone('browser')
    .withVariable(new dashboard.DatasourceVariableBuilder('datasource').type('prometheus').label('Prometheus'))
    .link(
      new dashboard.DashboardLinkBuilder('Assay')
        .type(dashboard.DashboardLinkType.Dashboards)
        .tags(['assay'])
        .asDropdown(true)
        .keepTime(true)
        .includeVars(true),
    );
  if (about === 'assay') return board;
  const windows = settings.coarseWindows.map(({ seconds }) => duration(seconds));
  const values = (metric: string, label: string) => `label_values(${metric}, ${label})`;
  const choice = (name: string, label: string, metric: string) =>
    new dashboard.QueryVariableBuilder(name)
      .label(name === 'version' ? 'version' : name)
      .datasource(DATASOURCE)
      .query({ query: values(metric, label), refId: name })
      .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
      .sort(dashboard.VariableSort.AlphabeticalAsc);
  const orAll = (variable: dashboard.QueryVariableBuilder) => variable.includeAll(true).allValue(ALL);
  const all = (variable: dashboard.QueryVariableBuilder) =>
    orAll(variable).multi(true).current({ text: 'All', value: '$__all' });
  return board
    .withVariable(choice('suite', 'suite', 'assay_evaluations_total'))
    .withVariable(orAll(choice('agent', 'agent', 'assay_evaluations_total{suite="$suite"}')))
    .withVariable(all(choice('environment', 'environment', 'assay_evaluations_total{suite="$suite", agent=~"$agent"}')))
    .withVariable(all(choice('version', 'agent_version', `assay_evaluations_total{${AGENT}}`)))
    .withVariable(
      new dashboard.CustomVariableBuilder('window')
        .label('window')
        .values(windows.join(','))
        .current({ text: windows[1] ?? '', value: windows[1] ?? '' }),
    )
    .annotation(
      new dashboard.AnnotationQueryBuilder()
        .name('new versions')
        .datasource(DATASOURCE)
        .enable(true)
        .iconColor('blue')
        .expr(VERSION_MARKS)
        .titleFormat('version {{agent_version}}')
        .useValueForTime(true),
    )
    .annotation(
      new dashboard.AnnotationQueryBuilder()
        .name('alerts')
        .datasource(DATASOURCE)
        .enable(true)
        .iconColor('red')
        .expr(ALERT_MARKS)
        .titleFormat('{{alertname}}'),
    );
}

/** In milliseconds: the annotation is drawn at the time that its value gives. */
export const VERSION_MARKS = `min by (agent, agent_version, environment) (assay_agent_version_first_seen_timestamp_seconds{agent=~"$agent", environment=~"$environment"}) * 1000`;
export const ALERT_MARKS = `ALERTS{alertstate="firing", suite="$suite", agent=~"$agent"}`;

/**
 * The target of an exemplar link is set in the data source, which knows no dashboard variables:
 * deploy/grafana/provisioning.
 */
export function conversationsLink(links: Links, query: string) {
  return new dashboard.DashboardLinkBuilder('conversations')
    .type(dashboard.DashboardLinkType.Link)
    .url(`${links.assay}/conversations?suite=\${suite:percentencode}&agent=\${agent:percentencode}${query}`)
    .targetBlank(true);
}
