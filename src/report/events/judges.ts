/**
 * Judges: calls, questions, cost. These metrics start at zero with the process; the budget is kept by the store.
 */
import {
  type AnswerReused,
  CALL_RESULTS,
  type EvidenceShown,
  type JudgeEvent,
  QUESTION_ENDS,
} from '../../model/events/judge-events.ts';
import type { SpendingLimits } from '../../model/questions.ts';
import { counter, gauge, GIVEN, histogram } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import type { FailuresCounted } from './damage.ts';
import { error, type EventTable, info, warn } from './event-table.ts';

export const JUDGE_METRICS = {
  calls: counter('assay_judge_calls_total', 'calls', {
    labels: { judge: GIVEN, result: CALL_RESULTS },
    help: 'Calls of models, by their result: said, or a kind of failure.',
    queries: {
      'share of calls that fail, by kind': `sum by (judge, result) (rate(assay_judge_calls_total{result!="said"}[1h]))
  / on (judge) group_left sum by (judge) (rate(assay_judge_calls_total[1h]))`,
    },
  }),
  latency: histogram('assay_judge_call_seconds', 'seconds', {
    labels: { judge: GIVEN },
    help: 'Duration of calls, including failed ones.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
  }),
  tokens: counter('assay_judge_tokens_total', 'tokens', {
    labels: { judge: GIVEN, direction: ['input', 'output'] },
    help: 'Tokens as the provider counts them, by direction: input or output.',
  }),
  cost: counter('assay_judge_cost_total', 'in the currency of the prices', {
    labels: { judge: GIVEN },
    help: 'Cost of calls by judges.*.prices. If the provider did not report its usage, the highest possible cost.',
    queries: {
      'cost of the last day, by judge': 'sum by (judge) (increase(assay_judge_cost_total[1d]))',
    },
  }),
  questions: counter('assay_judge_questions_total', 'questions', {
    labels: { judge: GIVEN, end: [...QUESTION_ENDS, 'reused'] },
    help: 'Completed questions: answered, a kind of failure, the reason for leaving them out (over-budget, too-late, not-configured), or reused, where the same question was answered before or is pending.',
    queries: {
      'share of questions that end without an answer': `1 - sum(increase(assay_judge_questions_total{end=~"answered|reused"}[1d]))
  / sum(increase(assay_judge_questions_total[1d]))`,
      'share of questions that cost nothing': `sum by (judge) (increase(assay_judge_questions_total{end="reused"}[1d]))
  / sum by (judge) (increase(assay_judge_questions_total[1d]))`,
    },
  }),
  doubts: counter('assay_judge_doubts_total', 'answers', {
    labels: { judge: GIVEN, sign: ['evidence_cut', 'quotes_invented', 'votes_disagreed'] },
    help: 'Answers that deserve a doubt, by its sign: a part of the evidence did not fit (judges.*.evidence_tokens), none of the quotes is in the evidence, the votes disagreed. With judges.*.strict the first two do not count.',
    queries: {
      'doubts for each answer': `sum by (judge, sign) (increase(assay_judge_doubts_total[1d]))
  / on (judge) group_left sum by (judge) (increase(assay_judge_questions_total{end=~"answered|reused"}[1d]))`,
    },
  }),
  probed: counter('assay_judge_probed_total', 'questions', {
    labels: { judge: GIVEN, agreed: ['yes', 'no'] },
    help: 'Answered questions that were asked once more, by whether the judge gave the same answer on every criterion: its agreement with itself.',
    queries: {
      'how often a judge agrees with itself': `sum by (judge) (increase(assay_judge_probed_total{agreed="yes"}[7d]))
  / sum by (judge) (increase(assay_judge_probed_total[7d]))`,
    },
  }),
  waiting: gauge('assay_judge_waiting_questions', 'questions', {
    labels: { judge: GIVEN },
    help: 'Pending questions.',
  }),
  oldest: gauge('assay_judge_oldest_waiting_seconds', 'seconds', {
    labels: { judge: GIVEN },
    help: 'Age of the oldest pending question; at most judging.limit.',
  }),
  stopped: gauge('assay_judge_stopped', '0 or 1', {
    labels: { judge: GIVEN },
    help: '1 while the judge is not asked because it cannot answer: a key, a quota, a certificate, or it is away. The log says which.',
  }),
  spent: gauge('assay_judge_budget_spent_ratio', 'from 0 to 1', {
    labels: ['window'],
    help: 'Share of judging.budget that is spent or reserved, by window: hour or day. A budget of 0 counts as spent. Absent without a limit.',
  }),
} satisfies MetricTable<unknown>;

type JudgeCounted = Counted<typeof JUDGE_METRICS>;

const NANO = 1e-9;

export const JUDGE_EVENTS = {
  'judge-called': {
    log: ({ judge, result, reason }) =>
      result === 'said'
        ? undefined
        : warn(
            'judges: call failed, retrying its question or ending it without an answer',
            { judge, failure: result, reason },
            `judge ${judge} ${result}`,
          ),
    count: ({ judge, result, tookMs, inputTokens, outputTokens, nanos }, { calls, latency, tokens, cost }) => {
      calls.inc({ judge, result });
      latency.observe({ judge }, tookMs / 1000);
      tokens.inc({ judge, direction: 'input' }, inputTokens);
      tokens.inc({ judge, direction: 'output' }, outputTokens);
      cost.inc({ judge }, nanos * NANO);
    },
  },
  'question-ended': {
    count: ({ judge, end, disagreed }, metrics) => {
      metrics.questions.inc({ judge, end });
      if (disagreed) metrics.doubts.inc({ judge, sign: 'votes_disagreed' });
    },
  },
  'answer-reused': { count: ({ judge }, { questions }) => questions.inc({ judge, end: 'reused' }) },
  'evidence-shown': {
    count: ({ judge, isCut, unsupported }, { doubts }) => {
      if (isCut) doubts.inc({ judge, sign: 'evidence_cut' });
      doubts.inc({ judge, sign: 'quotes_invented' }, unsupported);
    },
  },
  'judge-stopped': {
    log: ({ judge, failure, reason, tryAgainMs }) =>
      error(
        'judges: judge cannot answer, pausing it and retrying later',
        { judge, failure, reason, try_again_ms: Math.round(tryAgainMs) },
        `judge stopped ${judge} ${failure}`,
      ),
    count: ({ judge }, { stopped }) => stopped.set({ judge }, 1),
  },
  'judge-resumed': {
    log: ({ judge }) => info('judges: judge answers again, asking its pending questions', { judge }),
    count: ({ judge }, { stopped }) => stopped.set({ judge }, 0),
  },
  'judge-probed': { count: ({ judge, agreed }, { probed }) => probed.inc({ judge, agreed: agreed ? 'yes' : 'no' }) },
  'budget-exhausted': {
    log: ({ window }) => warn('judges: budget is spent, questions stay pending', { window }, `judge budget ${window}`),
  },
  'judging-observed': {
    count: ({ judges, spent }, { stopped, waiting, oldest, ...shown }) => {
      for (const { judge, questions, oldestMs, isStopped } of judges) {
        stopped.set({ judge }, isStopped ? 1 : 0);
        waiting.set({ judge }, questions);
        oldest.set({ judge }, questions === 0 ? 0 : oldestMs / 1000);
      }
      showSpent(spent, shown);
    },
  },
  'judging-failed': {
    log: ({ problem }) => error('judges: cannot use the store, retrying', { problem }, 'judging failed'),
    count: (_event, { failures }) => failures.inc({ part: 'judging' }),
  },
} satisfies EventTable<
  JudgeEvent | AnswerReused | EvidenceShown,
  JudgeCounted & FailuresCounted & { readonly budget: SpendingLimits }
>;

/** Only of windows that are limited. */
export function showSpent(
  now: { readonly hourNanos: number; readonly dayNanos: number },
  { spent, budget }: Pick<JudgeCounted, 'spent'> & { readonly budget: SpendingLimits },
): void {
  const show = (window: 'hour' | 'day', nanos: number, limit: number) => {
    if (Number.isFinite(limit)) spent.set({ window }, limit === 0 ? 1 : nanos / limit);
  };
  show('hour', now.hourNanos, budget.hourNanos);
  show('day', now.dayNanos, budget.dayNanos);
}
