/** The cost of a success, in money, steps, tokens and time. */

import { netIncrease } from '../../../src/report/metrics/net-increase.ts';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { baselineEffort, EFFORT_RISE, EFFORT_Z } from '../../prometheus/source/efficiency.ts';
import { RISE_Z, type RuleSettings } from '../../prometheus/source/settings.ts';
import { AGENT, lines, page, quantile, VERSIONS } from './panels.ts';
import { GOOD, UNSCORED } from '../../outcomes.ts';

export function efficiencyDashboard(settings: RuleSettings) {
  const inWindow = (selector: string) => netIncrease(undefined, selector, '[$window]');
  const perSuccess = (measure: string) => [
    {
      expr: `${inWindow(`assay_conversation_${measure}_sum{${VERSIONS}, outcome!="${UNSCORED}"}`)} / (${inWindow(`assay_conversation_${measure}_count{${VERSIONS}, outcome=~"${GOOD}"}`)} > 0)`,
      legend: 'now',
    },
    {
      expr: baselineEffort(settings, undefined, `assay_conversation_${measure}`, `${AGENT}, `).perSuccess,
      legend: 'baseline',
    },
  ];
  const durationAt = (q: number) => ({
    expr: quantile(q, netIncrease('le', `assay_conversation_duration_seconds_bucket{${VERSIONS}}`, '[$window]')),
    legend: `${q * 100} %`,
  });
  const mean = (metric: string, by: string) => ({
    expr: `${netIncrease(by, `${metric}_sum{${VERSIONS}}`, '[$window]')} / (${netIncrease(by, `${metric}_count{${VERSIONS}}`, '[$window]')} > 0)`,
    legend: `{{${by}}}`,
  });
  return page(settings, { key: 'efficiency', title: 'Efficiency and cost', about: 'agent' })
    .withRow(new dashboard.RowBuilder('Per good outcome'))
    .withPanel(
      lines(
        {
          title: 'Cost per good outcome',
          description:
            'What all scored conversations cost, for each with a good outcome; only where the spans say what a call costs.',
          unit: 'currencyUSD',
        },
        perSuccess('cost_usd'),
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Steps per good outcome',
          description:
            'Model and tool calls of all scored conversations, for each good outcome. It rises while the mean score stays when the agent takes the long way.',
        },
        perSuccess('steps'),
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Rise against the baseline',
          description: 'Segment by segment, so that more of the expensive kind of conversation does not count.',
          unit: 'percentunit',
        },
        [{ expr: `${EFFORT_RISE}{${AGENT}}`, legend: '{{measure}} {{window}}' }],
      ),
    )
    .withPanel(
      lines(
        {
          title: `How sure (alarm: ${RISE_Z})`,
          description: 'z of the excess over the baseline; it needs a baseline and the sums of squares.',
        },
        [{ expr: `${EFFORT_Z}{${AGENT}}`, legend: '{{measure}} {{window}}' }],
      ),
    )
    .withRow(new dashboard.RowBuilder('Per conversation'))
    .withPanel(
      lines(
        { title: 'Cost by version', description: 'Mean cost of a conversation, by version.', unit: 'currencyUSD' },
        [mean('assay_conversation_cost_usd', 'agent_version')],
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Steps by outcome',
          description: 'Mean steps of a conversation, by outcome: failures that take long are the dear ones.',
        },
        [mean('assay_conversation_steps', 'outcome')],
      ),
    )
    .withPanel(
      lines(
        { title: 'Tokens by version', description: 'Mean tokens, input and output, of a conversation, by version.' },
        [mean('assay_conversation_tokens', 'agent_version')],
      ),
    )
    .withPanel(
      lines({ title: 'Duration', description: 'From the first span of a conversation to its last.', unit: 's' }, [
        durationAt(0.5),
        durationAt(0.95),
      ]),
    )
    .withPanel(
      lines(
        {
          title: 'Spent',
          description: 'Cost of all conversations for each hour, by outcome: what failures cost is in here.',
          unit: 'currencyUSD',
          width: 24,
        },
        [
          {
            expr: `sum by (outcome) (rate(assay_conversation_cost_usd_sum{${VERSIONS}}[$__rate_interval])) * 3600`,
            legend: '{{outcome}}',
          },
        ],
        { stacked: true },
      ),
    );
}
