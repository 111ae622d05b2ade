/** Writes a backtest as JSON for programs: `assay backtest --json` and the API. Scores are from 0 to 1. */
import type {
  BacktestReport,
  BacktestTotals,
  ChangedConversation,
  RegressionEpisode,
  SideOfChange,
} from '../../model/backtest.ts';

const ONE = 1_000_000;

export function backtestJson(report: BacktestReport) {
  const { suite, version, against, counted, before, after, outcomes, criteria, agents, alerts } = report;
  return {
    suite,
    version,
    against: { suite: against.suite, versions: against.versions, configured: against.configured ?? null },
    counted: {
      compared: counted.compared,
      weighed_again: counted.weighedAgain,
      asked_again: counted.askedAgain,
      spans_not_kept: counted.spansNotKept,
      not_understood: counted.notUnderstood,
      left: counted.left,
      not_over: counted.notOver,
      without_judges: counted.withoutJudges,
    },
    before: totalsJson(before),
    after: totalsJson(after),
    joined: totalsJson(report.joined),
    outcomes,
    criteria: criteria.map(({ criterion, how, weightBefore, weightAfter, points, ...passed }) => ({
      criterion,
      how,
      weight_before: weightBefore ?? null,
      weight_after: weightAfter ?? null,
      ...passed,
      points: points === undefined ? null : points / ONE,
    })),
    agents: agents.map(({ agent, agentVersion, environment, ...sides }) => ({
      agent,
      agent_version: agentVersion,
      environment,
      before: totalsJson(sides.before),
      after: totalsJson(sides.after),
    })),
    changed: report.changed,
    conversations: report.conversations.map(changedJson),
    never_called: report.neverCalled.map(({ tool, didYouMean: meant }) => ({ tool, did_you_mean: meant ?? null })),
    judges: report.judges.map(({ judge, questions, calls, inputTokens, costLeast, costMost }) => ({
      judge,
      questions,
      calls,
      input_tokens: inputTokens,
      cost_least: costLeast,
      cost_most: costMost,
    })),
    alerts:
      alerts === undefined
        ? null
        : {
            before: alerts.before.map(episodeJson),
            after: alerts.after.map(episodeJson),
            without_effort: alerts.withoutEffort,
          },
  };
}

function totalsJson({ evaluations, scored, tcr, outcomes }: BacktestTotals) {
  return { evaluations, scored, tcr: tcr === undefined ? null : tcr / ONE, outcomes };
}

function changedJson({ conversationId, turnId, agent, agentVersion, before, after, movedBy }: ChangedConversation) {
  return {
    conversation_id: conversationId,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    agent,
    agent_version: agentVersion,
    before: sideJson(before),
    after: sideJson(after),
    moved_by: movedBy.map((mover) => ({
      criterion: mover.criterion,
      before: mover.before ?? null,
      after: mover.after ?? null,
      points: mover.points === undefined ? null : mover.points / ONE,
    })),
  };
}

function sideJson({ score, outcome }: SideOfChange) {
  return { score: score === undefined ? null : score / ONE, outcome };
}

function episodeJson({ agent, environment, metric, criterion, part, beganAt, endedAt }: RegressionEpisode) {
  return {
    agent,
    environment,
    metric,
    ...(criterion === undefined ? {} : { criterion }),
    ...(part === undefined ? {} : { segment: part }),
    began_at: new Date(beganAt).toISOString(),
    ended_at: endedAt === undefined ? null : new Date(endedAt).toISOString(),
  };
}
