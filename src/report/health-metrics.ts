/**
 * The pipeline's own health as metrics: what came in, what was refused and why, how far behind scoring is. Made from
 * the same events as the log lines, so that the two can't disagree. Unlike the quality metrics these start at zero with
 * the process, as Prometheus counters do.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { JournalEvent } from '../model/events/journal-events.ts';
import { CONTENT_ENCODINGS, REFUSE_REASONS, type ReceiveEvent } from '../model/events/receive-events.ts';
import { type ScoringEvent, TURN_FATES, type TurnFate } from '../model/events/scoring-events.ts';
import { unreachable } from '../model/unreachable.ts';
import type { MetricSource } from './exposition.ts';
import { sourcesOf } from './prom-sources.ts';

export type PipelineEvent = ReceiveEvent | JournalEvent | ScoringEvent;

/** What is read at each scrape rather than counted. */
export interface Gauges {
  readonly openTurns: () => number;
  readonly openSpans: () => number;
  readonly journalBytes: () => number;
  readonly scoringBacklog: () => number;
  readonly logLagSeconds: () => number;
  readonly series: () => number;
  readonly criterionWeights: readonly { readonly suite: string; readonly criterion: string; readonly weight: number }[];
  readonly version: string;
  /** The patterns that may be counted. */
  readonly redactions: readonly string[];
}

const SYNC_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

export class HealthMetrics {
  readonly #registry = new Registry();
  readonly #received: Counter<'transport' | 'signal' | 'encoding'>;
  readonly #receivedRecords: Counter<'signal'>;
  readonly #receivedBytes: Counter<'signal'>;
  readonly #rejected: Counter<'signal' | 'reason'>;
  readonly #refused: Counter<'transport' | 'reason'>;
  readonly #redactions: Counter<'pattern'>;
  readonly #sync: Histogram;
  readonly #corrupt: Counter;
  readonly #turns: Counter<'cause' | 'fate'>;
  readonly #lateRows: Counter<'fate'>;
  readonly #conversations: Counter<'cause'>;
  readonly #commit: Histogram;
  readonly #scored: Counter;
  readonly #checkErrors: Counter<'suite' | 'criterion' | 'reason'>;
  readonly #scorerFailures: Counter;
  readonly #folded: Counter;
  readonly #pruned: Counter;

  constructor(gauges: Gauges) {
    const registers = [this.#registry];
    const counter = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
      new Counter<T>({ name, help, labelNames, registers });
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });

    this.#received = counter(
      'assay_received_requests_total',
      'Requests accepted, by transport, signal and content encoding.',
      ['transport', 'signal', 'encoding'],
    );
    this.#receivedRecords = counter(
      'assay_received_records_total',
      'Spans and log records accepted: journaled and synced.',
      ['signal'],
    );
    this.#receivedBytes = counter('assay_received_bytes_total', 'Bytes accepted, after decompression.', ['signal']);
    this.#rejected = counter(
      'assay_rejected_records_total',
      'Spans and log records that a partial success rejected, by reason.',
      ['signal', 'reason'],
    );
    this.#refused = counter(
      'assay_refused_requests_total',
      'Requests answered with an error, by transport and reason.',
      ['transport', 'reason'],
    );
    this.#redactions = counter(
      'assay_redactions_total',
      'Secrets taken out of accepted requests before they were stored, by pattern.',
      ['pattern'],
    );
    for (const pattern of gauges.redactions) this.#redactions.inc({ pattern }, 0);
    this.#sync = new Histogram({
      name: 'assay_journal_sync_seconds',
      help: 'Time to write and sync one group of the journal.',
      buckets: SYNC_BUCKETS,
      registers,
    });
    this.#corrupt = counter('assay_journal_corrupt_bytes_total', 'Bytes of the journal found corrupt and set aside.');
    this.#turns = counter('assay_turns_closed_total', 'Turns closed, by cause and by what became of them.', [
      'cause',
      'fate',
    ]);
    this.#lateRows = counter(
      'assay_late_records_total',
      'Spans and log records that came after their turn had closed, by what became of them.',
      ['fate'],
    );
    this.#conversations = counter('assay_conversations_due_total', 'Conversations that became due, by cause.', [
      'cause',
    ]);
    this.#commit = new Histogram({
      name: 'assay_scoring_batch_seconds',
      help: 'Time to score and store one batch of turns.',
      buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
      registers,
    });
    this.#scored = counter('assay_turns_scored_total', 'Turns that went through scoring and into the store.');
    this.#checkErrors = counter(
      'assay_check_errors_total',
      'Checks that threw, ran past their limit or answered neither yes nor no.',
      ['suite', 'criterion', 'reason'],
    );
    this.#scorerFailures = counter(
      'assay_scoring_failures_total',
      'Batches that were undone and done again, and ends of the scoring thread.',
    );
    this.#folded = counter(
      'assay_series_folded_total',
      'Evaluations counted under `other` because there are as many label sets as allowed.',
    );
    this.#pruned = counter('assay_store_pruned_conversations_total', 'Conversations that retention let go.');

    gauge('assay_open_turns', 'Turns that are still collecting spans.', gauges.openTurns);
    gauge('assay_open_records', 'Spans and log records of open turns.', gauges.openSpans);
    gauge('assay_journal_bytes', 'Disk that the journal holds.', gauges.journalBytes);
    gauge('assay_scoring_queue_length', 'Turns that are closed and not yet stored.', gauges.scoringBacklog);
    gauge('assay_log_lag_seconds', 'How far scoring is behind the log.', gauges.logLagSeconds);
    gauge('assay_series', 'Series of the quality metrics.', gauges.series);
    const weights = new Gauge({
      name: 'assay_criterion_weight_ratio',
      help: 'Weight of a criterion in its suite, from 0 to 1.',
      labelNames: ['suite', 'criterion'],
      registers,
    });
    for (const { suite, criterion, weight } of gauges.criterionWeights) weights.set({ suite, criterion }, weight);
    new Gauge({
      name: 'assay_build_info',
      help: 'Always 1; the version is the label.',
      labelNames: ['version'],
      registers,
    }).set({ version: gauges.version }, 1);
    this.#startAtZero();
  }

  count(event: PipelineEvent): void {
    switch (event.type) {
      case 'batch-received':
        this.#received.inc({ transport: event.transport, signal: event.signal, encoding: event.encoding });
        this.#receivedRecords.inc({ signal: event.signal }, event.records);
        this.#receivedBytes.inc({ signal: event.signal }, event.bytes);
        return;
      case 'records-rejected':
        this.#rejected.inc({ signal: event.signal, reason: event.reason }, event.records);
        return;
      case 'text-redacted':
        for (const [pattern, count] of Object.entries(event.counts)) this.#redactions.inc({ pattern }, count);
        return;
      case 'request-refused':
        this.#refused.inc({ transport: event.transport, reason: event.reason });
        return;
      case 'metrics-discarded':
        this.#received.inc({ transport: event.transport, signal: 'metrics', encoding: 'any' });
        return;
      case 'journal-synced':
        this.#sync.observe(event.tookMs / 1000);
        return;
      case 'journal-corrupt':
        this.#corrupt.inc(event.length);
        return;
      case 'journal-recovered':
      case 'journal-refused':
      case 'journal-segment-failed':
        return;
      case 'turn-closed':
        this.#turns.inc({ cause: event.cause, fate: event.fate });
        if (event.fate !== 'stored' && event.fate !== 'no-agent-steps')
          this.#lateRows.inc({ fate: event.fate }, event.rows);
        return;
      case 'conversation-evaluated':
        this.#conversations.inc({ cause: event.cause });
        return;
      case 'check-failed':
        this.#checkErrors.inc({ suite: event.suite, criterion: event.criterion, reason: 'error' });
        return;
      case 'check-stopped':
        this.#checkErrors.inc({ suite: event.suite, criterion: event.criterion, reason: 'timeout' });
        return;
      case 'labels-folded':
        this.#folded.inc();
        return;
      case 'scorer-committed':
        this.#commit.observe(event.tookMs / 1000);
        this.#scored.inc(event.turns);
        return;
      case 'scorer-failed':
        this.#scorerFailures.inc();
        return;
      case 'scorer-restarted':
      case 'not-understood':
        return;
      case 'store-pruned':
        this.#pruned.inc(event.conversations);
        return;
      default:
        unreachable(event);
    }
  }

  sources(): readonly MetricSource[] {
    return sourcesOf(this.#registry);
  }

  #startAtZero(): void {
    for (const signal of ['traces', 'logs']) {
      this.#receivedRecords.inc({ signal }, 0);
      this.#receivedBytes.inc({ signal }, 0);
      for (const reason of ['invalid_id', 'too_large']) this.#rejected.inc({ signal, reason }, 0);
      for (const transport of ['http', 'grpc']) {
        for (const encoding of CONTENT_ENCODINGS) this.#received.inc({ transport, signal, encoding }, 0);
      }
    }
    for (const transport of ['http', 'grpc']) {
      for (const reason of REFUSE_REASONS) this.#refused.inc({ transport, reason }, 0);
    }
    for (const fate of TURN_FATES) {
      this.#turns.inc({ cause: 'settled', fate }, 0);
      if (isLate(fate)) this.#lateRows.inc({ fate }, 0);
    }
    for (const cause of ['idle', 'end_marker', 'single_trace', 'max_age', 'max_turns'])
      this.#conversations.inc({ cause }, 0);
  }
}

function isLate(fate: TurnFate): boolean {
  return fate !== 'stored' && fate !== 'no-agent-steps' && fate !== 'not-understood';
}
