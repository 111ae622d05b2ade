/** Versions of one agent side by side. */
import { netIncrease } from '../../../src/report/metrics/net-increase.ts';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { BASELINE_VERSION } from '../../prometheus/source/counts.ts';
import { DROP, EVIDENCE } from '../../prometheus/source/evidence.ts';
import { duration } from '../../prometheus/source/promql.ts';
import { type RuleSettings, VERSION_ALARM_NATS } from '../../prometheus/source/settings.ts';
import { VERSION_PART } from '../../prometheus/source/split.ts';
import { AGENT, bars, comparison, lines, page, partsBy, VERSIONS } from './panels.ts';
import { GOOD, UNRATED, UNSCORED, WORST } from '../../outcomes.ts';

export function versionsDashboard(settings: RuleSettings) {
  const by = (vector: string) => netIncrease('agent_version', vector, '[$window]');
  const ratio = (above: string, below: string) => `${by(above)} / (${by(below)} > 0)`;
  const ofOutcome = (outcome: string, all = UNSCORED) =>
    ratio(
      `assay_evaluations_total{${VERSIONS}, outcome=~"${outcome}"}`,
      `assay_evaluations_total{${VERSIONS}, outcome!~"${all}"}`,
    );
  const perSuccess = (metric: string) =>
    ratio(`${metric}_sum{${VERSIONS}, outcome!="${UNSCORED}"}`, `${metric}_count{${VERSIONS}, outcome=~"${GOOD}"}`);
  return page(settings, { key: 'versions', title: 'Versions side by side', about: 'agent' })
    .withRow(new dashboard.RowBuilder('Side by side'))
    .withPanel(
      comparison(
        {
          title: 'Versions',
          description:
            'In the window, by version: conversations, mean score, good outcomes, hard failures, cost and steps for each good one.',
        },
        [
          { name: 'conversations', expr: by(`assay_evaluations_total{${VERSIONS}}`), unit: 'short' },
          {
            name: 'mean score',
            expr: ratio(`assay_evaluation_score_sum{${VERSIONS}}`, `assay_evaluation_score_count{${VERSIONS}}`),
            unit: 'percentunit',
          },
          { name: 'good outcomes', expr: ofOutcome(GOOD, UNRATED), unit: 'percentunit' },
          { name: 'hard failures', expr: ofOutcome(WORST), unit: 'percentunit' },
          { name: 'cost per good outcome', expr: perSuccess('assay_conversation_cost_usd'), unit: 'currencyUSD' },
          { name: 'steps per good outcome', expr: perSuccess('assay_conversation_steps'), unit: 'short' },
        ],
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Mean score by version',
          description: 'Mean score in the window, by version. Without traffic a version has no line.',
          unit: 'percentunit',
        },
        [
          {
            expr: ratio(`assay_evaluation_score_sum{${VERSIONS}}`, `assay_evaluation_score_count{${VERSIONS}}`),
            legend: '{{agent_version}}',
          },
        ],
        { bands: true },
      ),
    )
    .withPanel(
      lines(
        { title: 'Traffic by version', description: 'Conversations evaluated in the window, by version.' },
        [{ expr: by(`assay_evaluations_total{${VERSIONS}}`), legend: '{{agent_version}}' }],
        { stacked: true },
      ),
    )
    .withRow(new dashboard.RowBuilder('Held against the usual version'))
    .withPanel(
      lines(
        {
          title: 'Behind the usual version',
          description:
            'How far a version scores below the one that had most traffic in the baseline, segment by segment, in the same days. Negative: above it.',
          unit: 'percentunit',
        },
        [{ expr: `${DROP}{${AGENT}, measure="version", window="$window"}`, legend: '{{agent_version}}' }],
      ),
    )
    .withPanel(
      lines(
        {
          title: `Evidence that it scores lower (alarm: ${VERSION_ALARM_NATS})`,
          description: 'In nats, the largest of all windows.',
        },
        [{ expr: `max by (agent_version) (${EVIDENCE}{${AGENT}, measure="version"})`, legend: '{{agent_version}}' }],
      ),
    )
    .withPanel(
      bars(
        {
          title: `What moved the mean score, by version, ${duration(settings.explainWindow)}`,
          description:
            'Points of the score that the conversations of each version are away from what their segments had in the baseline; `mix` is other segments being asked, and late corrections. Together they are the change of the mean score, exactly; of several agents, the mean of their changes. Empty while nothing may have fallen.',
          unit: 'percentunit',
        },
        { expr: partsBy(VERSION_PART, 'agent_version') },
        { by: 'agent_version' },
      ),
    )
    .withPanel(
      comparison(
        {
          title: 'The usual version',
          description: 'The version that others are held against, and its conversations in the baseline.',
          width: 12,
        },
        [{ name: 'conversations', expr: `max by (agent_version) (${BASELINE_VERSION}{${AGENT}})`, unit: 'short' }],
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Criteria by version',
          description:
            'Pass rate of each criterion in the window, by version: the one that differs says where to look.',
          unit: 'percentunit',
          width: 24,
        },
        [
          {
            expr: `${netIncrease('criterion, agent_version', `assay_verdicts_total{${VERSIONS}, verdict="pass"}`, '[$window]')} / (${netIncrease('criterion, agent_version', `assay_verdicts_total{${VERSIONS}, verdict=~"pass|fail"}`, '[$window]')} > 0)`,
            legend: '{{criterion}} {{agent_version}}',
          },
        ],
      ),
    );
}
