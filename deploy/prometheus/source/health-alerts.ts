/**
 * The alerts about Assay itself. While Assay lacks data, its figures about agents are meaningless, so some of these
 * alerts mute those about agents (deploy/alertmanager); `BLINDING` names them. A failure of one instance of several is
 * not among them, because the others do its work.
 */
import { AGENT, duration, netIncrease } from './promql.ts';
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
export const BLINDING = ['AssayAbsent', 'AssayStalled', 'AssayStoreProblem', 'AssayKafkaProblem'];

const INSTANCE = '{{ $labels.instance }}';
const SHARE = '{{ $value | humanizePercentage }}';
const SECONDS = '{{ $value | humanizeDuration }}';
const COUNT = '{{ $value | humanize }}';

export function healthAlerts(settings: RuleSettings): Group {
  const rules = [
    ...away(),
    ...stuck(settings),
    ...behind(settings),
    ...turnedAway(settings),
    ...unread(settings),
    ...unjudged(settings),
    ...crowded(settings),
  ].map((alert) => ({ ...alert, kind: 'alert', area: 'assay', dashboard: 'health' }) as const);
  return { name: 'assay_alerts_health', intervalSeconds: settings.interval.fast, rules };
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
      alert: 'AssayStoreProblem',
      severity: 'page',
      for: 2 * MINUTE,
      expr: 'min by (job) (assay_store_problem) == 1',
      summary: 'No instance of Assay can use the shared store',
      description:
        'Nothing is lost: the data are in Kafka. Next: check that PostgreSQL answers; the log names the error.',
    },
    {
      alert: 'AssayKafkaProblem',
      severity: 'page',
      for: 5 * MINUTE,
      expr: 'min by (job) (assay_kafka_problem) == 1',
      summary: 'No instance of Assay can read Kafka',
      description: 'Next: check that the brokers answer and that the topics exist; the log names the error.',
    },
    {
      alert: 'AssayInstanceProblem',
      severity: 'ticket',
      for: 10 * MINUTE,
      expr: 'max by (job, instance) (assay_store_problem == 1 or assay_kafka_problem == 1) == 1',
      summary: `Assay instance ${INSTANCE} cannot use the shared store, or Kafka`,
      description:
        'The others take over its work. Next: the log of this instance names the error; compare its host and network with the others.',
    },
    {
      alert: 'AssayEvaluationsNotSent',
      severity: 'ticket',
      for: 10 * MINUTE,
      expr: 'max by (job, instance) (assay_evaluations_topic_problem) == 1',
      summary: `Assay instance ${INSTANCE} cannot send evaluations to their topic`,
      description:
        'Nothing is lost: they wait in the shared store, and metrics continue. Next: the log of this instance names the error; check that the topic exists and that the instance may write to it.',
    },
    {
      alert: 'AssayScoringFailures',
      severity: 'ticket',
      expr: `sum by (job, instance) (increase(assay_scoring_failures_total[${windowOf(settings, 15 * MINUTE)}])) > 2`,
      summary: `Scoring failed ${COUNT} times in a quarter of an hour on ${INSTANCE}`,
      description:
        'Failed batches are rolled back and retried, so nothing is counted twice. Next: the log names the error.',
    },
    {
      alert: 'AssayConfigReloadFailed',
      severity: 'ticket',
      for: 5 * MINUTE,
      expr: 'assay_config_last_reload_successful == 0',
      summary: `Assay instance ${INSTANCE} could not reload its configuration`,
      description:
        'The previous configuration stays in use. Next: the log has all mistakes, with file and line; fix them and reload.',
    },
  ];
}

function behind(settings: RuleSettings): readonly HealthAlert[] {
  const rate = `sum by (job, instance) (rate(assay_turns_scored_total[${windowOf(settings, 10 * MINUTE)}]))`;
  return [
    {
      alert: 'AssayLagging',
      severity: 'ticket',
      for: 10 * MINUTE,
      expr: `max by (job) (assay_log_lag_seconds > 300 or assay_cluster_time_lag_seconds > 600 or assay_kafka_lag_seconds > 600)`,
      summary: `Scoring is ${SECONDS} behind`,
      description:
        'The dashboards are out of date by this time. Next: check whether it catches up (queue and lag fall) or needs more instances; docs/scaling.md has the rates.',
    },
    {
      alert: 'AssayQueueGrowing',
      severity: 'ticket',
      for: 10 * MINUTE,
      expr: `max by (job, instance) (assay_scoring_queue_length) / (${rate} > 0) > 120`,
      summary: `Scoring the pending turns on ${INSTANCE} will take ${SECONDS}`,
      description: 'Next: find out which suite takes the time (assay_scoring_batch_seconds), or add an instance.',
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
      expr: `${refused} / on (job) group_left () (${all} > 0) > 0.01`,
      summary: `${SHARE} of requests are rejected: {{ $labels.reason }}`,
      description:
        'Clients retry overloaded and not-admitted until their own queue is full; with the other reasons spans are lost. Next: the runbook has a line for each reason.',
    },
    {
      alert: 'AssayRejectingRecords',
      severity: 'ticket',
      for: 10 * MINUTE,
      expr: `${rejected} / on (job, signal) group_left () (((${records}) + on (job, signal) sum by (job, signal) (${rejected})) > 0) > 0.01`,
      summary: `${SHARE} of {{ $labels.signal }} are rejected: {{ $labels.reason }}`,
      description:
        'The rest of their requests was accepted. Next: find the exporter; the responses that it receives name the records.',
    },
    {
      alert: 'AssayJournalCorrupt',
      severity: 'ticket',
      expr: `sum by (job, instance) (increase(assay_journal_corrupt_bytes_total[${windowOf(settings, HOUR)}])) > 0`,
      summary: `${COUNT} bytes of the journal on ${INSTANCE} were corrupt`,
      description: 'They were set aside, and the rest is used. Next: check the disk.',
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
      summary: `Data of ${INSTANCE} are damaged: {{ $labels.kind }} (findings: ${COUNT})`,
      description:
        'Data that a start would have destroyed were set aside. Next: the log names the files; put back what is missing, or `assay journal recover`.',
    },
    {
      alert: 'AssayClockJumped',
      severity: 'ticket',
      expr: 'max by (job, instance) (abs(assay_retention_clock_jump_seconds)) > 0',
      summary: `The clock of ${INSTANCE} has jumped by ${SECONDS}`,
      description:
        'Nothing is deleted by age until the new time has stood for a day. Next: look at the time of the machine, or of the database; after a long down time there is nothing to do.',
    },
    {
      alert: 'AssayStoreUnwritable',
      severity: 'page',
      for: 2 * MINUTE,
      expr: 'max by (job, instance) (assay_store_unwritable) == 1',
      summary: `The store of ${INSTANCE} cannot be written`,
      description:
        'Accepted data wait in the journal until it is full. Next: see whether the disk is full or read-only; the log names the error.',
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
      expr: `sum by (job, topic, fate) (increase(assay_kafka_unreadable_records_total[${windowOf(settings, 15 * MINUTE)}])) > 0`,
      summary: `${COUNT} records of {{ $labels.topic }} could not be read ({{ $labels.fate }})`,
      description:
        'The partition continues without them. Next: `assay dead-letters list` gives the reasons; fix the sender, then `assay dead-letters replay`.',
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
      expr: `(${errors} > 3) / (${verdicts} > 0) > 0.05`,
      summary: `The check of {{ $labels.criterion }} (suite {{ $labels.suite }}) fails to run for ${SHARE} of conversations`,
      description:
        'This lowers no score, but the criterion is not decided. Next: `assay explain` on one of them prints the error; fix the check, or the telemetry it needs.',
    },
    {
      alert: 'AssayCriticalNeverDecided',
      severity: 'ticket',
      for: 10 * MINUTE,
      expr: `${without} >= 3 unless ${decided} > 0`,
      summary: `The critical criterion {{ $labels.criterion }} (suite {{ $labels.suite }}) was decided in none of ${COUNT} conversations that call its tool`,
      description:
        'An argument that it reads is absent in all of them: the check is off, and nothing fails. Next: `assay explain` on one of them names the argument; find out its new name in the tool, and fix the criterion.',
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
