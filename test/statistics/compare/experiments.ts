/** Experiments as they would be read from their folders, from a line a run. */
import { verdictFrom } from '../../../src/model/verdict-parts.ts';
import type { Evaluation, Outcome, VerdictKind } from '../../../src/model/evaluation.ts';
import type { CaseRun, Experiment, ExperimentResult, RunEffort, RunEnd } from '../../../src/model/experiment.ts';
import type { ConversationId, TurnId } from '../../../src/model/ids.ts';

export interface RunLine {
  readonly case: string;
  readonly repeat?: number;
  readonly fingerprint?: string;
  readonly end?: RunEnd;
  readonly effort?: Partial<RunEffort>;
  /** One for each turn where there are several; none where the suite said nothing. */
  readonly evaluations: readonly EvaluationLine[];
}

export interface EvaluationLine {
  readonly score?: number;
  readonly outcome?: Outcome;
  readonly verdicts?: Readonly<Record<string, VerdictKind>>;
  readonly waitsFor?: readonly string[];
}

export const SUITE = 'scheduling';

export function experimentOf(
  name: string,
  lines: readonly RunLine[],
  changed: Partial<Experiment> = {},
): ExperimentResult {
  return {
    experiment: {
      id: `2026-11-20-${name}`,
      name,
      startedAt: '2026-11-20T10:00:00.000Z',
      endedAt: '2026-11-20T10:05:00.000Z',
      dataset: {
        name: 'scheduling',
        version: '1',
        file: 'scheduling.cases.yaml',
        fingerprint: 'd'.repeat(64),
        cases: new Set(lines.map((line) => line.case)).size,
      },
      agent: { kind: 'command', target: 'node agent.ts', version: undefined },
      git: undefined,
      suites: [
        {
          name: SUITE,
          version: '1',
          fingerprint: 'f'.repeat(64),
          scope: 'conversation',
          criteria: ['booked', 'polite'].map((criterion) => ({
            name: criterion,
            question: `Was it ${criterion}?`,
            weight: criterion === 'booked' ? 750_000 : 250_000,
            isCritical: false,
            whenNotApplicable: 'exclude',
          })),
        },
      ],
      repeats: Math.max(...lines.map((line) => line.repeat ?? 1), 1),
      seed: 1,
      assayVersion: '0.1.0',
      ...changed,
    },
    runs: lines.map(runOf),
  };
}

/** One run a case, `passes` of which succeed; all their criteria go with them. */
export function passing(passes: readonly (0 | 1)[]): RunLine[] {
  return passes.map((pass, index) => ({ case: `case-${index}`, evaluations: [pass === 1 ? SUCCESS : FAILURE] }));
}

export const SUCCESS: EvaluationLine = {
  score: 1,
  outcome: 'successful_completion',
  verdicts: { booked: 'pass', polite: 'pass' },
};
export const FAILURE: EvaluationLine = {
  score: 0.25,
  outcome: 'partial_failure',
  verdicts: { booked: 'fail', polite: 'pass' },
};

function runOf(line: RunLine): CaseRun {
  const repeat = line.repeat ?? 1;
  const conversationId = `run-${line.case}-${repeat}`;
  return {
    case: line.case,
    caseFingerprint: line.fingerprint ?? 'c'.repeat(64),
    tags: [],
    repeat,
    conversationId,
    end: line.end ?? 'completed',
    problem: undefined,
    startedAt: '2026-11-20T10:00:00.000Z',
    durationMs: 1000,
    evaluations: line.evaluations.map((evaluation, turn) =>
      evaluationOf(evaluation, conversationId, line.evaluations.length > 1 ? `turn-${turn}` : undefined),
    ),
    effort: {
      steps: 4,
      llmCalls: 2,
      toolCalls: 1,
      inputTokens: undefined,
      outputTokens: undefined,
      costUsd: undefined,
      ...line.effort,
    },
    spans: undefined,
    logs: undefined,
  };
}

function evaluationOf(line: EvaluationLine, conversationId: string, turnId: string | undefined): Evaluation {
  return {
    // The casts hold: ids are texts with a brand.
    conversationId: conversationId as ConversationId,
    turnId: turnId as TurnId | undefined,
    suite: SUITE,
    suiteVersion: '1',
    scope: turnId === undefined ? 'conversation' : 'turn',
    revision: 1,
    score: line.score === undefined ? undefined : Math.round(line.score * 1_000_000),
    outcome: line.outcome ?? 'unscored',
    explanation: 'As the test says.',
    verdicts: new Map(
      Object.entries(line.verdicts ?? {}).map(([criterion, verdict]) => [
        criterion,
        verdictFrom(verdict, { reason: 'As the test says.', evidence: [] }),
      ]),
    ),
    ...(line.waitsFor === undefined ? {} : { waitsFor: line.waitsFor }),
  };
}
