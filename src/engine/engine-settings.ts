/** The sections of the settings that the stages are given. */
import type { TurnLimits } from '../assemble/open-turns.ts';
import type { Settings } from '../config/settings.ts';

/** Turns of agents have about ten spans. The limit of spans matters where they have more. */
const SPANS_OF_TURN = 10;

const OPEN_TURNS_MAX = 1_000_000;

/** `usualMax`: turns open at once unless the settings say it. */
export function turnLimits({ turn }: Settings, usualMax = OPEN_TURNS_MAX): TurnLimits {
  const maxOpenTurns = turn.maxOpen ?? usualMax;
  return { ...turn, maxOpenTurns, maxOpenSpans: maxOpenTurns * SPANS_OF_TURN };
}

export function engineSettings({ detection, results, ...settings }: Settings) {
  const { turn, conversation, truth, prices } = settings;
  const metrics = { ...settings.metrics, observed: detection.active, reported: results !== undefined };
  return { turn, conversation, truth, prices, metrics, words: settings.store.words };
}
