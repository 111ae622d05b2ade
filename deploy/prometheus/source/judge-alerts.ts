/**
 * The alerts about judges: verdicts that are missing because of the key, the budget or the answers. They are about
 * Assay, not about agents.
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

const JUDGE = '{{ $labels.judge }}';

export function judgeAlerts(settings: RuleSettings): Group {
  const rules = alerts(settings).map(
    (alert) => ({ ...alert, kind: 'alert', area: 'assay', severity: 'ticket', dashboard: 'judges' }) as const,
  );
  return { name: 'assay_alerts_judges', intervalSeconds: settings.interval.fast, rules };
}

function alerts(settings: RuleSettings): readonly Omit<Alert, 'kind' | 'area' | 'severity' | 'dashboard'>[] {
  const calls = (selector: string) =>
    `sum by (job, judge) (increase(assay_judge_calls_total${selector}[${windowOf(settings, 30 * MINUTE)}]))`;
  return [
    {
      alert: 'AssayJudgeStopped',
      for: 5 * MINUTE,
      expr: 'max by (job, judge) (assay_judge_stopped) == 1',
      summary: `The judge ${JUDGE} is stopped: it cannot answer`,
      description:
        'Questions for it wait, up to judging.limit, and are then errors. Assay retries by itself. Next: the log has the reason (a key, a quota, a certificate, an address).',
    },
    {
      alert: 'AssayJudgeErrors',
      for: 10 * MINUTE,
      expr: `${calls('{result!="said"}')} / (${calls('')} > 0) > ${ERRORS_MAX}
and ${calls('')} >= ${CALLS_MIN}`,
      summary: `{{ $value | humanizePercentage }} of the calls of the judge ${JUDGE} fail`,
      description:
        'Failed calls are retried where that can help, and may cost something. Next: assay_judge_calls_total by result shows the kind; the log has the message of the provider.',
    },
    {
      alert: 'AssayJudgeBudgetSpent',
      for: 10 * MINUTE,
      expr: `max by (job, window) (assay_judge_budget_spent_ratio) > ${SPENT}
and on (job) sum by (job) (assay_judge_waiting_questions) > 0`,
      summary:
        '{{ $value | humanizePercentage }} of the budget of the {{ $labels.window }} for judges is spent, and questions wait',
      description:
        'The least important wait longest, and are left out after judging.limit. Next: ask less (sample, fewer votes, fewer criteria), or raise judging.budget.',
    },
    {
      alert: 'AssayJudgeQuestionsLeftOut',
      expr: `sum by (job, judge, end) (increase(assay_judge_questions_total{end=~"over-budget|too-late"}[${windowOf(settings, HOUR)}])) > 0`,
      summary: `{{ $value | humanize }} questions to the judge ${JUDGE} were left out in an hour: {{ $labels.end }}`,
      description:
        'Their verdicts are `skipped`. Next: over-budget is money; too-late means that requests_per_minute, tokens_per_minute or concurrency are too low for the number of questions.',
    },
  ];
}
