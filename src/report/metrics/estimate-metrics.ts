/** The metrics of how many conversations went well, from readings. */
import type { Estimate } from '../../model/estimate.ts';
import { readGauge } from './define-metric.ts';
import type { MetricTable } from './metric-set.ts';

export interface ShownEstimate {
  readonly agent: string;
  readonly success: Estimate | undefined;
  readonly missRate: Estimate | undefined;
  /** Kinds of failure that are called mended, each with its conversations that began since. */
  readonly returned: readonly { readonly kind: string; readonly conversations: number }[];
  /** Conversations by how it is known of them. */
  readonly conversations: { readonly read: number; readonly certain: number; readonly not_spoken_for: number };
}

const BOUNDS = ['value', 'lower', 'upper'] as const;

export const ESTIMATE_METRICS = {
  success: readGauge('assay_success_estimate', '0 to 1', {
    labels: ['agent', 'bound'],
    help: 'Share of the conversations of the last 7 days that went well for their users, estimated from readings, with the ends of its 95 % interval (bound: value, lower, upper). The interval stays valid however often it is looked at. Absent while nothing was read. One of many instances exposes it.',
    queries: {
      'agents of which the success rate is known to be below four in five':
        'assay_success_estimate{bound="upper"} < 0.8',
    },
    read: (shown) => shown.flatMap(({ agent, success }) => bounds({ agent }, success)),
  }),
  missRate: readGauge('assay_miss_rate_estimate', '0 to 1', {
    labels: ['agent', 'bound'],
    help: 'Share of the conversations that went badly and that the suites call fine, estimated from the same readings. Absent while no bad one is known.',
    queries: { 'agents whose suites miss most of what goes wrong': 'assay_miss_rate_estimate{bound="lower"} > 0.5' },
    read: (shown) => shown.flatMap(({ agent, missRate }) => bounds({ agent }, missRate)),
  }),
  conversations: readGauge('assay_estimate_conversations', 'conversations', {
    labels: ['agent', 'how'],
    help: 'Conversations of the last 7 days by how it is known whether they went well (how: read, certain; not_spoken_for: they came later or hold no words, and the estimate says nothing about them).',
    read: (shown) =>
      shown.flatMap(({ agent, conversations }) =>
        Object.entries(conversations).map(([how, value]) => ({ labels: { agent, how }, value })),
      ),
  }),
  returned: readGauge('assay_failure_kind_returned', 'conversations', {
    labels: ['agent', 'kind'],
    help: 'Conversations of a kind of failure that began after a person called the kind mended: it is back. There is a series for each of the 20 kinds of an agent that were called mended last, 0 while it stays away.',
    queries: { 'kinds that are back': 'assay_failure_kind_returned > 0' },
    read: (shown) =>
      shown.flatMap(({ agent, returned }) =>
        returned.map(({ kind, conversations }) => ({ labels: { agent, kind }, value: conversations })),
      ),
  }),
} satisfies MetricTable<readonly ShownEstimate[]>;

function bounds(labels: { readonly agent: string }, estimate: Estimate | undefined) {
  if (estimate === undefined) return [];
  return BOUNDS.map((bound) => ({ labels: { ...labels, bound }, value: estimate[bound] }));
}
