/** Start data for the owner of detection: the product's settings, except those that a person chose. */
import { DAY_MS, DEFAULT_DETECTION, type DetectionSettings } from '../../statistics/detect/settings.ts';
import type { DetectionChoices } from '../../config/detection-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { DetectionStart } from './detection-owner.ts';

const ROUND_EVERY_MS = 5000;
/** Limit of the gap, and so of the baseline's age. */
const BUCKETS_PER_GAP = 6;

/** Undefined where regressions are not looked for. */
export function detectionStart({ detection, alerts }: Settings): DetectionStart | undefined {
  if (!detection.active) return undefined;
  const settings = detectionSettings(detection);
  return {
    settings,
    subscribers: alerts.webhooks.map(({ key, on }) => ({ key, on })),
    // Users who want to know sooner have set a shorter history.
    everyMs: Math.min(ROUND_EVERY_MS, Math.max(200, settings.watch.baseline.gapMs / BUCKETS_PER_GAP)),
  };
}

/** The product's settings, except those that a person chose. */
export function detectionSettings(choices: DetectionChoices): DetectionSettings {
  const { watch } = DEFAULT_DETECTION;
  return {
    ...DEFAULT_DETECTION,
    falseAlarmsPerMonth: choices.falseAlarmsPerMonth,
    watch: {
      ...watch,
      baseline: {
        ...watch.baseline,
        memoryMs: choices.baselineMemoryMs,
        gapMs: choices.baselineGapMs,
        bucketMs: Math.min(watch.baseline.bucketMs, Math.max(1, choices.baselineGapMs / BUCKETS_PER_GAP)),
      },
      learn: {
        conversations: choices.learnConversations,
        historyMs: choices.learnHistoryMs,
      },
      recoveredMs: choices.recoveredMs,
      holidays: new Set(choices.holidays.map((day) => Date.parse(day) / DAY_MS)),
    },
  };
}
