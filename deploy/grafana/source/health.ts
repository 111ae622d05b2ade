/** The health of Assay: its input, refused requests, and its lag. */
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { TARGETS } from '../../prometheus/source/health-alerts.ts';
import type { RuleSettings } from '../../prometheus/source/settings.ts';
import { figure, lines, page, quantile, type Question } from './panels.ts';

export function healthDashboard(settings: RuleSettings) {
  const rate = (metric: string, by: string, selector = '') => ({
    expr: `sum by (${by}) (rate(${metric}${selector}[$__rate_interval]))`,
    legend: by
      .split(', ')
      .map((label) => `{{${label}}}`)
      .join(' '),
  });
  const gauge = (metric: string, label = 'instance') => ({ expr: metric, legend: `{{${label}}}` });
  const times = (metric: string) =>
    [0.5, 0.99].map((q) => ({
      expr: quantile(q, `sum by (le) (rate(${metric}_bucket[$__rate_interval]))`),
      legend: `${q * 100} %`,
    }));
  const third = (title: string, description: string, unit = 'none'): Question => ({
    title,
    description,
    unit,
    width: 8,
  });
  const perSecond = (title: string, description: string, counted: ReturnType<typeof rate>) =>
    lines(third(title, description, 'cps'), [counted]);
  return page(settings, { key: 'health', title: "Assay's own health", about: 'assay' })
    .withRow(new dashboard.RowBuilder('At a glance'))
    .withPanel(
      figure({ title: 'Instances', description: 'Instances that can be scraped.' }, { expr: `sum(up{${TARGETS}})` }),
    )
    .withPanel(
      figure(
        { title: 'Behind the log', description: 'Age of the turns that are scored now.', unit: 's', width: 5 },
        { expr: 'max(assay_log_lag_seconds)' },
      ),
    )
    .withPanel(
      figure(
        { title: 'Waiting', description: 'Turns that are closed and not yet stored.', width: 5 },
        { expr: 'sum(assay_scoring_queue_length)' },
      ),
    )
    .withPanel(
      figure(
        { title: 'Open turns', description: 'Turns that are still collecting spans.', width: 5 },
        { expr: 'sum(assay_open_turns)' },
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Series',
          description: 'Series of the quality metrics; what comes beyond the limit is counted under `other`.',
          width: 5,
        },
        { expr: 'sum(assay_series)' },
      ),
    )
    .withRow(new dashboard.RowBuilder('What comes in'))
    .withPanel(
      perSecond(
        'Records',
        'Spans and log records accepted, per second.',
        rate('assay_received_records_total', 'signal'),
      ),
    )
    .withPanel(
      perSecond(
        'Refused requests',
        'Answered with an error, by reason. overloaded and not-admitted are sent again by the client.',
        rate('assay_refused_requests_total', 'reason'),
      ),
    )
    .withPanel(
      perSecond(
        'Rejected records',
        'Left out of requests that were taken otherwise.',
        rate('assay_rejected_records_total', 'reason'),
      ),
    )
    .withPanel(
      lines(third('Bytes', 'Accepted, after decompression.', 'Bps'), [rate('assay_received_bytes_total', 'signal')]),
    )
    .withPanel(
      lines(
        third(
          'Journal',
          'Disk that the journal holds, or with Kafka the bytes of open turns: what is not scored yet.',
          'bytes',
        ),
        [gauge('assay_journal_bytes')],
      ),
    )
    .withPanel(
      lines(
        third('Journal sync', 'Time to write and sync one group; clients wait for it.', 's'),
        times('assay_journal_sync_seconds'),
      ),
    )
    .withRow(new dashboard.RowBuilder('Scoring'))
    .withPanel(lines(third('Lag', 'How far scoring is behind the log.', 's'), [gauge('assay_log_lag_seconds')]))
    .withPanel(
      lines(third('Queue', 'Turns that are closed and not yet stored.'), [gauge('assay_scoring_queue_length')]),
    )
    .withPanel(perSecond('Turns scored', 'Per second, by instance.', rate('assay_turns_scored_total', 'instance')))
    .withPanel(
      lines(third('Batches', 'Time to score and store one batch of turns.', 's'), times('assay_scoring_batch_seconds')),
    )
    .withPanel(
      perSecond(
        'Closed turns',
        'Why turns closed, and what became of them.',
        rate('assay_turns_closed_total', 'cause, fate'),
      ),
    )
    .withPanel(
      perSecond(
        'Late records',
        'Came when their turn had closed, by what became of them.',
        rate('assay_late_records_total', 'fate'),
      ),
    )
    .withPanel(
      perSecond(
        'Errors of checks',
        'Verdicts `error`, by criterion: the check threw, ran too long or gave no boolean.',
        rate('assay_criteria_undecided_total', 'suite, criterion', '{reason="error"}'),
      ),
    )
    .withPanel(
      perSecond(
        'Failures',
        'What Assay gets over by itself, by part; the log has the reasons.',
        rate('assay_failures_total', 'instance, part'),
      ),
    )
    .withPanel(
      perSecond(
        'Folded labels',
        'Evaluations counted under `other`, because there are as many label sets as allowed.',
        rate('assay_series_folded_total', 'instance'),
      ),
    )
    .withRow(new dashboard.RowBuilder('Kafka and the shared store (empty with one instance)'))
    .withPanel(
      perSecond(
        'Read',
        'Spans and log records read from Kafka, per second. What a gateway wrote there is in *Records*, too.',
        rate('assay_kafka_rows_total', 'topic, signal'),
      ),
    )
    .withPanel(
      perSecond(
        'Late for the clock',
        'Records with a timestamp before a time that was thought to be over. If there are more and more, raise kafka.clock_margin.',
        rate('assay_kafka_late_records_total', 'topic'),
      ),
    )
    .withPanel(
      perSecond(
        'Evaluations sent',
        'Written to the topic of evaluations, per second; 0 without one.',
        rate('assay_evaluations_sent_total', 'instance'),
      ),
    )
    .withPanel(
      lines(third('Partitions behind', 'Log time of each partition behind now.', 's'), [
        { expr: 'assay_kafka_lag_seconds', legend: '{{topic}} {{partition}}' },
      ]),
    )
    .withPanel(
      lines(third('Records to read', 'Records of each partition that have not been read.'), [
        { expr: 'assay_kafka_lag_records', legend: '{{topic}} {{partition}}' },
      ]),
    )
    .withPanel(
      lines(third('Cluster time behind', 'How far the time up to which conversations are scored is behind now.', 's'), [
        gauge('assay_cluster_time_lag_seconds'),
      ]),
    )
    .withPanel(
      perSecond(
        'Dead letters',
        'Records that could not be read, by what became of them.',
        rate('assay_kafka_unreadable_records_total', 'topic, fate'),
      ),
    )
    .withPanel(
      lines(third('Problems', '1 while an instance cannot read Kafka, use the store, or send evaluations.'), [
        { expr: 'assay_problem', legend: '{{instance}} {{part}}' },
      ]),
    );
}
