/** Certificates of the ports, and clients that could not agree on TLS. */
import type { TlsEvent } from '../../model/events/tls-events.ts';
import { readGauge } from '../metrics/define-metric.ts';
import type { MetricTable } from '../metrics/metric-set.ts';
import type { FailuresCounted } from './damage.ts';
import { error, type EventTable, info, warn } from './event-table.ts';
import type { ReceiveCounted } from './receive.ts';

export interface TlsReadings {
  /** Seconds since 1970; undefined without TLS. */
  readonly certificateExpiresAt: () => number | undefined;
}

export const TLS_METRICS = {
  expiry: readGauge('assay_tls_certificate_expiry_timestamp_seconds', 'seconds since 1970', {
    help: 'When the certificate in use ends. It is not there without TLS.',
    queries: {
      'certificates that end within two weeks': 'assay_tls_certificate_expiry_timestamp_seconds - time() < 14 * 86400',
    },
    read: ({ certificateExpiresAt }: TlsReadings) => {
      const value = certificateExpiresAt();
      return value === undefined ? [] : [{ labels: {}, value }];
    },
  }),
} satisfies MetricTable<TlsReadings>;

export const TLS_EVENTS = {
  'tls-handshake-failed': {
    log: ({ port, problem }) =>
      warn('tls: handshake failed, the connection is closed', { port, problem }, `handshake ${port} ${problem}`),
    count: ({ port }, { dropped }) => dropped.inc({ port, reason: 'tls' }),
  },
  'tls-certificate-renewed': {
    log: ({ expiresAt }) =>
      info('tls: certificate changed, new connections use it', { expires: new Date(expiresAt * 1000).toISOString() }),
  },
  'tls-certificate-unusable': {
    log: ({ problem }) =>
      error('tls: changed certificate files cannot be used, the previous ones stay in use', { problem }),
    count: (_event, { failures }) => failures.inc({ part: 'certificates' }),
  },
} satisfies EventTable<TlsEvent, FailuresCounted & Pick<ReceiveCounted, 'dropped'>>;
