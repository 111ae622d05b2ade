/** Writes what other weights would have given as the API answers it. Scores are from 0 to 1. */
import type { WhatIfReport } from '../../backtest/backtest.ts';
import { meanOf, shareOf } from '../../statistics/calibrate/estimate.ts';
import type { WhatIf, WhatIfSide } from '../../api/what-if.ts';
import type { BacktestTotals, ChangedConversation, CriterionChange } from '../../model/backtest.ts';
import type { Estimate } from '../../model/estimate.ts';
import { isGood, isInSuccessRate, OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import { ONE } from '../../score/subject/weigh.ts';

type Known = Pick<WhatIf, 'suite' | 'version' | 'scope' | 'yaml' | 'is_diff'>;

export function whatIfAnswer(report: WhatIfReport, { suite, version, scope, yaml, is_diff }: Known): WhatIf {
  const { lookedAt, counted, before, after, criteria, changed, conversations, notAnswered } = report;
  return {
    suite,
    version,
    scope,
    looked_at: lookedAt,
    compared: counted.compared,
    before: sideOf(before),
    after: sideOf(after),
    criteria: criteria.map(criterionOf),
    changed,
    moved: conversations.map(movedOf),
    ...(notAnswered.size > 0 && { not_answered: Object.fromEntries(notAnswered) }),
    yaml,
    is_diff,
  };
}

function sideOf({ tcr, squares, scored, outcomes }: BacktestTotals): WhatIfSide {
  const counted = OUTCOMES_IN_ORDER.filter(isInSuccessRate).reduce((sum, outcome) => sum + outcomes[outcome], 0);
  const good = OUTCOMES_IN_ORDER.filter(isGood).reduce((sum, outcome) => sum + outcomes[outcome], 0);
  const success = shareOf(good, counted);
  const sum = ((tcr ?? 0) / ONE) * scored;
  // The squares are those of the distances from the mean.
  const mean = tcr === undefined ? undefined : meanOf({ n: scored, sum, squares: squares + (sum * sum) / scored });
  return {
    // A single score says nothing about the spread, so its interval is the whole scale.
    ...(tcr !== undefined && { tcr: estimateOf({ ...(mean ?? { lower: 0, upper: 1 }), value: tcr / ONE }, scored) }),
    ...(success !== undefined && { success: estimateOf(success, counted) }),
    outcomes,
  };
}

function estimateOf({ value, lower, upper }: Estimate, n: number) {
  return { value, low: lower, high: upper, n };
}

function criterionOf({ criterion, weightBefore, weightAfter, points }: CriterionChange): WhatIf['criteria'][number] {
  return {
    criterion,
    ...(weightBefore !== undefined && { weight_before: weightBefore }),
    ...(weightAfter !== undefined && { weight_after: weightAfter }),
    ...(points !== undefined && { points: points / ONE }),
  };
}

function movedOf(conversation: ChangedConversation): WhatIf['moved'][number] {
  const { conversationId, turnId, agent, agentVersion, before, after, movedBy } = conversation;
  const scoredAs = ({ score, outcome }: ChangedConversation['before']) => ({
    score: score === undefined ? null : score / ONE,
    outcome,
  });
  return {
    conversation_id: conversationId,
    ...(turnId !== undefined && { turn_id: turnId }),
    agent,
    agent_version: agentVersion,
    before: scoredAs(before),
    after: scoredAs(after),
    moved_by: movedBy.map(({ criterion, points }) => ({
      criterion,
      ...(points !== undefined && { points: points / ONE }),
    })),
  };
}
