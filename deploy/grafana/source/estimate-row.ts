/** How many conversations went well, by readings of people: the first row, because scores only say whether faults were found. */
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import type { Links } from '../../links.ts';
import { BANDS } from '../../prometheus/source/settings.ts';
import { figure, lines } from './panels.ts';

const ENDS = [
  ['value', 'estimate'],
  ['lower', 'at least'],
  ['upper', 'at most'],
] as const;
const NOTHING_READ = 'nothing read: open Read on Assay’s page, or run `assay estimate --read`';
const NONE_BAD = 'no bad one is known: read more, on Assay’s page or with `assay estimate --read`';

/** No colour says anything of a low end, because a few readings alone have one. */
const READINESS_COLOURS = new dashboard.ThresholdsConfigBuilder().mode(dashboard.ThresholdsMode.Absolute).steps([
  { value: null, color: 'text' },
  { value: BANDS.usable, color: 'yellow' },
  { value: BANDS.production, color: 'green' },
]);

export function withEstimate(board: dashboard.DashboardBuilder, links: Links): dashboard.DashboardBuilder {
  const of = (metric: string, label: string, value: string) =>
    `max by (agent) (${metric}{agent=~"$agent", ${label}="${value}"})`;
  const interval = (metric: string) =>
    ENDS.map(([bound, end]) => ({ expr: of(metric, 'bound', bound), legend: `${end} {{agent}}` }));
  const read = new dashboard.DashboardLinkBuilder('read conversations')
    .type(dashboard.DashboardLinkType.Link)
    .url(`${links.assay}/read?agent=\${agent:percentencode}`)
    .targetBlank(true);
  return board
    .withRow(new dashboard.RowBuilder('How many went well?'))
    .withPanel(
      figure(
        {
          title: 'Went well, at least',
          description:
            'Lower end of the 95 % interval of the share that went well for users, of the last 7 days and in all suites. The bands of docs/score/estimate.md rest on it: green from 0.85, yellow from 0.70. Below, few may have been read: see the interval.',
          unit: 'percentunit',
          height: 8,
          nothing: NOTHING_READ,
        },
        { expr: of('assay_success_estimate', 'bound', 'lower'), legend: '{{agent}}' },
        { colours: READINESS_COLOURS },
      ).links([read]),
    )
    .withPanel(
      lines(
        {
          title: 'Went well, by readings',
          description:
            'Share of conversations that went well for users, of the 7 days before, from readings and certain outcomes. Few readings make a wide interval, and never a false one; docs/score/estimate.md says why.',
          unit: 'percentunit',
          width: 8,
          nothing: NOTHING_READ,
        },
        interval('assay_success_estimate'),
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Went badly, and called fine',
          description:
            'Share of the conversations that went badly that the suites call fine. Scores and their alerts do not see these.',
          unit: 'percentunit',
          width: 6,
          nothing: NONE_BAD,
        },
        interval('assay_miss_rate_estimate'),
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Conversations, by how they are known',
          description:
            'Of the last 7 days: read, certain by an outcome, or not spoken for, because they arrived later or hold no words.',
          width: 6,
          nothing: NOTHING_READ,
        },
        [
          {
            expr: 'sum by (how) (max by (agent, how) (assay_estimate_conversations{agent=~"$agent"}))',
            legend: '{{how}}',
          },
        ],
        { stacked: true },
      ),
    );
}
