/** The page about metrics, made from their definitions. What is not of one metric is written here. */
import type { MetricDefinition } from '../src/model/metric.ts';
import { CALIBRATION_METRICS } from '../src/report/metrics/calibration-metrics.ts';
import { CLUSTER_METRICS } from '../src/report/events/cluster.ts';
import { DETECTION_METRICS } from '../src/report/events/detection.ts';
import { HEALTH_METRICS } from '../src/report/events/event-reporter.ts';
import { JUDGE_METRICS } from '../src/report/events/judges.ts';
import { DECISIONS } from '../src/model/decision.ts';
import { OUTCOMES, VERDICTS } from '../src/model/evaluation.ts';
import { BASE_LABELS, QUALITY_METRICS, WITHDRAWN_METRICS } from '../src/report/metrics/quality-metrics.ts';
import { SHADOW_METRICS } from '../src/report/metrics/shadow-metrics.ts';

export function metricsPage(): string {
  return `<!-- Made by \`npm run docs:metrics\` from the definitions in src/report. Change those; a test compares. -->

# Metrics

\`GET /metrics\` on port 4319: Prometheus text, or OpenMetrics where the scraper asks for it, as Prometheus does. OpenMetrics has
exemplars (\`trace_id\`, \`conversation_id\`) on scores, outcomes, failed criteria and what conversations took; Prometheus keeps them
when it is started with \`--enable-feature=exemplar-storage\`. \`GET /api/conversations/<conversation_id>\` shows the conversation.

## Is the agent any good?

These counters live in the store: they go on over a restart, and a conversation adds to them once per suite. With several
instances each counts what it judged, and sums over instances are right.

${labelsTable()}

${metricsTable(Object.values<MetricDefinition>(QUALITY_METRICS))}

Counters only go up, and late spans, truth or a judge's answer may change what was said of a conversation. So each evaluation is counted again
at each revision, and what the one before had added is added to a twin with \`_withdrawn\` in its name:
${WITHDRAWN_METRICS.map(({ name }) => `\`${name}\``).join(', ')}. A metric less its twin, over the same labels, is what the
store says now; the rules and dashboards here subtract everywhere. Twins exist at zero from when their metrics do.

Queries to start with:

${queries(Object.values<MetricDefinition>(QUALITY_METRICS))}

TCR bands: 0.85 and above is production ready, 0.70 and above usable, below that not ready.

Sums, counts and sums of squares are of the same evaluations, and so are their twins: take each twin off before you make a mean or a
variance of them.
A suite's success has no label of its own: it is \`outcome="successful_completion"\`.

## What would another suite say?

Of suites in shadow ([suites.md](suites.md#changing-a-suite)), beside the live one of the same name; in the store, as those above. \`version\` is
that of the suite in shadow.

${metricsTable(Object.values<MetricDefinition>(SHADOW_METRICS))}

Queries to start with:

${queries(Object.values<MetricDefinition>(SHADOW_METRICS))}

## Has it got worse?

What detection in the process says ([detection.md](detection.md)); gauges of the one instance that has it. \`metric\` is one of \`tcr\`,
\`hard_failure\`, \`criterion\`, \`cost_per_success\`, \`steps_per_success\`; \`criterion\` is there where it is \`criterion\`.

${metricsTable(Object.values<MetricDefinition>(DETECTION_METRICS))}

Queries to start with:

${queries(Object.values<MetricDefinition>(DETECTION_METRICS))}

## Is Assay well?

These start at zero with the process.

${metricsTable(HEALTH_METRICS)}

\`/readyz\` answers 503, with its reasons in words, while Assay starts or stops (OTLP is not taken then), while new data are refused, and when nothing has been
scored for 30 seconds although turns are waiting; with several instances also while Kafka or the shared store cannot be used, or evaluations and dead letters
cannot be sent to their topics. \`/healthz\` answers 200 as long as the process is there.

With Kafka and a shared store there are these as well:

${metricsTable(Object.values<MetricDefinition>(CLUSTER_METRICS))}

Queries to start with:

${queries([...HEALTH_METRICS, ...Object.values<MetricDefinition>(CLUSTER_METRICS)])}

## What do the judges do?

These are there where judges are configured ([judges.md](judges.md)), of the one instance that asks, and start at zero with the process. A
\`judge\` is called as in the configuration.

${metricsTable(Object.values<MetricDefinition>(JUDGE_METRICS))}

Queries to start with:

${queries(Object.values<MetricDefinition>(JUDGE_METRICS))}

How far they can be trusted, from labels by people ([judges.md](judges.md#can-the-judge-be-trusted)): worked out once a minute and at the
start, for the 200 versions that judged last, and shown by one instance. Without labels there is nothing.

${metricsTable(Object.values<MetricDefinition>(CALIBRATION_METRICS))}

Queries to start with:

${queries(Object.values<MetricDefinition>(CALIBRATION_METRICS))}

## Segments

Compare like with like: on a day with more of the hard questions every agent looks worse. \`metrics.segment\` names an attribute, or
a list of some, that says which part of the traffic a conversation is (a plan, a language, a channel); its values become the label
\`segment\`. It is the first turn's, by start, that has one of them; in a turn its root is asked first, then its other spans by start; of
a span the first key of the list that it has, and a span's own attributes win over its resource's. A suite for turns goes by each
turn alone: put the attribute on every turn, or on the resource. Who says none is \`unknown\`; without \`metrics.segment\` there is no label,
and \`by (…, segment)\` works all the same. What late spans say about it later is shown in the API and is counted under the first.

## How many series

Names come from spans, so their number has a limit: \`metrics.max_label_values\` combinations of agent, version, environment and segment
(200), and of each agent \`metrics.max_segments\` segments (20). What comes after is counted under \`other\`, none is lost, and
\`assay_series_folded_total\` says so. Where a new segment of a known agent finds no room, only the segment is
\`other\`; for these a quarter more combinations than the limit are spare. Criteria and outcomes come from suites and are not spans' to choose.

For each suite a combination has ${seriesOf({ criteria: 0, outcomes: 0 })} series, ${seriesOf({ criteria: 1, outcomes: 0 }) - seriesOf({ criteria: 0, outcomes: 0 })} for each criterion, and up to ${seriesOf({ criteria: 0, outcomes: 1 }) - seriesOf({ criteria: 0, outcomes: 0 })} for each outcome that has occurred. We measure a scrape
at ${SERIES_MAX.toLocaleString('en')} series (\`npm run bench -- scrape\`) and promise that it stays under a second; \`assay_series\` says how many there are.

## How a series begins

Prometheus sees an increase between two samples and so never counts the first value of a new series: the one hard failure of a new
version would be missing. A series that begins while Assay runs is therefore shown at 0 to each scraper once, and with its value from the
next scrape on; to people it is shown as it is. See [decision 13](decisions/0013-metrics.md).
`;
}

/** At this many a scrape is measured. */
export const SERIES_MAX = 250_000;

const LABELS: Readonly<Record<(typeof BASE_LABELS)[number], string>> = {
  suite: 'the suite’s name',
  agent: '`gen_ai.agent.name` or what the framework has for it, else the service’s name',
  agent_version: '`gen_ai.agent.version`, else `service.version`',
  environment: '`deployment.environment.name`',
  segment: 'where `metrics.segment` is configured, see below; else there is no such label',
};

function labelsTable(): string {
  const rows = BASE_LABELS.map((label) => `| \`${label}\` | ${LABELS[label]} |`);
  return [
    'Most have these labels, called *agent labels* below; what spans don’t say is `unknown`, and what there is no room for is `other`.',
    '',
    '| label | |',
    '|---|---|',
    ...rows,
  ].join('\n');
}

function metricsTable(metrics: readonly MetricDefinition[]): string {
  const rows = metrics.map(
    ({ name, type, labels, unit, help }) => `| \`${name}\` | ${type} | ${labelsText(labels)} | ${unit} | ${help} |`,
  );
  return ['| metric | type | labels | one is | meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}

function labelsText(labels: readonly string[]): string {
  const isBased = BASE_LABELS.every((label) => labels.includes(label));
  const own = isBased ? labels.slice(BASE_LABELS.length) : labels;
  return [...(isBased ? ['agent labels'] : []), ...own.map((label) => `\`${label}\``)].join(', ');
}

function queries(metrics: readonly MetricDefinition[]): string {
  const all = metrics.flatMap((metric) => metric.queries ?? []);
  return ['```promql', all.map(({ asks, promql }) => `# ${asks}\n${promql}`).join('\n\n'), '```'].join('\n');
}

/** Of one combination of labels in one suite. */
function seriesOf({ criteria, outcomes }: { readonly criteria: number; readonly outcomes: number }): number {
  // Of a criterion the decided kinds have twins, of which nothing but their sum and count is there before the first revision.
  let count = 2 * OUTCOMES.length + (VERDICTS.length + DECISIONS.length) * criteria;
  for (const metric of Object.values<MetricDefinition & { readonly buckets?: readonly number[] }>(QUALITY_METRICS)) {
    const own: readonly string[] = metric.labels.slice(BASE_LABELS.length);
    if (!metric.labels.includes('suite') || own.includes('from')) continue;
    // A histogram has a bucket for what is beyond its bounds, a sum and a count.
    if (metric.type === 'histogram')
      count +=
        ((metric.buckets?.length ?? 0) + 6) * (own.includes('outcome') ? outcomes : metric.labels.length > 1 ? 1 : 0);
    else if (own.length === 0) count += 2;
    else if (own.includes('ending')) count += 2 * outcomes;
  }
  return count;
}
