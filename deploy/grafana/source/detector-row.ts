/**
 * The state of the detector inside Assay for an agent: a second opinion beside the rules, and faster. With several
 * instances only one has it.
 */
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { AGENT, bars, heatMap, lines } from './panels.ts';

const STREAM = 'metric, criterion';
const LEGEND = '{{metric}} {{criterion}}';
const STATE_COLOURS = new dashboard.ThresholdsConfigBuilder().mode(dashboard.ThresholdsMode.Absolute).steps([
  { value: null, color: 'green' },
  { value: 1, color: 'yellow' },
  { value: 2, color: 'red' },
]);

export function withDetector(board: dashboard.DashboardBuilder): dashboard.DashboardBuilder {
  const of = (metric: string, more = '') => `max by (${STREAM}) (${metric}{${AGENT}${more}})`;
  const isIn = (state: string) => of('assay_detector_state', `, state=~"${state}"`);
  const tcr = ', metric="tcr"';
  return board
    .withRow(new dashboard.RowBuilder('What does the detector say?'))
    .withPanel(
      heatMap(
        {
          title: 'Suspected (1), regressed or partly back (2)',
          description:
            'Every conversation is looked at as it is scored. 0 is all else: learning, as usual, recovered, no data. Of what is calm, only the mean score is shown. docs/operate/detection.md says what leads from one to the other.',
        },
        { expr: `2 * ${isIn('regressed|partly_back')} or ${isIn('suspected')} or 0 * ${isIn('.+')}`, legend: LEGEND },
        { colours: STATE_COLOURS },
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Evidence, as a share of what an alarm takes',
          description:
            'Of logarithms: at 1 it is a regression, if the change is large enough. Nothing is shown while a level is being learnt.',
          unit: 'percentunit',
        },
        [{ expr: of('assay_detector_evidence_ratio'), legend: LEGEND }],
      ),
    )
    .withPanel(
      lines(
        {
          title: 'Mean score against what was expected of it',
          description:
            'Relative change since the onset where something is wrong, else of late, with its interval of 95 % (approximate).',
          unit: 'percentunit',
          width: 16,
        },
        [
          { expr: of('assay_detector_change_ratio', `${tcr}, bound="value"`), legend: 'change' },
          { expr: of('assay_detector_change_ratio', `${tcr}, bound="lower"`), legend: 'at least' },
          { expr: of('assay_detector_change_ratio', `${tcr}, bound="upper"`), legend: 'at most' },
        ],
      ),
    )
    .withPanel(
      bars(
        {
          title: 'What would be found within a day',
          description:
            'The smallest relative change that today’s traffic would show. Smaller ones take longer, or more traffic.',
          unit: 'percentunit',
          width: 8,
        },
        { expr: `sort(${of('assay_detector_minimum_detectable_change_ratio', ', criterion=""')})` },
        { by: 'metric' },
      ),
    );
}
