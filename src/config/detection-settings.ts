/** Regression detection: whether, and by what. Detection's own defaults apply to everything that is not given. */
import { DEFAULT_DETECTION } from '../statistics/detect/settings.ts';
import { formatDuration } from './quantities.ts';
import { section, type SettingsOf } from './section.ts';
import { amount, duration, setting, yesOrNo } from './setting.ts';
import { z } from 'zod';

const { watch, falseAlarmsPerMonth } = DEFAULT_DETECTION;
const HOLIDAYS_MAX = 1000;
const DATES = `a list of at most ${HOLIDAYS_MAX} dates such as 2026-12-25`;
const dates = z.array(z.iso.date(DATES), DATES).max(HOLIDAYS_MAX, DATES);

const LEARN_MS = watch.learn.historyMs;

/**
 * The baseline must not forget what has to be learnt, so its memory is twice the history where that is longer. Evaluations become baseline when
 * they are half as old at most: a short history would never be reached otherwise.
 */
export function learningFrom(learnHistoryMs: number) {
  const { memoryMs, gapMs } = watch.baseline;
  return {
    learnHistoryMs,
    baselineMemoryMs: Math.max(memoryMs, 2 * learnHistoryMs),
    baselineGapMs: Math.min(gapMs, Math.ceil(learnHistoryMs / 2)),
  };
}

export const DETECTION = section('reload', 'Has the agent got worse? (detection.md)', {
  active: yesOrNo({ key: 'detection.active', variable: 'ASSAY_DETECTION', default: true }, 'Looks for regressions.'),
  falseAlarmsPerMonth: amount(
    { key: 'detection.false_alarms_per_month', default: falseAlarmsPerMonth, min: 0.001, max: 100 },
    'False alarms to expect in 30 days, of all agents and figures together.',
  ),
  learnHistoryMs: duration(
    { key: 'detection.learn_history', default: formatDuration(LEARN_MS), min: '1ms', max: '365d', rare: true },
    'History before detection reports anything; age and memory of the baseline follow it (detection.md).',
  ),
  holidays: setting(
    { key: 'detection.holidays', default: [], example: ['2026-12-25'], rare: true },
    'Dates (UTC) that teach nothing and may be 10 % worse.',
    dates,
  ),
}).build(({ learnHistoryMs, ...choices }) => ({
  ...choices,
  ...learningFrom(learnHistoryMs),
  // Fewer conversations say too little about a level (decision 14).
  learnConversations: watch.learn.conversations,
  // As long as the usual baseline needs to take in what is good again.
  recoveredMs: watch.recoveredMs,
}));
export type DetectionChoices = SettingsOf<typeof DETECTION>;
