/** The work and cost of judges: questions, calls, money, and faults. */
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import type { RuleSettings } from '../../prometheus/source/settings.ts';
import { figure, lines, page, quantile, type Question } from './panels.ts';

const RATE = '$__rate_interval';

export function judgesDashboard(settings: RuleSettings) {
  const third = (title: string, description: string, unit = 'none'): Question => ({
    title,
    description,
    unit,
    width: 8,
  });
  const rate = (metric: string, by: string, selector = '') => ({
    expr: `sum by (${by}) (rate(${metric}${selector}[${RATE}]))`,
    legend: by
      .split(', ')
      .map((label) => `{{${label}}}`)
      .join(' '),
  });
  const perMinute = (metric: string, by: string, selector = '') => {
    const { expr, legend } = rate(metric, by, selector);
    return { expr: `60 * ${expr}`, legend };
  };
  return page(settings, { key: 'judges', title: 'Judges', about: 'assay' })
    .withRow(new dashboard.RowBuilder('At a glance'))
    .withPanel(
      figure(
        { title: 'Stopped', description: 'Judges that cannot answer; the log has the reason.' },
        {
          expr: 'sum(max by (judge) (assay_judge_stopped))',
        },
      ),
    )
    .withPanel(
      figure(
        { title: 'Waiting', description: 'Questions whose answer is pending.' },
        {
          expr: 'sum(assay_judge_waiting_questions)',
        },
      ),
    )
    .withPanel(
      figure(
        { title: 'Longest wait', description: 'Age of the oldest pending question.', unit: 's' },
        { expr: 'max(assay_judge_oldest_waiting_seconds)' },
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Answered',
          description: 'Share of the questions of the last day that were answered.',
          unit: 'percentunit',
        },
        {
          expr: 'sum(increase(assay_judge_questions_total{end="answered"}[1d])) / (sum(increase(assay_judge_questions_total[1d])) > 0)',
        },
      ),
    )
    .withPanel(
      figure(
        { title: 'Cost of a day', description: 'By the prices in the configuration, and in their currency.' },
        { expr: 'sum(increase(assay_judge_cost_total[1d]))' },
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Budget spent',
          description: 'Of the hour or the day, whichever is further; what is reserved for calls under way counts.',
          unit: 'percentunit',
        },
        { expr: 'max(assay_judge_budget_spent_ratio)' },
      ),
    )
    .withRow(new dashboard.RowBuilder('Questions'))
    .withPanel(
      lines(third('Ends', 'What questions came to, per minute: answered, a failure, or why nobody was asked.'), [
        perMinute('assay_judge_questions_total', 'judge, end'),
      ]),
    )
    .withPanel(
      lines(third('Waiting by judge', 'Questions that somebody waits for.'), [
        { expr: 'max by (judge) (assay_judge_waiting_questions)', legend: '{{judge}}' },
      ]),
    )
    .withPanel(
      lines(third('Longest wait by judge', 'After judging.limit a question ends without an answer.', 's'), [
        { expr: 'max by (judge) (assay_judge_oldest_waiting_seconds)', legend: '{{judge}}' },
      ]),
    )
    .withPanel(
      lines(third('Answers that were there', 'Questions per minute that nobody had to be asked.'), [
        perMinute('assay_judge_questions_total', 'judge', '{end="reused"}'),
      ]),
    )
    .withPanel(
      lines(
        third(
          'Votes that disagreed',
          'Share of answered questions: how far a single vote can be trusted.',
          'percentunit',
        ),
        [
          {
            expr: `sum by (judge) (rate(assay_judge_doubts_total{sign="votes_disagreed"}[${RATE}])) / (sum by (judge) (rate(assay_judge_questions_total{end="answered"}[${RATE}])) > 0)`,
            legend: '{{judge}}',
          },
        ],
      ),
    )
    .withPanel(
      lines(third('Left out', 'Questions per minute that were not asked, by why.'), [
        perMinute('assay_judge_questions_total', 'judge, end', '{end=~"over-budget|too-late|not-configured"}'),
      ]),
    )
    .withRow(new dashboard.RowBuilder('Calls'))
    .withPanel(
      lines(third('Calls', 'Per minute, those that failed among them.'), [
        perMinute('assay_judge_calls_total', 'judge'),
      ]),
    )
    .withPanel(
      lines(third('Failures', 'Calls per minute that failed, by kind.'), [
        perMinute('assay_judge_calls_total', 'judge, result', '{result!="said"}'),
      ]),
    )
    .withPanel(
      lines(
        third('Latency', 'How long calls take, by judge: the median and the slow ones.', 's'),
        [0.5, 0.95].map((q) => ({
          expr: quantile(q, `sum by (judge, le) (rate(assay_judge_call_seconds_bucket[${RATE}]))`),
          legend: `{{judge}} ${q * 100} %`,
        })),
      ),
    )
    .withPanel(
      lines(third('Tokens', 'Per minute, as the provider counts them.'), [
        perMinute('assay_judge_tokens_total', 'judge, direction'),
      ]),
    )
    .withPanel(
      lines(third('Cost', 'Per hour, in the currency of the prices.'), [
        { expr: `3600 * sum by (judge) (rate(assay_judge_cost_total[${RATE}]))`, legend: '{{judge}}' },
      ]),
    )
    .withPanel(
      lines(third('Budget', 'Spent or reserved; at 1 questions wait.', 'percentunit'), [
        { expr: 'max by (window) (assay_judge_budget_spent_ratio)', legend: '{{window}}' },
      ]),
    )
    .withPanel(
      lines(third('Stopped by judge', '1 while the judge cannot answer.'), [
        { expr: 'max by (judge) (assay_judge_stopped)', legend: '{{judge}}' },
      ]),
    )
    .withPanel(
      lines(third('Store failures', 'Per minute: asking could not use the store, and tried again.'), [
        perMinute('assay_failures_total', 'instance', '{part="judging"}'),
      ]),
    );
}
