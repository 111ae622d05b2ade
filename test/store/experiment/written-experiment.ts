/** An experiment to write, and runs of its cases. */
import type { ConversationId, SpanId, TurnId } from '../../../src/model/ids.ts';
import type { CaseRun, Experiment } from '../../../src/model/experiment.ts';
import type { Evaluation } from '../../../src/model/evaluation.ts';
import type { RunContent } from '../../../src/store/experiment/read-experiment.ts';

export const EXPERIMENT: Experiment = {
  id: '20261122-013000-a1b2',
  name: 'baseline',
  startedAt: '2026-11-22T01:30:00.000Z',
  endedAt: undefined,
  dataset: { name: 'scheduling', version: '1', file: 'scheduling.cases.yaml', fingerprint: 'f'.repeat(64), cases: 2 },
  agent: { kind: 'module', target: 'agent.ts', version: undefined },
  git: { commit: 'c'.repeat(40), branch: undefined, isDirty: true },
  suites: [
    {
      name: 'scheduling',
      version: '2',
      fingerprint: 'e'.repeat(64),
      scope: 'conversation',
      criteria: [
        { name: 'booked', question: 'Was it booked?', weight: 300_000, isCritical: true, whenNotApplicable: 'exclude' },
      ],
    },
  ],
  repeats: 3,
  seed: 7,
  assayVersion: '0.1.0',
};

export const EVALUATION: Evaluation = {
  conversationId: 'run-1' as ConversationId,
  turnId: undefined,
  suite: 'scheduling',
  suiteVersion: '2',
  scope: 'conversation',
  revision: 1,
  score: 333_333,
  outcome: 'graceful_failure',
  explanation: 'Nobody was invited: é\ud83d.',
  verdicts: new Map([
    ['booked', { verdict: 'fail', reason: 'Nobody was invited.', evidence: ['00f067aa0ba902b7' as SpanId] }],
    [
      '__proto__',
      { verdict: 'pass', reason: 'It is polite.', evidence: [], judgedBy: { judge: 'fast', version: 'v1' } },
    ],
  ]),
  findings: [{ finding: 'lucky_path', reason: 'By luck.', evidence: [] }],
};

export const TURN_EVALUATION: Evaluation = {
  ...EVALUATION,
  turnId: 't1' as TurnId,
  scope: 'turn',
  score: undefined,
  outcome: 'unscored',
  waitsFor: ['booked'],
};

export function runOf(repeat: number, changed: Partial<CaseRun> = {}): Omit<CaseRun, 'spans' | 'logs'> {
  return {
    case: 'free-slot-1',
    caseFingerprint: 'd'.repeat(64),
    tags: ['smoke'],
    repeat,
    conversationId: `run-${repeat}`,
    end: 'completed',
    problem: undefined,
    startedAt: '2026-11-22T01:30:01.000Z',
    durationMs: 12.5,
    evaluations: [EVALUATION],
    effort: { steps: 3, llmCalls: 2, toolCalls: 1, inputTokens: 10, outputTokens: undefined, costUsd: 0.5 },
    ...changed,
  };
}

export function contentOf(repeat: number): RunContent {
  const message = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 7 + repeat) % 256);
  return { traces: [message(20 + repeat), message(9)], logs: repeat % 2 === 0 ? [] : [message(11)] };
}
