/** The sections of the settings that the stages are given. */
import type { TurnLimits } from '../assemble/open-turns.ts';
import type { Settings } from '../config/settings.ts';

/** Turns of agents have about ten spans. The limit of spans matters where they have more. */
const SPANS_OF_TURN = 10;

/** Half a kilobyte each: no machine that is fast enough to have so many lacks the memory. */
const OPEN_TURNS_MAX = 1_000_000;

/** Turns beyond `maxOpenTurns` make those close that would close first. */
export function turnLimits({ turn }: Settings, maxOpenTurns = OPEN_TURNS_MAX): TurnLimits {
  return { ...turn, maxOpenTurns, maxOpenSpans: maxOpenTurns * SPANS_OF_TURN };
}

export function engineSettings({ detection, results, archive, ...settings }: Settings) {
  const { turn, conversation, truth, prices } = settings;
  const metrics = {
    ...settings.metrics,
    observed: detection.active,
    reported: results !== undefined,
    archived: archive !== undefined,
  };
  return { turn, conversation, truth, prices, metrics, words: true };
}
