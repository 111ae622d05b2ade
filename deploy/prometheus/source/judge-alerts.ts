/**
 * The alert about judges: verdicts that are missing because of the key, the budget or the answers. It is about Assay,
 * not about agents.
 */
import { windowOf } from './health-alerts.ts';
import type { Alert, Group } from './rule.ts';
import type { RuleSettings } from './settings.ts';

const MINUTE = 60;
const HOUR = 3600;
/** Share of calls. Retries compensate for a smaller one. */
const ERRORS_MAX = 0.2;
/** Fewer calls prove nothing. */
const CALLS_MIN = 20;
/** A call reserves its maximum cost, so the last tenth is seldom spent. */
const SPENT = 0.9;

export function judgeAlerts(settings: RuleSettings): Group {
  const rules = alerts(settings).map(
    (alert) => ({ ...alert, kind: 'alert', area: 'assay', severity: 'ticket', dashboard: 'judges' }) as const,
  );
  return { name: 'assay_alerts_judges', intervalSeconds: settings.interval.fast, rules };
}

function alerts(settings: RuleSettings): readonly Omit<Alert, 'kind' | 'area' | 'severity' | 'dashboard'>[] {
  const calls = (selector: string) =>
    `sum by (job, judge) (increase(assay_judge_calls_total${selector}[${windowOf(settings, 30 * MINUTE)}]))`;
  const because = (reason: string, expression: string) => `label_replace(${expression}, "reason", "${reason}", "", "")`;
  const leftOut = `sum by (job, judge, end) (increase(assay_judge_questions_total{end=~"over-budget|too-late"}[${windowOf(settings, HOUR)}])) > 0`;
  return [
    {
      alert: 'AssayJudgeProblem',
      for: 10 * MINUTE,
      expr: [
        because('stopped', 'max by (job, judge) (assay_judge_stopped) == 1'),
        because(
          'errors',
          `${calls('{result!="said"}')} / (${calls('')} > 0) > ${ERRORS_MAX} and ${calls('')} >= ${CALLS_MIN}`,
        ),
        because(
          'budget-spent',
          `max by (job, window) (assay_judge_budget_spent_ratio) > ${SPENT} and on (job) sum by (job) (assay_judge_waiting_questions) > 0`,
        ),
        `max by (job, judge, reason) (label_replace(${leftOut}, "reason", "$1", "end", "(.+)"))`,
      ].join('\nor '),
      summary:
        '{{ with $labels.judge }}The judge {{ . }}{{ else }}The judges{{ end }} cannot answer all questions: {{ $labels.reason }}{{ with $labels.window }} for this {{ . }}{{ end }}',
      description:
        'Questions wait, up to judging.limit, and their verdicts are then errors or `skipped`. For stopped and errors the log has the message of the provider (a key, a quota, a certificate, an address). With budget-spent and over-budget it is money. With too-late, requests_per_minute is too low. Next: the runbook has a part for each.',
    },
  ];
}
