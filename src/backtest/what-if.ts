/**
 * Computes the scores that other weights of a suite would have given to stored conversations: a backtest that never
 * reads a span. An evaluation that its stored verdicts cannot answer for is counted with the reason, and is in no
 * other figure. The rest is added up as a backtest adds it up, so the figures are the same to the last digit.
 */
import type { BacktestTotals, ChangedConversation, CriterionChange } from '../model/backtest.ts';
import type { WhyNotWeighed } from '../model/what-if.ts';
import type { Judges } from '../score/judge/judges.ts';
import type { CompiledSuite } from '../score/suite.ts';
import type { EvaluationScanner } from '../store/evaluation-scan.ts';
import { named } from './backtest.ts';
import { Comparison, type Group } from './comparison.ts';
import { type Reweighed, StoredWeighing } from './stored-weighing.ts';

interface WhatIfOptions {
  readonly live: CompiledSuite;
  /** The same with other weights. */
  readonly changed: CompiledSuite;
  readonly reader: Pick<EvaluationScanner, 'scanEvaluations' | 'conversationOf'>;
  readonly judge: Judges['settings'];
  readonly since?: number | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  /** The latest so many evaluations. */
  readonly limit: number;
  /** So many of the changed conversations are named. */
  readonly shown: number;
}

export interface WhatIfReport {
  readonly lookedAt: number;
  readonly compared: number;
  readonly before: BacktestTotals;
  readonly after: BacktestTotals;
  readonly criteria: readonly CriterionChange[];
  readonly changed: number;
  readonly conversations: readonly ChangedConversation[];
  /** Evaluations that are in no other figure. */
  readonly notAnswered: ReadonlyMap<WhyNotWeighed, number>;
}

export async function whatIf({ live, changed, reader, judge, shown, ...query }: WhatIfOptions): Promise<WhatIfReport> {
  const comparison = new Comparison({ before: live, after: changed }, { shown });
  const weighing = new StoredWeighing({ changed, live, judge });
  const groups = new Map<Reweighed, Group>();
  const notAnswered = new Map<WhyNotWeighed, number>();
  let lookedAt = 0;
  for await (const page of reader.scanEvaluations({ suiteKey: live.name, ...query })) {
    lookedAt += page.length;
    for (const stored of page) {
      const weighed = weighing.weigh(stored);
      if (typeof weighed === 'string') {
        notAnswered.set(weighed, (notAnswered.get(weighed) ?? 0) + 1);
        continue;
      }
      let group = groups.get(weighed);
      if (group === undefined) {
        group = comparison.groupOf(weighed.before, weighed.after, weighed.whose);
        groups.set(weighed, group);
      }
      comparison.add(group, stored);
    }
  }
  return {
    lookedAt,
    compared: comparison.compared,
    before: comparison.totals('before'),
    after: comparison.totals('after'),
    criteria: comparison.criteria(() => 'weighed again'),
    changed: comparison.changed,
    conversations: await named(comparison, reader),
    notAnswered,
  };
}
