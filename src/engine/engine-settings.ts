/** The sections of the settings that the stages are given. */
import type { TurnLimits } from '../assemble/open-turns.ts';
import type { Settings } from '../config/settings.ts';

/** Turns of agents have about ten spans. The limit of spans matters where they have more. */
const SPANS_OF_TURN = 10;

/** `maxOpenTurns`: for a log that has a limit of its own. */
export function turnLimits({ turn }: Settings, maxOpenTurns: number = turn.maxOpen): TurnLimits {
  return { ...turn, maxOpenTurns, maxOpenSpans: maxOpenTurns * SPANS_OF_TURN };
}

export function engineSettings({ detection, results, ...settings }: Settings) {
  const { turn, conversation, truth, prices } = settings;
  const metrics = { ...settings.metrics, observed: detection.active, reported: results !== undefined };
  return { turn, conversation, truth, prices, metrics, words: settings.store.words };
}
