/** Access: who was let in, who was refused and why; whether nothing is asked of anybody. */
import { ACCESS_REFUSALS } from '../../model/access.ts';
import { IDENTIFIED_BY, ROLES } from '../../model/caller.ts';
import { type AccessEvent, SIGN_IN_RESULTS } from '../../model/events/access-events.ts';
import { counter, readGauge } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { error, type EventTable, info, warn } from './event-table.ts';

export interface AccessReadings {
  /** True if others reach the address and no token is asked for. */
  readonly isOpenToAll: () => boolean;
}

export const ACCESS_METRICS = {
  allowed: counter('assay_access_total', 'requests', {
    labels: { role: ROLES, by: IDENTIFIED_BY },
    help: 'Requests that were let in, by the role that they took and how the caller was recognized.',
    queries: {
      'who uses the API, and how they are recognized': 'sum by (role, by) (rate(assay_access_total[1h]))',
    },
  }),
  refused: counter('assay_access_refused_total', 'requests', {
    labels: { reason: ACCESS_REFUSALS },
    help: 'Requests of callers that may not do what they asked for, by reason.',
    queries: {
      'callers with a token that is not known or not for this':
        'sum by (reason) (increase(assay_access_refused_total{reason=~"unknown_token|expired_token|role|attempts"}[1h])) > 0',
    },
  }),
  signIns: counter('assay_sign_ins_total', 'attempts', {
    labels: { result: SIGN_IN_RESULTS },
    help: 'Attempts of people to sign in, by result.',
    queries: {
      'people who cannot sign in': 'sum by (result) (increase(assay_sign_ins_total{result!="ok"}[1h])) > 0',
    },
  }),
  openToAll: readGauge<AccessReadings>('assay_insecure_no_auth', '0 or 1', {
    help: '1 if nothing is asked of anybody, because of `--insecure-no-auth`.',
    queries: { 'instances that everybody can read from and send to': 'assay_insecure_no_auth == 1' },
    read: ({ isOpenToAll }) => (isOpenToAll() ? 1 : 0),
  }),
} satisfies MetricTable<AccessReadings>;

export const ACCESS_EVENTS = {
  'access-allowed': { count: ({ role, by }, { allowed }) => allowed.inc({ role, by }) },
  'access-refused': {
    log: ({ port, reason }) =>
      warn('access: request refused, the audit log has who and what', { port, reason }, `access ${port} ${reason}`),
    count: ({ reason }, { refused }) => refused.inc({ reason }),
  },
  'access-open': {
    log: ({ host }) =>
      warn('access: --insecure-no-auth, everybody who reaches this address can read and send', { host }),
  },
  'tokens-unreadable': {
    log: ({ from, problem }) =>
      error('access: tokens cannot be read, those that were last read stay valid', { from, problem }, `tokens ${from}`),
  },
  'tokens-readable': {
    log: ({ from }) => info('access: tokens could be read again, they count from now on', { from }),
  },
  'sign-in': { count: ({ result }, { signIns }) => signIns.inc({ result }) },
  'identity-provider-away': {
    log: ({ problem }) =>
      warn('access: identity provider cannot be used, nobody can sign in until it can', { problem }, 'provider'),
  },
  'sessions-unreadable': {
    log: ({ problem }) =>
      error(
        'access: sessions cannot be read from the store, those that were ended elsewhere go on',
        { problem },
        'sessions',
      ),
  },
  'audit-failed': {
    log: ({ problem, lines }) =>
      error('access: audit log cannot be written, its lines are lost', { problem, lines }, 'audit'),
  },
} satisfies EventTable<AccessEvent, Counted<typeof ACCESS_METRICS>>;
