/** The parts of the settings that the stages want, in their words. */
import type { TurnLimits } from '../assemble/open-turns.ts';
import type { Settings } from '../config/settings.ts';

/** About 300 MB of records at the most; beyond it the turn that would close first is closed. */
const OPEN_TURNS_MAX = 250_000;
const OPEN_SPANS_MAX = 2_500_000;
const DAY_MS = 86_400_000;

export function turnLimits(settings: Settings): TurnLimits {
  const { settleMs, idleMs, maxAgeMs, maxSpans, maxBytes } = settings.turn;
  return { settleMs, idleMs, maxAgeMs, maxSpans, maxBytes, maxOpenTurns: OPEN_TURNS_MAX, maxOpenSpans: OPEN_SPANS_MAX };
}

export function engineSettings(settings: Settings) {
  const { reopenMs, maxSpans, maxBytes } = settings.turn;
  const { idleMs, maxAgeMs, maxTurns, idKeys } = settings.conversation;
  return {
    turn: { reopenMs, maxSpans, maxBytes },
    conversation: { idleMs, maxAgeMs, maxTurns, idKeys },
    metrics: {
      maxLabelSets: settings.metrics.maxLabelValues,
      segmentKeys: settings.metrics.segment,
      maxSegments: settings.metrics.maxSegments,
      observed: settings.detection.active,
      reported: settings.results !== undefined,
    },
    truth: settings.truth,
    store: {
      maxBytes: settings.store.maxBytes,
      keepMs: settings.store.keepDays * DAY_MS,
      keepFailedMs: settings.store.keepFailedDays * DAY_MS,
    },
  };
}
