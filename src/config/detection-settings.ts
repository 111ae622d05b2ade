/** Regression detection: whether, and by what. */
import { z } from 'zod';
import { durationMs } from './quantities.ts';
import type { Sources } from './sources.ts';
import { yesOrNo } from './yes-or-no.ts';

export interface DetectionChoices {
  readonly active: boolean;
  /** Undefined: as detection comes. */
  readonly falseAlarmsPerMonth: number | undefined;
  readonly learnConversations: number | undefined;
  readonly learnHistoryMs: number | undefined;
  readonly baselineMemoryMs: number | undefined;
  readonly baselineGapMs: number | undefined;
  readonly recoveredMs: number | undefined;
  readonly silentMs: number | undefined;
}

const YEAR_MS = 365 * 86_400_000;

export function readDetection(sources: Sources): DetectionChoices {
  const duration = (key: string) =>
    sources.read<number | undefined>({ key }, durationMs({ min: 1, max: YEAR_MS }), undefined).value;
  return {
    active: sources.read({ key: 'detection.active', variable: 'ASSAY_DETECTION' }, yesOrNo, true).value,
    falseAlarmsPerMonth: sources.read<number | undefined>(
      { key: 'detection.false_alarms_per_month' },
      z.number('a number').min(0.001, rateExpected).max(100, rateExpected),
      undefined,
    ).value,
    learnConversations: sources.read<number | undefined>(
      { key: 'detection.learn_conversations' },
      z.number(countExpected).int(countExpected).min(1, countExpected).max(1_000_000, countExpected),
      undefined,
    ).value,
    learnHistoryMs: duration('detection.learn_history'),
    baselineMemoryMs: duration('detection.baseline_memory'),
    baselineGapMs: duration('detection.baseline_gap'),
    recoveredMs: duration('detection.recovered'),
    silentMs: duration('detection.silent'),
  };
}

const rateExpected = 'a number from 0.001 to 100';
const countExpected = 'a whole number from 1 to 1000000';
/** A variable is a text. */
