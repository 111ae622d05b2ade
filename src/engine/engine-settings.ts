/** The sections of the settings that the stages are given. */
import type { TurnLimits } from '../assemble/open-turns.ts';
import type { Settings } from '../config/settings.ts';

/** About 400 MB at the most; beyond it the turn that would close first is closed. */
const OPEN_TURNS_MAX = 250_000;
const OPEN_SPANS_MAX = 2_500_000;

export function turnLimits({ turn }: Settings): TurnLimits {
  return { ...turn, maxOpenTurns: OPEN_TURNS_MAX, maxOpenSpans: OPEN_SPANS_MAX };
}

export function engineSettings({ detection, results, ...settings }: Settings) {
  const { turn, conversation, truth } = settings;
  const metrics = { ...settings.metrics, observed: detection.active, reported: results !== undefined };
  return { turn, conversation, truth, metrics, words: settings.store.words };
}
