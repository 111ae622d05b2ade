import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BLINDING } from '../../deploy/prometheus/source/health-alerts.ts';
import { alertsOf, ruleGroups } from '../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS, shortened } from '../../deploy/prometheus/source/settings.ts';
import { unknownMetrics } from './known-metrics.ts';
import { ROOT, text, type Written, yaml } from './shipped-files.ts';

const groups = ruleGroups(RULE_SETTINGS);
const rules = groups.flatMap((group) => group.rules);
const recorded = new Set(rules.flatMap((rule) => (rule.kind === 'recording' ? [rule.record] : [])));

test('a rule reads only what is recorded before it in the same or an earlier group', () => {
  const seen = new Set<string>();
  const early: string[] = [];
  for (const rule of rules) {
    for (const [name] of rule.expr.matchAll(/\b(agent|agent_segment|agent_version):assay_\w+:\w+/g)) {
      if (!seen.has(name)) early.push(name);
    }
    if (rule.kind === 'recording') seen.add(rule.record);
  }

  // Rules that read their own history: the variation is estimated from blocks that were recorded hours ago, and a fall
  // that is open keeps its state and its baseline.
  const ownHistory =
    /:assay_(block_\w+|fall(_opened|_closed)?|incident_first|below_band|wobble|baseline_(scored|credit)):/;
  expect(early.filter((name) => !ownHistory.test(name))).toEqual([]);
  expect(early.filter((name) => !recorded.has(name))).toEqual([]);
});

test('the two sides of a rate are counted from counters in one group, or in none', () => {
  const sides = groups.flatMap(({ name, rules: of }) =>
    of.flatMap((rule) => {
      const [, side] = /^agent_segment:assay_(scored|credit):/.exec(rule.kind === 'recording' ? rule.record : '') ?? [];
      if (rule.kind !== 'recording' || side === undefined) return [];
      const from = rule.expr.includes('increase(') ? 'counters' : 'recorded';
      return [{ side, rate: `${rule.labels?.measure} ${rule.labels?.window ?? ''} in ${name} from ${from}` }];
    }),
  );

  expect(sides.length).toBeGreaterThan(30);
  for (const [rate, both] of Map.groupBy(sides, ({ rate: one }) => one))
    expect(both.map(({ side }) => side).toSorted(), rate).toEqual(['credit', 'scored']);
});

test('every metric that a rule reads is exposed or recorded', () => {
  expect(rules.flatMap(({ expr }) => unknownMetrics(expr))).toEqual([]);
  expect(unknownMetrics('sum(assay_evaluation_scores_sum)')).toEqual(['assay_evaluation_scores_sum']);
});

const CASES = path.join(ROOT, 'test/outside/prometheus/rules/cases');
/** Characters of the shortest page that says what to do. */
const RUNBOOK_MIN = 300;

test('every metric that a runbook names is exposed or recorded', () => {
  const queries = readdirSync(path.join(ROOT, 'docs/runbooks')).flatMap((file) =>
    [...text(`docs/runbooks/${file}`).matchAll(/```promql\n([\s\S]*?)```/g)].flatMap(([, query = '']) => query),
  );

  expect(queries.length).toBeGreaterThan(30);
  expect(queries.flatMap(unknownMetrics)).toEqual([]);
});

test('every group is done again before what it recorded is out of sight', () => {
  const lookbackSeconds = 300;

  expect(groups.filter(({ intervalSeconds }) => intervalSeconds >= lookbackSeconds)).toEqual([]);
});

test('every alert says what it is about and who is to look', () => {
  const alerts = alertsOf(groups);

  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  expect(alerts.filter(({ alert, area }) => (area === 'assay') !== alert.startsWith('Assay'))).toEqual([]);
  expect(alerts.filter(({ description }) => !description.includes('Next: '))).toEqual([]);
  // Alerts on presence have no figure; those that say which part, or why, have several kinds of figures.
  const figured = alerts.filter(
    ({ expr, summary }) => !/== [01]\)?$/.test(expr) && !/\$labels\.(?:part|reason|kind)/.test(summary),
  );
  expect(figured.filter(({ summary }) => !/\$value|query/.test(summary))).toEqual([]);
});

test('what blinds Assay mutes what it says of agents, and nothing else does for all of them', () => {
  const { inhibit_rules: muting } = yaml('deploy/alertmanager/alertmanager.yml');
  const agents = 'area=~"quality|efficiency"';

  const ofAll = muting.filter(
    ({ target_matchers, equal }: Written) => target_matchers.includes(agents) && equal === undefined,
  );

  expect(ofAll.map(({ source_matchers }: Written) => source_matchers)).toEqual([
    [`alertname=~"${BLINDING.join('|')}"`],
  ]);
});

test('every alert has a runbook, and every runbook an alert', () => {
  const runbooks = readdirSync(path.join(ROOT, 'docs/runbooks')).filter((file) => file !== 'README.md');

  expect(runbooks.sort()).toEqual(
    alertsOf(groups)
      .map(({ alert }) => `${alert}.md`)
      .sort(),
  );
});

test.each(alertsOf(groups).map(({ alert }) => alert))(
  '%s is in the documentation, has cases, and a runbook that says what to do',
  (alert) => {
    const cases = readdirSync(CASES).map((file) => text(`test/outside/prometheus/rules/cases/${file}`));

    expect(`${text('docs/operate/operating.md')}${text('docs/operate/alerting.md')}`).toContain(alert);
    expect(cases.some((one) => one.includes(alert))).toBe(true);
    expect(text(`docs/runbooks/${alert}.md`).length).toBeGreaterThan(RUNBOOK_MIN);
  },
);

test('with shorter times the windows stay apart', () => {
  const short = shortened(RULE_SETTINGS, 60);

  expect(short.windows.map(({ seconds }) => seconds)).toEqual([5, 30, 60, 120, 360, 1440, 4320]);
  expect(short.baseline).toEqual({ seconds: 10_080, offset: 4320, youngOffset: 1440 });
});
