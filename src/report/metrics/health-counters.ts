/**
 * The pipeline's own health as metrics: what came in, what was refused and why, how far behind scoring is. Made from
 * the same events as the log lines, so that the two can't disagree. Unlike the quality metrics these start at zero with
 * the process, as Prometheus counters do.
 */
import type { Counter, Gauge, Histogram } from 'prom-client';
import type { ApiEvent } from '../../model/events/api-events.ts';
import type { ConfigEvent } from '../../model/events/config-events.ts';
import type { JournalEvent } from '../../model/events/journal-events.ts';
import type { ResultEvent } from '../../model/events/result-events.ts';
import { CONTENT_ENCODINGS, REFUSE_REASONS, type ReceiveEvent } from '../../model/events/receive-events.ts';
import { type ScoringEvent, TURN_FATES, type TurnFate } from '../../model/events/scoring-events.ts';
import type { TelemetryEvent } from '../../model/events/telemetry-events.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { MetricSource } from './exposition.ts';
import { HEALTH_METRICS } from './health-metrics.ts';
import { PromMetrics } from './prom-metrics.ts';

export type PipelineEvent =
  | ReceiveEvent
  | JournalEvent
  | ScoringEvent
  | ResultEvent
  | ApiEvent
  | ConfigEvent
  | TelemetryEvent;

/** What is read at each scrape rather than counted. */
export interface Gauges {
  readonly openTurns: () => number;
  readonly openSpans: () => number;
  readonly journalBytes: () => number;
  readonly scoringBacklog: () => number;
  readonly logLagSeconds: () => number;
  readonly series: () => number;
  readonly labelSets: () => number;
  readonly labelSetsMax: number;
  readonly criterionWeights: readonly { readonly suite: string; readonly criterion: string; readonly weight: number }[];
  /** Of the criteria that were decided at all. */
  readonly criterionVariation: () => readonly {
    readonly suite: string;
    readonly criterion: string;
    readonly ratio: number;
  }[];
  /** Of those that say what another one says. */
  readonly criterionLikeness: () => readonly {
    readonly suite: string;
    readonly criterion: string;
    readonly other: string;
    readonly phi: number;
  }[];
  readonly version: string;
  /** The patterns that may be counted. */
  readonly redactions: readonly string[];
  /** The routes on which something can be written. */
  readonly writeRoutes: readonly string[];
}

export class HealthCounters {
  readonly #metrics = new PromMetrics();
  readonly #received: Counter<'transport' | 'signal' | 'encoding'>;
  readonly #receivedRecords: Counter<'signal'>;
  readonly #receivedBytes: Counter<'signal'>;
  readonly #rejected: Counter<'signal' | 'reason'>;
  readonly #refused: Counter<'transport' | 'reason'>;
  readonly #redactions: Counter<'pattern'>;
  readonly #sync: Histogram;
  readonly #corrupt: Counter;
  readonly #turns: Counter<'cause' | 'fate'>;
  readonly #lateRecords: Counter<'fate'>;
  readonly #conversations: Counter<'cause'>;
  readonly #commit: Histogram;
  readonly #scored: Counter;
  readonly #checkErrors: Counter<'suite' | 'criterion' | 'reason'>;
  readonly #scorerFailures: Counter;
  readonly #folded: Counter<'label'>;
  readonly #pruned: Counter;
  readonly #results: Counter<'fate'>;
  readonly #resultFailures: Counter;
  readonly #writes: Counter<'route' | 'code'>;
  readonly #weights: Gauge<'suite' | 'criterion'>;
  readonly #reloadSuccessful: Gauge;
  readonly #reloadedAt: Gauge;

  constructor(gauges: Gauges) {
    const metrics = this.#metrics;
    this.#received = metrics.counter(HEALTH_METRICS.received);
    this.#receivedRecords = metrics.counter(HEALTH_METRICS.receivedRecords);
    this.#receivedBytes = metrics.counter(HEALTH_METRICS.receivedBytes);
    this.#rejected = metrics.counter(HEALTH_METRICS.rejected);
    this.#refused = metrics.counter(HEALTH_METRICS.refused);
    this.#redactions = metrics.counter(HEALTH_METRICS.redactions);
    this.#sync = metrics.histogram(HEALTH_METRICS.sync);
    this.#corrupt = metrics.counter(HEALTH_METRICS.corrupt);
    this.#turns = metrics.counter(HEALTH_METRICS.turns);
    this.#lateRecords = metrics.counter(HEALTH_METRICS.lateRecords);
    this.#conversations = metrics.counter(HEALTH_METRICS.conversations);
    this.#commit = metrics.histogram(HEALTH_METRICS.commit);
    this.#scored = metrics.counter(HEALTH_METRICS.scored);
    this.#checkErrors = metrics.counter(HEALTH_METRICS.checkErrors);
    this.#scorerFailures = metrics.counter(HEALTH_METRICS.scorerFailures);
    this.#folded = metrics.counter(HEALTH_METRICS.folded);
    this.#pruned = metrics.counter(HEALTH_METRICS.pruned);
    this.#results = metrics.counter(HEALTH_METRICS.results);
    this.#resultFailures = metrics.counter(HEALTH_METRICS.resultFailures);
    this.#writes = metrics.counter(HEALTH_METRICS.writes);
    metrics.gauge(HEALTH_METRICS.openTurns, (gauge) => gauge.set(gauges.openTurns()));
    metrics.gauge(HEALTH_METRICS.openRecords, (gauge) => gauge.set(gauges.openSpans()));
    metrics.gauge(HEALTH_METRICS.journalBytes, (gauge) => gauge.set(gauges.journalBytes()));
    metrics.gauge(HEALTH_METRICS.backlog, (gauge) => gauge.set(gauges.scoringBacklog()));
    metrics.gauge(HEALTH_METRICS.logLag, (gauge) => gauge.set(gauges.logLagSeconds()));
    metrics.gauge(HEALTH_METRICS.series, (gauge) => gauge.set(gauges.series()));
    metrics.gauge(HEALTH_METRICS.labelValues, (gauge) => gauge.set(gauges.labelSets()));
    metrics.gauge(HEALTH_METRICS.labelValuesMax).set(gauges.labelSetsMax);
    this.#weights = metrics.gauge(HEALTH_METRICS.criterionWeight);
    this.weigh(gauges.criterionWeights);
    metrics.gauge(HEALTH_METRICS.criterionVariation, (gauge) => {
      for (const { suite, criterion, ratio } of gauges.criterionVariation()) gauge.set({ suite, criterion }, ratio);
    });
    metrics.gauge(HEALTH_METRICS.criterionLikeness, (gauge) => {
      for (const { suite, criterion, other, phi } of gauges.criterionLikeness())
        gauge.set({ suite, criterion, other }, phi);
    });
    this.#reloadSuccessful = metrics.gauge(HEALTH_METRICS.reloadSuccessful);
    this.#reloadedAt = metrics.gauge(HEALTH_METRICS.reloadedAt);
    this.#reloaded();
    for (const pattern of gauges.redactions) this.#redactions.inc({ pattern }, 0);
    for (const route of gauges.writeRoutes) {
      for (const code of ['2xx', '4xx', '5xx']) this.#writes.inc({ route, code }, 0);
    }
    for (const label of ['agent', 'segment']) this.#folded.inc({ label }, 0);
    metrics.gauge(HEALTH_METRICS.buildInfo).set({ version: gauges.version }, 1);
    this.#startAtZero();
  }

  /** The criteria that there are from now on. */
  weigh(weights: Gauges['criterionWeights']): void {
    this.#weights.reset();
    for (const { suite, criterion, weight } of weights) {
      this.#weights.set({ suite, criterion }, weight);
      for (const reason of ['error', 'timeout']) this.#checkErrors.inc({ suite, criterion, reason }, 0);
    }
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
          this.#lateRecords.inc({ fate: event.fate }, event.rows);
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
        this.#folded.inc({ label: event.label });
        return;
      case 'scorer-committed':
        this.#commit.observe(event.tookMs / 1000);
        this.#scored.inc(event.turns);
        return;
      case 'scorer-failed':
        this.#scorerFailures.inc();
        return;
      case 'scorer-restarted':
      case 'answer-reused':
      case 'not-understood':
        return;
      case 'store-pruned':
        this.#pruned.inc(event.conversations);
        return;
      case 'results-sent':
        this.#results.inc({ fate: 'sent' }, event.evaluations);
        return;
      case 'results-refused':
        this.#results.inc({ fate: 'refused' }, event.evaluations);
        return;
      case 'results-dropped':
        this.#results.inc({ fate: 'dropped' }, event.evaluations);
        return;
      case 'results-failed':
        this.#resultFailures.inc();
        return;
      case 'api-written':
        this.#writes.inc({ route: event.route, code: `${Math.floor(event.status / 100)}xx` });
        return;
      case 'config-reloaded':
        this.#reloaded();
        return;
      case 'config-reload-failed':
        this.#reloadSuccessful.set(0);
        return;
      case 'config-mistake':
      case 'telemetry-problem':
        return;
      default:
        unreachable(event);
    }
  }

  sources(): readonly MetricSource[] {
    return this.#metrics.sources();
  }

  /** The start was the first time. */
  #reloaded(): void {
    this.#reloadSuccessful.set(1);
    this.#reloadedAt.set(Math.floor(Date.now() / 1000));
  }

  #startAtZero(): void {
    for (const fate of ['sent', 'refused', 'dropped']) this.#results.inc({ fate }, 0);
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
      if (isLate(fate)) this.#lateRecords.inc({ fate }, 0);
    }
    for (const cause of ['idle', 'end_marker', 'single_trace', 'max_age', 'max_turns'])
      this.#conversations.inc({ cause }, 0);
  }
}

function isLate(fate: TurnFate): boolean {
  return fate !== 'stored' && fate !== 'no-agent-steps' && fate !== 'not-understood';
}
