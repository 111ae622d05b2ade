/** Runs of an agent of which nothing is known: a share of them succeeds entirely, and the others fail entirely. */
import type { Evaluation, Verdict } from '../../../model/evaluation.ts';
import type { CaseRun, ExperimentResult, ExperimentSuite } from '../../../model/experiment.ts';
import type { ConversationId } from '../../../model/ids.ts';

export const ASSUMED_SUCCESS = 0.85;

const RUNS = 100;
const EFFORT = {
  steps: 1,
  llmCalls: 1,
  toolCalls: 0,
  inputTokens: undefined,
  outputTokens: undefined,
  costUsd: undefined,
} as const;

export function assumedAgent(suites: readonly ExperimentSuite[]): ExperimentResult {
  const startedAt = new Date(0).toISOString();
  return {
    experiment: {
      id: 'assumed',
      name: 'assumed',
      startedAt,
      endedAt: startedAt,
      dataset: { name: 'assumed', version: '', file: '', fingerprint: '', cases: RUNS },
      agent: { kind: 'recording', target: '', version: undefined },
      git: undefined,
      suites,
      repeats: 1,
      seed: 1,
      assayVersion: '',
    },
    runs: Array.from({ length: RUNS }, (_, index): CaseRun => {
      const succeeds = index < RUNS * ASSUMED_SUCCESS;
      const id = `case-${index}`;
      return {
        case: id,
        caseFingerprint: id,
        tags: [],
        repeat: 1,
        conversationId: id,
        end: 'completed',
        problem: undefined,
        startedAt,
        durationMs: 0,
        evaluations: suites.map((suite) => evaluationOf(suite, id, succeeds)),
        effort: EFFORT,
        spans: undefined,
        logs: undefined,
      };
    }),
  };
}

function evaluationOf({ name, version, scope, criteria }: ExperimentSuite, id: string, succeeds: boolean): Evaluation {
  const reason = 'assumed';
  const verdict: Verdict = { verdict: succeeds ? 'pass' : 'fail', reason, evidence: [] };
  return {
    // The cast holds: nothing but this plan reads it.
    conversationId: id as ConversationId,
    turnId: undefined,
    suite: name,
    suiteVersion: version,
    scope,
    revision: 1,
    score: succeeds ? 1_000_000 : 0,
    outcome: succeeds ? 'successful_completion' : 'partial_failure',
    explanation: reason,
    verdicts: new Map(criteria.map((criterion) => [criterion.name, verdict])),
  };
}
