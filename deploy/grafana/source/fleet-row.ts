/** The agents by who is worst, whichever of them is chosen: with many of them it is the first question. */
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import type { Links } from '../../links.ts';
import { CREDIT, SCORED } from '../../prometheus/source/counts.ts';
import { EVIDENCE, tcr } from '../../prometheus/source/evidence.ts';
import { tcrChange } from '../../prometheus/source/split.ts';
import { comparison, WINDOW } from './panels.ts';

/** Grafana draws every row of a table. */
const AGENTS_MAX = 100;
const LOST = 'score lost';
const OF_SUITE = 'suite="$suite", environment=~"$environment"';
const OF_SCORE = `{${OF_SUITE}, ${WINDOW}, measure="tcr"}`;
const PLACE = 'agent, environment';

export function withFleet(board: dashboard.DashboardBuilder, links: Links): dashboard.DashboardBuilder {
  const worst = `topk(${AGENTS_MAX}, sum by (${PLACE}) (${SCORED}${OF_SCORE}) - sum by (${PLACE}) (${CREDIT}${OF_SCORE}))`;
  const ofThese = (expr: string) => `max by (${PLACE}) (${expr}) and on (${PLACE}) ${worst}`;
  const url = `${links.assay}/?agent=\${__value.raw:percentencode}&suite=\${suite:percentencode}`;
  return board.withRow(new dashboard.RowBuilder('Which agents?')).withPanel(
    comparison(
      {
        title: 'Agents, worst first',
        description: `What each agent lost in the window: a conversation of score 0.2 loses 0.8. Much traffic and a low score make it large, so the first row is where most is to be had. Of more than ${AGENTS_MAX} agents the worst are shown; GET /api/v1/fleet has all of them.`,
        height: 10,
      },
      [
        { name: LOST, expr: worst, unit: 'short' },
        { name: 'mean score', expr: ofThese(tcr(`${OF_SUITE}, ${WINDOW}`)), unit: 'percentunit' },
        { name: 'change', expr: ofThese(tcrChange(`${OF_SUITE}, ${WINDOW}`)), unit: 'percentunit' },
        { name: 'evidence of a fall', expr: ofThese(`${EVIDENCE}{${OF_SUITE}, measure="tcr"}`), unit: 'short' },
        { name: 'conversations', expr: ofThese(`sum by (${PLACE}) (${SCORED}${OF_SCORE})`), unit: 'short' },
      ],
    )
      .sortBy([new common.TableSortByFieldStateBuilder().displayName(LOST).desc(true)])
      .overrideByName('agent', [{ id: 'links', value: [{ title: 'the agent in Assay', url, targetBlank: true }] }]),
  );
}
