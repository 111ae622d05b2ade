/** Example findings of detection, for tests of their reports. */
import type { DetectionReport, LevelReading, Notice, Transition } from '../../src/model/detection.ts';

const WATCHED = { suite: 's', agent: 'a', environment: 'e' } as const;

export function reading(changes: Partial<LevelReading> = {}): LevelReading {
  return {
    ...WATCHED,
    metric: 'tcr',
    criterion: undefined,
    state: 'regressed',
    since: 2_000_000,
    logEvidence: 14,
    logThreshold: 12,
    change: { baseline: 0.9, observed: 0.72, ratio: -0.2, lower: -0.25, upper: -0.15 },
    onset: 1_000_000,
    minimumDetectableRatio: 0.04,
    parts: [
      { part: 'criterion', criterion: 'right', points: -0.2 },
      { part: 'mix', criterion: '', points: 0.02 },
    ],
    counted: { baseline: 0.92, observed: 0.74 },
    ...changes,
  };
}

export function regression(id = 'a'.repeat(32), changes: Partial<LevelReading> = {}): Transition {
  return { kind: 'level', id, at: 2_000_000, from: 'suspected', to: 'regressed', reading: reading(changes) };
}

export function notice(number: number, to: readonly string[], queuedAt = Date.now()): Notice {
  return { transition: regression(String(number).padStart(32, '0')), queuedAt, to };
}

export function detectionReport(): DetectionReport {
  return {
    levels: [
      reading(),
      reading({ metric: 'criterion', criterion: 'right', parts: [] }),
      reading({
        metric: 'segment',
        part: 'tool: book',
        parts: [],
        causes: [{ parts: ['tool: book'], share: 0.8, conversations: 40, expected: 0.9, observed: 0.5 }],
      }),
      reading({ metric: 'hard_failure', state: 'learning', change: undefined, onset: undefined, parts: [] }),
      reading({ metric: 'cost_per_success', logEvidence: Number.NaN, parts: [] }),
    ],
    judges: [],
    versions: [
      {
        ...WATCHED,
        version: 'v2',
        baselineVersion: 'v1',
        verdict: 'worse',
        logEvidenceWorse: 3,
        logEvidenceBetter: -1,
        difference: -0.1,
      },
    ],
    transitions: [],
    recent: [],
    notices: [],
    observed: 10,
    keptOut: { unwatched: 1 },
    time: 2_000_000,
    learning: [],
  };
}
