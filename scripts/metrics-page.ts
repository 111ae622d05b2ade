/** The page about metrics, made from their definitions. Text that belongs to no single metric is written here. */
import type { MetricDefinition } from '../src/model/metric.ts';
import { CALIBRATION_METRICS } from '../src/report/metrics/calibration-metrics.ts';
import { ESTIMATE_METRICS } from '../src/report/metrics/estimate-metrics.ts';
import { CLUSTER_METRICS } from '../src/report/events/cluster.ts';
import { DETECTION_METRICS } from '../src/report/events/detection.ts';
import { HEALTH_METRICS } from '../src/report/events/event-reporter.ts';
import { JUDGE_METRICS } from '../src/report/events/judges.ts';
import { DECISIONS } from '../src/model/decision.ts';
import { OUTCOMES, VERDICTS } from '../src/model/evaluation.ts';
import { BASE_LABELS, QUALITY_METRICS, WITHDRAWN_METRICS } from '../src/report/metrics/quality-metrics.ts';
import { SHADOW_METRICS } from '../src/report/metrics/shadow-metrics.ts';
import { withReadingTime } from './reading-time.ts';
import { wrapProse } from './wrap-prose.ts';

export function metricsPage(): string {
  return withReadingTime(
    wrapProse(`<!-- Made by \`npm run docs:metrics\` from the definitions in src/report. Change those; a test compares. -->

# Metrics

*For people who run Assay. 1 minute.*

\`GET /metrics\` on port 4319: Prometheus text, or OpenMetrics if the scraper asks for it, as Prometheus does.
OpenMetrics has exemplars (\`trace_id\`, \`conversation_id\`) on scores, outcomes, failed criteria, and the cost, steps
and duration of conversations; Prometheus keeps them when it is started with \`--enable-feature=exemplar-storage\`.
\`GET /api/conversations/<conversation_id>\` shows the conversation.

## Is the agent any good?

These counters live in the store: they continue over a restart, and a conversation adds to them once per suite. With
several instances, each counts its own evaluations; sums over instances are right.

${labelsTable()}

${metricsTable(Object.values<MetricDefinition>(QUALITY_METRICS))}

Counters only go up, but late spans, truth or a judge's answer may change the evaluation of a conversation. So each
evaluation is counted again at each revision, and the contribution of the revision before it is added to a twin with
\`_withdrawn\` in its name: ${WITHDRAWN_METRICS.map(({ name }) => `\`${name}\``).join(', ')}. A metric minus its twin,
over the same labels, is the present state of the store; the rules and dashboards here subtract everywhere. A twin begins
when something is first withdrawn, so queries take it as zero where there is none.

Queries to start with:

${queries(Object.values<MetricDefinition>(QUALITY_METRICS))}

Levels of the TCR: alerts and dashboards have 0.85 and 0.70. They hold only for suites with evidence of the task (truth, a judge,
golden traces, feedback, criteria of your own). A suite about form only, such as \`default\`, has none: it says nothing about whether
the task was done. How many conversations went well, only [readings](../score/estimate.md) say.

Sums, counts and sums of squares are of the same evaluations, and so are their twins: subtract each twin before you
calculate a mean or a variance. A suite's success has no label of its own: it is \`outcome="successful_completion"\`.

## What would another suite say?

These metrics compare suites in shadow ([suites.md](../score/suites.md#changing-a-suite)) with the live suite of the same name.
They live in the store, like those above. \`version\` is that of the suite in shadow.

${metricsTable(Object.values<MetricDefinition>(SHADOW_METRICS))}

Queries to start with:

${queries(Object.values<MetricDefinition>(SHADOW_METRICS))}

## Has it got worse?

Results of regression detection ([detection.md](../operate/detection.md)), as gauges of the one instance that runs it. \`metric\`
is one of \`tcr\`, \`hard_failure\`, \`criterion\`, \`cost_per_success\`, \`steps_per_success\`; The label \`criterion\`
exists if \`metric\` is \`criterion\`.

${metricsTable(Object.values<MetricDefinition>(DETECTION_METRICS))}

Queries to start with:

${queries(Object.values<MetricDefinition>(DETECTION_METRICS))}

## Is Assay well?

These start at zero with the process.

${metricsTable(HEALTH_METRICS)}

\`/readyz\` answers 503, with its reasons in words, in three cases: Assay starts or stops (and rejects OTLP), new data
are rejected, or nothing has been scored for 30 seconds although turns are pending. With several instances there are two
more: Kafka or the shared store is unavailable, or evaluations and dead letters cannot be sent to their topics.
\`/healthz\` answers 200 as long as the process runs.

With Kafka and a shared store there are also these:

${metricsTable(Object.values<MetricDefinition>(CLUSTER_METRICS))}

Queries to start with:

${queries([...HEALTH_METRICS, ...Object.values<MetricDefinition>(CLUSTER_METRICS)])}

## What do the judges do?

These exist if judges are configured ([judges.md](../score/judges.md)). The one instance that asks the judges exposes them, and
they start at zero with the process. \`judge\` is the name in the configuration.

${metricsTable(Object.values<MetricDefinition>(JUDGE_METRICS))}

Queries to start with:

${queries(Object.values<MetricDefinition>(JUDGE_METRICS))}

The next metrics show how far judges can be trusted, from labels by people
([judges.md](../score/judges.md#can-the-judge-be-trusted)). One instance calculates them at the start and once a minute, for the
200 versions that judged last. Without labels they do not exist.

${metricsTable(Object.values<MetricDefinition>(CALIBRATION_METRICS))}

Queries to start with:

${queries(Object.values<MetricDefinition>(CALIBRATION_METRICS))}

The last ones say how many conversations went well, from readings ([estimate.md](../score/estimate.md)). One instance calculates
them every two minutes, for the 50 agents that were there last.

${metricsTable(Object.values<MetricDefinition>(ESTIMATE_METRICS))}

Queries to start with:

${queries(Object.values<MetricDefinition>(ESTIMATE_METRICS))}

## Removed in 0.2.0

| metric | use instead |
|---|---|
| \`assay_kafka_problem\`, \`assay_store_problem\`, \`assay_evaluations_topic_problem\`, \`assay_store_unwritable\` | \`assay_problem\`, \`part\` is \`kafka\`, \`store\`, \`evaluations\` or \`own_store\` |
| \`assay_judge_sensitivity_ratio\`, \`…_specificity_ratio\`, \`…_kappa_ratio\`, \`…_corrected_pass_ratio\`, each with \`_lower\` and \`_upper\` | \`assay_judge_agreement_ratio\` with \`figure\` and \`bound\` |
| \`assay_webhook_failures_total\` | \`assay_webhook_notices_total\` with \`result="retried"\` |
| \`assay_filing_seconds\`, \`assay_judging_seconds\`, \`assay_conversations_judged_total\` | \`assay_scoring_batch_seconds\`, \`assay_arrivals_filed_total\` |
| \`assay_kafka_records_total\` | \`assay_kafka_rows_total\` |
| \`assay_label_values_max\` | the setting \`metrics.max_label_values\` |
| \`assay_detector_log_evidence\`, \`…_log_evidence_threshold\` | \`assay_detector_evidence_ratio\`, their quotient |
| \`assay_detector_change_lower_ratio\`, \`…_upper_ratio\` | \`assay_detector_change_ratio\` with \`bound\` |
| \`assay_detector_baseline\`, \`…_observed\`, \`assay_version_log_evidence\` | \`assay detect\` and the page say them |
| \`assay_scoring_failures_total\`, \`assay_judging_failures_total\`, \`assay_result_failures_total\`, \`assay_telemetry_problems_total\`, \`assay_tls_certificate_problems_total\`, \`assay_api_reading_restarts_total\` | \`assay_failures_total\` with \`part\` |
| \`assay_tls_handshake_failures_total\` | \`assay_dropped_connections_total\` with \`reason="tls"\` |
| \`assay_judge_answers_reused_total\` | \`assay_judge_questions_total\` with \`end="reused"\` |
| \`assay_judge_evidence_total\`, \`assay_judge_unsupported_total\`, \`assay_judge_votes_disagreed_total\` | \`assay_judge_doubts_total\` with \`sign\` |
| \`assay_judge_calibration_state\` | \`assay_judge_labelled_verdicts\` |
| \`assay_api_reads_total\`, \`assay_api_writes_total\` | \`assay_api_requests_total\` |
| \`assay_journal_corrupt_bytes_total\`, \`assay_store_content_damaged_total\` | \`assay_data_damage\` with \`kind\` \`journal-corrupt\`, \`content-damaged\` |
| \`assay_filing_queue_length\`, \`assay_spool_bytes\` | \`assay_scoring_queue_length\`, \`assay_journal_bytes\` |
| \`assay_criterion_likeness_ratio\` | \`assay validate --store\` |
| \`assay_kafka_lane_changes_total\` | \`changes(assay_kafka_lanes[1h])\` |
| \`assay_open_records\`, \`assay_detection_time_seconds\`, \`assay_api_waiting_reads\`, \`assay_webhook_notices_waiting\` | nothing |

## Segments

Compare like with like: on a day with more hard questions every agent looks worse. \`metrics.segment\` names an
attribute, or a list of some, that holds the part of the traffic (a plan, a language, a channel). Its values become the
label \`segment\`.

## How many series

Names come from spans, so their number has a limit: \`metrics.max_label_values\` combinations of agent, version,
environment and segment (1,000), and a tenth of that as segments of each agent, but at least 20. When they are taken, the
one that was idle for longest, an hour or more, gives way to a new one, and its totals are deleted. The newest three
versions of an agent never give way, and a sender makes at most as many give way in a day as there may be. If none may,
new ones are counted under \`other\`, so none is lost, and \`assay_series_folded_total\` counts them. If there is no room
for a new segment of a known agent, only the segment is \`other\`; a quarter more combinations than the limit are
reserved for this. Another quarter is for other senders than the one that took the room. With one machine each token, or
address without one, may add a twentieth of the limit then. So names that one client invents hide no agent of another
that is in use. Criteria and outcomes come from suites, not from spans.

An answer keeps to \`metrics.max_series\` (20,000) by what can be spared. Evaluations, outcomes and scores are always
in it, so a thousand label sets may exceed it. Agents of least traffic lose buckets of histograms first, then verdicts by criterion, then steps and costs.
\`assay_series_withheld_agents\` counts them, and the fleet on the page names them. Places are given every hour.

For each suite a combination has at most ${seriesOf({ criteria: 0, outcomes: 0 })} series,
${seriesOf({ criteria: 1, outcomes: 0 }) - seriesOf({ criteria: 0, outcomes: 0 })} for each criterion, and up to
${seriesOf({ criteria: 0, outcomes: 1 }) - seriesOf({ criteria: 0, outcomes: 0 })} for each outcome that has occurred.
We measure a scrape at ${SERIES_MAX.toLocaleString('en')} series (\`npm run bench -- scrape\`) and promise that it stays
under a second; \`assay_series\` is the number of series that are exposed. A series begins when it is first moved, and a
combination of two suites has about 64 in the store (23 kB). Lower \`metrics.max_label_values\` where clients are not
trusted with names.

## How a series begins

Prometheus sees an increase between two samples and so never counts the first value of a new series: the one hard
failure of a new version would be missing. A series that begins while Assay runs is therefore shown at 0 to each scraper
once, and with its value from the next scrape on; to people it is shown as it is. See [decision
13](../decisions/0013-metrics.md).
`),
  );
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
    'Most have these labels, called *agent labels* below. A value missing from the spans is `unknown`; a value beyond the limit is `other`.',
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

/** Number of series of one combination of labels in one suite. */
function seriesOf({ criteria, outcomes }: { readonly criteria: number; readonly outcomes: number }): number {
  // The decided kinds of a criterion have twins; before the first revision a twin has only its sum and count.
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
