/** The quality figures twice: from a real Prometheus, each metric minus its twin `_withdrawn`, and from the store. */
import { withdrawnName } from '../../../src/report/metrics/net-increase.ts';
import type { EvaluationJson } from '../../../src/model/evaluation-json.ts';

import type { PrometheusForTests } from './prometheus-process.ts';

export type Figures = ReadonlyMap<string, number>;

/** The compared figures, by these labels. */
const COUNTED = [
  ['assay_evaluations_total', ['suite', 'outcome']],
  ['assay_evaluation_score_count', ['suite']],
  ['assay_evaluation_score_sum', ['suite']],
  ['assay_evaluation_endings_total', ['suite', 'ending']],
  ['assay_evaluation_decided_share_sum', ['suite']],
  ['assay_conversation_steps_count', ['suite', 'outcome']],
  ['assay_verdicts_total', ['suite', 'criterion', 'verdict']],
] as const;

export async function figuresOfMetrics(prometheus: PrometheusForTests): Promise<Figures> {
  const figures = new Map<string, number>();
  for (const [metric, labels] of COUNTED)
    for (const [name, sign] of [
      [metric, 1],
      [withdrawnName(metric), -1],
    ] as const) {
      const { result } = (await prometheus.ask('query', { query: `sum by (${labels.join(', ')}) (${name})` })) as {
        readonly result: readonly { metric: Record<string, string>; value: readonly [number, string] }[];
      };
      for (const { metric: of, value } of result)
        add(figures, [metric, ...labels.map((label) => of[label] ?? '')], sign * Number(value[1]));
    }
  return rounded(figures);
}

/** The figures over all conversations of the service, from its API. */
export async function figuresOfStore(http: string): Promise<Figures> {
  const figures = new Map<string, number>();
  const { conversations } = (await (await fetch(`${http}/api/conversations?limit=1000`)).json()) as {
    readonly conversations: readonly { readonly conversation_id: string }[];
  };
  for (const { conversation_id: id } of conversations) {
    const { evaluations } = (await (await fetch(`${http}/api/conversations/${encodeURIComponent(id)}`)).json()) as {
      readonly evaluations: readonly EvaluationJson[];
    };
    for (const evaluation of evaluations) count(figures, evaluation);
  }
  return rounded(figures);
}

function count(figures: Map<string, number>, evaluation: EvaluationJson): void {
  const { suite, outcome, score, ending, decided_share: decided, verdicts } = evaluation;
  add(figures, ['assay_evaluations_total', suite, outcome], 1);
  add(figures, ['assay_conversation_steps_count', suite, outcome], 1);
  if (ending !== undefined) add(figures, ['assay_evaluation_endings_total', suite, ending], 1);
  if (decided !== undefined) add(figures, ['assay_evaluation_decided_share_sum', suite], decided);
  for (const [criterion, { verdict }] of Object.entries(verdicts))
    add(figures, ['assay_verdicts_total', suite, criterion, verdict], 1);
  if (score === null) return;
  add(figures, ['assay_evaluation_score_count', suite], 1);
  add(figures, ['assay_evaluation_score_sum', suite], score);
}

function add(figures: Map<string, number>, names: readonly string[], amount: number): void {
  const key = names.join(' ');
  figures.set(key, (figures.get(key) ?? 0) + amount);
}

/** Without zeros, which only one side lists; to a thousandth, because floating sums differ in the last digits. */
function rounded(figures: Figures): Figures {
  return new Map(
    [...figures]
      .map(([key, value]) => [key, Math.round(value * 1000) / 1000] as const)
      .filter(([, value]) => value !== 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
