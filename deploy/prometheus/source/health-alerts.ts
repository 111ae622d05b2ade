/**
 * The alerts about Assay itself. While Assay lacks data, its figures about agents are meaningless, so some of these
 * alerts mute those about agents (deploy/alertmanager); `BLINDING` names them. A failure of one instance of several is
 * not among them, because the others do its work.
 */
import { netIncrease } from '../../../src/report/metrics/net-increase.ts';
import { AGENT, duration } from './promql.ts';
import { silence } from './quality-alerts.ts';
import type { Alert, Group } from './rule.ts';
import type { RuleSettings } from './settings.ts';
import { UNSCORED } from '../../outcomes.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;
/** The name of the targets: the scrape job's name, as in deploy/prometheus/prometheus.yml or after a PodMonitor. */
export const TARGETS = 'job=~".*assay.*"';

/**
 * While one of these fires nothing new is known of any agent. Lag is not among them, because late figures are still
 * right.
 */
export const BLINDING = ['AssayAbsent', 'AssayStalled', 'AssayProblem'];

const INSTANCE = '{{ $labels.instance }}';
const SHARE = '{{ $value | humanizePercentage }}';
const SECONDS = '{{ $value | humanizeDuration }}';
const COUNT = '{{ $value | humanize }}';

export function healthAlerts(settings: RuleSettings): Group {
  const rules = asHealth([
    ...away(),
    ...stuck(settings),
    ...behind(settings),
    ...turnedAway(settings),
    ...unread(settings),
    ...crowded(settings),
  ]);
  return { name: 'assay_alerts_health', intervalSeconds: settings.interval.fast, rules };
}

/** Alerts that read a day of every criterion, or compare with the hours of a week ago: they can wait. */
export function slowAlerts(settings: RuleSettings): Group {
  const rules = [...asHealth(unjudged(settings)), silence(settings)];
  return { name: 'assay_alerts_slow', intervalSeconds: settings.interval.slow, rules };
}

function asHealth(alerts: readonly HealthAlert[]): readonly Alert[] {
  return alerts.map((alert) => ({ ...alert, kind: 'alert', area: 'assay', dashboard: 'health' }) as const);
}

type HealthAlert = Omit<Alert, 'kind' | 'area' | 'dashboard'>;

export function windowOf({ shorterBy }: RuleSettings, seconds: number): string {
  return duration(Math.max(1, Math.round(seconds / shorterBy)));
}

function away(): readonly HealthAlert[] {
  return [
    {
      alert: 'AssayDown',
      severity: 'ticket',
      for: 5 * MINUTE,
      expr: `up{${TARGETS}} == 0`,
      summary: `Assay instance ${INSTANCE} cannot be scraped`,
      description: 'Next: check whether the process runs (/healthz), and read its last log lines.',
    },
    {
      alert: 'AssayAbsent',
      severity: 'page',
      for: 5 * MINUTE,
      expr: `absent(up{${TARGETS}} == 1)`,
      summary: 'No instance of Assay can be scraped',
      description:
        'No agent is monitored. Clients keep unsent spans for a short time only. Next: start Assay; if it runs, look at the targets page of Prometheus.',
    },
  ];
}

function stuck(settings: RuleSettings): readonly HealthAlert[] {
  return [
    {
      alert: 'AssayStalled',
      severity: 'page',
      for: 5 * MINUTE,
      expr: `sum by (job) (assay_scoring_queue_length) > 0
and on (job) sum by (job) (increase(assay_turns_scored_total[${windowOf(settings, 5 * MINUTE)}])) == 0`,
      summary: `Assay has ${COUNT} pending turns and scores none`,
      description: 'Next: GET /readyz gives the reason; the log has the last messages of the scoring thread.',
    },
    {
      alert: 'AssayProblem',
      severity: 'page',
      for: 5 * MINUTE,
      expr: `min by (job, part) (assay_problem{part=~"kafka|store"}) == 1
or max by (job, instance, part) (assay_problem{part="own_store"}) == 1`,
      summary:
        'Assay cannot use its {{ $labels.part }}{{ with $labels.instance }} on {{ . }}{{ else }}, on no instance{{ end }}',
      description:
        'Nothing is lost: the data wait in Kafka, or in the journal until it is full. Next: the log names the error; check that PostgreSQL or the brokers answer, or that the disk has room.',
    },
    {
      alert: 'AssayInstanceProblem',
      severity: 'ticket',
      for: 5 * MINUTE,
      expr: [
        `max by (job, instance, part) (assay_problem{part!="own_store"}) == 1`,
        ofPart(
          'scoring',
          `sum by (job, instance) (increase(assay_failures_total{part="scoring"}[${windowOf(settings, 15 * MINUTE)}])) > 2`,
        ),
        ofPart('configuration', 'max by (job, instance) (assay_config_last_reload_successful == 0)'),
        ofPart('clock', 'max by (job, instance) (abs(assay_retention_clock_jump_seconds)) > 0'),
      ].join('\nor '),
      summary: `Assay instance ${INSTANCE} has a problem with its {{ $labels.part }}`,
      description:
        'Nothing is lost, and other instances take over its work. Next: the log of this instance names the error; the runbook has a part for each.',
    },
  ];
}

function ofPart(part: string, expression: string): string {
  return `label_replace(${expression}, "part", "${part}", "", "")`;
}

function behind(settings: RuleSettings): readonly HealthAlert[] {
  const rate = `sum by (job, instance) (rate(assay_turns_scored_total[${windowOf(settings, 10 * MINUTE)}]))`;
  return [
    {
      alert: 'AssayLagging',
      severity: 'ticket',
      for: 10 * MINUTE,
      expr: `max by (job) (assay_log_lag_seconds > 300 or assay_cluster_time_lag_seconds > 600 or assay_kafka_lag_seconds > 600)
or max by (job) (max by (job, instance) (assay_scoring_queue_length) / (${rate} > 0) > 120)`,
      summary: `Scoring is ${SECONDS} behind, or has that much work waiting`,
      description:
        'The dashboards are out of date by this time. Next: check whether it catches up (queue and lag fall), which suite takes the time (assay_scoring_batch_seconds), or whether it needs more instances; docs/operate/scaling.md has the rates.',
    },
  ];
}

function turnedAway(settings: RuleSettings): readonly HealthAlert[] {
  const window = windowOf(settings, 10 * MINUTE);
  const refused = `sum by (job, reason) (rate(assay_refused_requests_total{reason!="aborted"}[${window}]))`;
  const all = `sum by (job) (rate(assay_received_requests_total[${window}])) + sum by (job) (rate(assay_refused_requests_total{reason!="aborted"}[${window}]))`;
  const rejected = `sum by (job, signal, reason) (rate(assay_rejected_records_total[${window}]))`;
  const records = cameIn('job, signal', window);
  return [
    {
      alert: 'AssayRefusingRequests',
      severity: 'ticket',
      for: 10 * MINUTE,
      expr: `${refused} / on (job) group_left () (${all} > 0) > 0.01
or ${rejected} / on (job, signal) group_left () (((${records}) + on (job, signal) sum by (job, signal) (${rejected})) > 0) > 0.01`,
      summary: `${SHARE} of {{ with $labels.signal }}{{ . }}{{ else }}requests{{ end }} are rejected: {{ $labels.reason }}`,
      description:
        'Clients retry overloaded and not-admitted until their own queue is full; with the other reasons spans are lost. Next: the runbook has a line for each reason.',
    },
    {
      alert: 'AssayCertificateExpires',
      severity: 'ticket',
      for: 15 * MINUTE,
      expr: `min by (job, instance) (assay_tls_certificate_expiry_timestamp_seconds) - time() < ${14 * DAY}`,
      summary: `The TLS certificate of ${INSTANCE} ends in ${SECONDS}`,
      description: 'Then clients refuse to send. Next: renew the files of tls.cert_file and tls.key_file.',
    },
    {
      alert: 'AssayOpenToAll',
      severity: 'ticket',
      for: 15 * MINUTE,
      expr: 'max by (job, instance) (assay_insecure_no_auth) == 1',
      summary: `Assay instance ${INSTANCE} asks nobody for a token`,
      description:
        'Everybody who reaches its ports can read what users said, and send. Next: create tokens and remove --insecure-no-auth; in a closed network silence this alert.',
    },
    {
      alert: 'AssayDataDamaged',
      severity: 'ticket',
      expr: 'max by (job, instance, kind) (assay_data_damage) > 0',
      summary: `Data of ${INSTANCE} are damaged: {{ $labels.kind }}`,
      description:
        'Damaged data were set aside, and the rest is used. Next: the log names the files; put back what is missing, or `assay journal recover`.',
    },
  ];
}

/**
 * Records received over OTLP or read from Kafka. Records that a gateway receives are counted again when they are read,
 * so the larger figure is the total.
 */
function cameIn(labels: string, window: string): string {
  const received = `sum by (${labels}) (rate(assay_received_records_total[${window}]))`;
  const read = `sum by (${labels}) (rate(assay_kafka_rows_total[${window}]))`;
  return `${read} > ${received} or ${received}`;
}

function unread(settings: RuleSettings): readonly HealthAlert[] {
  const window = windowOf(settings, HOUR);
  const late = `sum by (job) (rate(assay_late_records_total{fate=~"revised|too-late|over-limit"}[${window}]))`;
  const received = cameIn('job', window);
  return [
    {
      alert: 'AssayDeadLetters',
      severity: 'ticket',
      expr: `sum by (job, topic, fate) (increase(assay_kafka_unreadable_records_total{fate!="empty"}[${windowOf(settings, 15 * MINUTE)}])) > 0`,
      summary: `${COUNT} records of {{ $labels.topic }} could not be read ({{ $labels.fate }})`,
      description:
        'The partition continues without them. Next: `assay dead-letters list` gives the reasons; fix the sender, then `assay dead-letters replay`, or `discard` for garbage.',
    },
    {
      alert: 'AssayLateRecords',
      severity: 'ticket',
      for: 30 * MINUTE,
      expr: `${late} / ((${received}) > 0) > 0.05`,
      summary: `${SHARE} of spans arrive after their conversation was scored`,
      description:
        'Scores are corrected by revisions, or lack the latest spans. Next: raise `conversation.idle` or `turn.settle`, or find out why the exporter delays spans.',
    },
  ];
}

function unjudged(settings: RuleSettings): readonly HealthAlert[] {
  const window = windowOf(settings, HOUR);
  const errors = netIncrease('suite, criterion', 'assay_verdicts_total{verdict="error"}', `[${window}]`);
  const verdicts = netIncrease('suite, criterion', 'assay_verdicts_total', `[${window}]`);
  const day = windowOf(settings, 24 * HOUR);
  const without = netIncrease(
    'suite, criterion',
    'assay_criteria_undecided_total{critical="true",reason="argument_absent"}',
    `[${day}]`,
  );
  const decided = netIncrease('suite, criterion', 'assay_verdicts_total{verdict=~"pass|fail"}', `[${day}]`);
  const unscored = netIncrease(AGENT, `assay_evaluations_total{outcome="${UNSCORED}"}`, `[${window}]`);
  const evaluated = netIncrease(AGENT, 'assay_evaluations_total', `[${window}]`);
  return [
    {
      alert: 'AssayCheckErrors',
      severity: 'ticket',
      for: 10 * MINUTE,
      expr: `label_replace((${errors} > 3) / (${verdicts} > 0) > 0.05, "reason", "error", "", "")
or label_replace(${without} >= 3 unless ${decided} > 0, "reason", "argument_absent", "", "")`,
      summary: 'The criterion {{ $labels.criterion }} (suite {{ $labels.suite }}) is not decided: {{ $labels.reason }}',
      description:
        'error: its check fails to run for more than 5 % of conversations. argument_absent: it is critical, and an argument that it reads is absent in every call of a day. Nothing fails because of that. Next: `assay explain` on one of them prints the error or names the argument; fix the criterion, or the telemetry it needs.',
    },
    {
      alert: 'AssayUnscored',
      severity: 'ticket',
      for: 15 * MINUTE,
      expr: `(${unscored} > 10) / (${evaluated} > 0) > 0.2`,
      summary: `${SHARE} of conversations of {{ $labels.agent }} (suite {{ $labels.suite }}) cannot be scored`,
      description:
        'The scored conversations may not be representative, so alerts about this agent are held back. Next: `assay explain` on one of them shows what its spans lack.',
    },
  ];
}

function crowded(settings: RuleSettings): readonly HealthAlert[] {
  return [
    {
      alert: 'AssaySeriesFolded',
      severity: 'ticket',
      expr: `sum by (job) (increase(assay_series_folded_total[${windowOf(settings, HOUR)}])) > 0`,
      summary: `${COUNT} evaluations were counted under \`other\` within an hour`,
      description:
        'The limit on agents, versions and environments with series is reached. Next: find the label with too many values (a build number as a version?), or raise the limit.',
    },
  ];
}
