/** The quality of the agent, the causes of changes, and the conversations that show them. */
import { netIncrease } from '../../../src/report/metrics/net-increase.ts';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import type { Links } from '../../links.ts';
import {
  CRITERIA,
  EVIDENCE,
  expectedCredit,
  matched,
  TCR,
  TCR_LOWER,
  TCR_UPPER,
  tcr,
  tcrBounds,
} from '../../prometheus/source/evidence.ts';
import { duration } from '../../prometheus/source/promql.ts';
import { ALARM_NATS, type RuleSettings } from '../../prometheus/source/settings.ts';
import { SEGMENT_PART, TCR_CHANGE_PART } from '../../prometheus/source/split.ts';
import { withDetector } from './detector-row.ts';
import { withEstimate } from './estimate-row.ts';
import { withFleet } from './fleet-row.ts';
import { AGENT, bars, conversationsLink, figure, heatMap, lines, page, partsBy, VERSIONS, WINDOW } from './panels.ts';
import { GOOD, UNRATED } from '../../outcomes.ts';

export function qualityDashboard(settings: RuleSettings, links: Links) {
  const day = `window="${duration(settings.bandWindow)}"`;
  const dayName = duration(settings.bandWindow);
  const inDay = (selector: string) => netIncrease(undefined, selector, `[${dayName}]`);
  const outcomes = netIncrease('outcome', `assay_evaluations_total{${VERSIONS}}`, '[$__rate_interval]');
  const score = `{${AGENT}, ${WINDOW}, measure="tcr"}`;
  const passed = `${netIncrease('criterion', `assay_verdicts_total{${VERSIONS}, verdict="pass"}`, '[$window]')} / (${netIncrease('criterion', `assay_verdicts_total{${VERSIONS}, verdict=~"pass|fail"}`, '[$window]')} > 0)`;
  const board = page(settings, { key: 'quality', title: 'Agent quality', about: 'agent' });
  withFleet(withEstimate(board, links), links)
    .withRow(new dashboard.RowBuilder('What do the suites say?'))
    .withPanel(
      figure(
        {
          title: `Mean score, ${dayName}`,
          description:
            'Mean score of the conversations that could be scored: the task completion rate (TCR) of a suite that checks the task. Below 0.85 it is yellow and below 0.70 red, the levels of two alerts. Of a suite about form or rules it is the form score, and the colours say nothing.',
          unit: 'percentunit',
        },
        { expr: `${TCR}{${AGENT}, ${day}}` },
        { bands: true },
      ),
    )
    .withPanel(
      figure(
        {
          title: 'At least',
          description: 'Lower end of the 99 % interval of the mean score.',
          unit: 'percentunit',
          width: 3,
        },
        { expr: `${TCR_LOWER}{${AGENT}, ${day}}` },
        { bands: true },
      ),
    )
    .withPanel(
      figure(
        {
          title: 'At most',
          description:
            'Upper end of the 99 % interval of the mean score. An alert about the level fires when this is below it.',
          unit: 'percentunit',
          width: 3,
        },
        { expr: `${TCR_UPPER}{${AGENT}, ${day}}` },
        { bands: true },
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Good outcomes',
          description:
            'Of what was good or bad: successful_completion, or no_fault_found of a suite without evidence of the task.',
          unit: 'percentunit',
        },
        {
          expr: `${inDay(`assay_evaluations_total{${VERSIONS}, outcome=~"${GOOD}"}`)} / (${inDay(`assay_evaluations_total{${VERSIONS}, outcome!~"${UNRATED}"}`)} > 0)`,
        },
      ),
    )
    .withPanel(
      figure(
        { title: 'Conversations', description: 'Evaluated in that time, scored or not.' },
        { expr: inDay(`assay_evaluations_total{${VERSIONS}}`) },
      ),
    )
    .withPanel(
      figure(
        {
          title: `Evidence of a fall (alarm: ${ALARM_NATS})`,
          description: 'The largest of all windows, in nats. An alert needs this and a fall that is large enough.',
          width: 6,
        },
        { expr: `max(${EVIDENCE}{${AGENT}, measure="tcr"})` },
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Mean score and what was to be expected',
          description:
            'Expected: what this mix of traffic gave in the baseline. The interval is of 99 %. Blue marks: a version was seen first; red: an alert.',
          unit: 'percentunit',
          width: 16,
          height: 9,
        },
        [
          { expr: tcr(`${AGENT}, ${WINDOW}`), legend: 'TCR' },
          { expr: `${expectedCredit(score)} / ${matched(score)}`, legend: 'expected' },
          { expr: tcrBounds(`${AGENT}, ${WINDOW}`).lower, legend: 'at least' },
          { expr: tcrBounds(`${AGENT}, ${WINDOW}`).upper, legend: 'at most' },
        ],
        { bands: true },
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Evidence by window',
          description: `In nats; ${ALARM_NATS} is the level of alarm at any traffic. Short windows find large falls soon, long ones small falls late.`,
          width: 8,
          height: 9,
        },
        [{ expr: `${EVIDENCE}{${AGENT}, measure="tcr"}`, legend: '{{window}}' }],
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Outcomes',
          description: 'Share of each outcome of what was evaluated. `unscored` lowers no score.',
          unit: 'percentunit',
        },
        [
          {
            expr: `${outcomes} / ignoring (outcome) group_left () (${netIncrease(undefined, `assay_evaluations_total{${VERSIONS}}`, '[$__rate_interval]')} > 0)`,
            legend: '{{outcome}}',
          },
        ],
        { stacked: true },
      ),
    )
    .withRow(new dashboard.RowBuilder('What moved it?'))
    .withPanel(
      bars(
        {
          title: `What moved the mean score, ${duration(settings.explainWindow)}`,
          description:
            'Points of the score against the baseline, by criterion, largest loss first; `mix` is what is left (other segments, other criteria that apply, late corrections). Together they are the change of the mean score, exactly; of several agents, the mean of their changes. Empty while nothing may have fallen.',
          unit: 'percentunit',
        },
        {
          expr: partsBy(TCR_CHANGE_PART, 'criterion'),
        },
        { by: 'criterion' },
      ),
    )
    .withPanel(
      heatMap(
        { title: 'Criteria', description: 'Pass rate of each criterion among what it decided.', unit: 'percentunit' },
        {
          expr: passed,
          legend: '{{criterion}}',
        },
      ),
    )
    .withPanel(
      bars(
        {
          title: 'Criteria that fail most',
          description: 'Share of failures among what each criterion decided, in the window.',
          unit: 'percentunit',
        },
        { expr: `topk(10, 1 - ${passed})` },
        { by: 'criterion' },
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Evidence by criterion',
          description:
            'In nats, the largest of all windows, less ln(number of criteria), because all are watched at once. Only criteria that may have fallen have a line.',
        },
        [
          {
            expr: `max by (criterion) (${EVIDENCE}{${AGENT}, measure="criterion"} - on (suite, agent, environment) group_left () ln(${CRITERIA}))`,
            legend: '{{criterion}}',
          },
        ],
      ),
    )
    .withPanel(
      bars(
        {
          title: `The same change by segment, ${duration(settings.explainWindow)}`,
          description:
            'Points of the score against what each segment had in the baseline; `mix` is other segments being asked, and late corrections. One bar, `none`, where no segments are configured. Together they are the change of the mean score, exactly; of several agents, the mean of their changes. Empty while nothing may have fallen.',
          unit: 'percentunit',
        },
        // A bar needs a name, and without segments the label is absent.
        { expr: partsBy(SEGMENT_PART, 'segment') },
        { by: 'segment' },
      ),
    )
    .withRow(new dashboard.RowBuilder('Which conversations?'))
    .withPanel(
      lines(
        {
          title: 'Worst conversations',
          description:
            'Conversations by score, lowest bucket first. The dots are single conversations: click one, and open it in Assay.',
          width: 16,
        },
        // Prometheus 3 writes whole numbers as 0.0.
        ['0|0.0', '0.25', '0.5'].map((le) => ({
          expr: netIncrease('le', `assay_evaluation_score_bucket{${VERSIONS}, le=~"${le}"}`, '[$__rate_interval]'),
          legend: 'score up to {{le}}',
          exemplars: true,
        })),
      ).links([conversationsLink(links, '&outcome=hard_failure&since=24h'), conversationsLink(links, '&since=24h')]),
    )
    .withPanel(
      lines(
        {
          title: 'Not decided',
          description:
            'Verdicts that were no answer, by criterion: they lower no score, but too many of them leave little to go by.',
          width: 8,
        },
        [
          {
            expr: netIncrease(
              'criterion, verdict',
              `assay_verdicts_total{${VERSIONS}, verdict=~"not_applicable|error|skipped"}`,
              '[$__rate_interval]',
            ),
            legend: '{{criterion}}: {{verdict}}',
          },
        ],
      ),
    );
  return withDetector(board);
}
