/** Receivers: requests accepted and refused, records rejected, secrets redacted. */
import {
  CONTENT_ENCODINGS,
  DROP_REASONS,
  type DropReason,
  LISTENERS,
  type ReceiveEvent,
  REFUSE_REASONS,
  REJECT_REASONS,
  SIGNALS,
  TRANSPORTS,
} from '../../model/events/receive-events.ts';
import { counter, GIVEN } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { type EventTable, warn } from './event-table.ts';

export const RECEIVE_METRICS = {
  received: counter('assay_received_requests_total', 'requests', {
    labels: { transport: TRANSPORTS, signal: SIGNALS, encoding: CONTENT_ENCODINGS },
    help: 'Requests accepted (journaled and synced), by transport, signal and content encoding.',
  }),
  receivedRecords: counter('assay_received_records_total', 'spans, log records', {
    labels: { signal: SIGNALS },
    help: 'Spans and log records accepted (journaled and synced).',
    queries: {
      'spans accepted each second': 'sum(rate(assay_received_records_total{signal="traces"}[5m]))',
    },
  }),
  receivedBytes: counter('assay_received_bytes_total', 'bytes', {
    labels: { signal: SIGNALS },
    help: 'Bytes accepted, after decompression.',
  }),
  rejected: counter('assay_rejected_records_total', 'spans, log records', {
    labels: { signal: SIGNALS, reason: REJECT_REASONS },
    help: 'Spans and log records that a partial success rejected, by reason.',
  }),
  refused: counter('assay_refused_requests_total', 'requests', {
    labels: { transport: TRANSPORTS, reason: REFUSE_REASONS },
    help: 'Requests answered with an error, by transport and reason.',
    queries: {
      'clients that were told to wait: the journal is full, or too much is in flight':
        'sum by (reason) (rate(assay_refused_requests_total{reason=~"not-admitted|overloaded"}[5m]))',
    },
  }),
  dropped: counter('assay_dropped_connections_total', 'connections', {
    labels: { port: LISTENERS, reason: [...DROP_REASONS, 'tls'] },
    help: 'Connections closed, by port and reason: too many were open, HTTP/2 was flooded, answers were not taken, or client and service did not agree on TLS.',
  }),
  redactions: counter('assay_redactions_total', 'places', {
    labels: { pattern: GIVEN },
    help: 'Secrets removed from accepted requests before they were stored, by pattern; key and user_id are such patterns too.',
  }),
} satisfies MetricTable<unknown>;

export type ReceiveCounted = Counted<typeof RECEIVE_METRICS>;

const DROPPED: Readonly<Record<DropReason, string>> = {
  no_place: 'receiver: too many connections are open on this port, closing one for each that comes',
  http2_flood: 'receiver: a client floods its HTTP/2 connection, closing it and slowing its address',
  answers_not_taken: 'receiver: a client does not take the answers that it asks for, closing its connection',
};

export const RECEIVE_EVENTS = {
  'batch-received': {
    count: ({ transport, signal, encoding, records, bytes }, metrics) => {
      metrics.received.inc({ transport, signal, encoding });
      metrics.receivedRecords.inc({ signal }, records);
      metrics.receivedBytes.inc({ signal }, bytes);
    },
  },
  'records-rejected': {
    log: ({ signal, reason }) =>
      warn(
        'receiver: records rejected, accepting the rest of their batch',
        { signal, reason },
        `rejected ${signal} ${reason}`,
      ),
    count: ({ signal, reason, records }, { rejected }) => rejected.inc({ signal, reason }, records),
  },
  'text-redacted': {
    count: ({ counts }, { redactions }) => {
      for (const [pattern, count] of Object.entries(counts)) redactions.inc({ pattern }, count);
    },
  },
  'request-refused': {
    log: ({ transport, reason }) =>
      warn(
        'receiver: request rejected, none of its data are accepted',
        { transport, reason },
        `request ${transport} ${reason}`,
      ),
    count: ({ transport, reason }, { refused }) => refused.inc({ transport, reason }),
  },
  'connection-dropped': {
    log: ({ port, because }) => warn(DROPPED[because], { port }, `connections ${port} ${because}`),
    count: ({ port, because }, { dropped }) => dropped.inc({ port, reason: because }),
  },
  'metrics-discarded': {
    count: ({ transport }, { received }) => received.inc({ transport, signal: 'metrics', encoding: 'any' }),
  },
} satisfies EventTable<ReceiveEvent, ReceiveCounted>;
