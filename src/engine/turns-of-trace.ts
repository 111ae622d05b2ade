/** The turns of a trace whose bytes are known: spans to steps, steps to turns. Everything that reads stored or recorded bytes goes through here. */
import { buildTurns } from '../assemble/build-turns.ts';
import type { Turn } from '../model/turn.ts';
import type { IdKeys } from '../normalize/id-keys.ts';
import { normalize, type TraceSource } from '../normalize/normalize.ts';

export function turnsOfTrace(source: TraceSource, idKeys?: IdKeys): readonly Turn[] {
  return buildTurns(normalize(source, idKeys));
}
