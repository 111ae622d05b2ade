/**
 * Predictions of the agents of the last week (`statistics/estimate/prediction.ts`). They are learned each day, from
 * readings of conversations that began long before those of which they will speak (`store/frame-columns.ts`): so a
 * window has readings of its own, which nothing that is foretold of it has seen.
 */
import type { ConversationReader } from '../../store/conversation-reader.ts';
import { LEARNS_BEHIND_MS, placeOfChance } from '../../store/frame-columns.ts';
import type { ConversationStore } from '../../store/engine-store.ts';
import { foretold, learn, type Prediction } from '../../statistics/estimate/prediction.ts';
import { agentsSince } from './agents-since.ts';

export interface AgentPrediction {
  readonly agent: string;
  /** It speaks of conversations that began from then on, and readings of those that began before `taughtBefore` have taught it. */
  readonly since: number;
  readonly taughtBefore: number;
  readonly prediction: Prediction;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export async function learnedPredictions(
  reader: Pick<ConversationReader, 'frame' | 'pages'>,
  now: number,
): Promise<readonly AgentPrediction[]> {
  const learned: AgentPrediction[] = [];
  for (const agent of await agentsSince(reader, now - LEARNS_BEHIND_MS)) {
    const found = await learnedPrediction(reader, agent, now);
    if (found !== undefined) learned.push(found);
  }
  return learned;
}

/** The same all day. Conversations are scored a while after they began, so it speaks of those of the day before as well. */
export async function learnedPrediction(
  { frame }: Pick<ConversationReader, 'frame'>,
  agent: string,
  now: number,
): Promise<AgentPrediction | undefined> {
  const since = (Math.floor(now / DAY_MS) - 1) * DAY_MS;
  const taughtBefore = since - LEARNS_BEHIND_MS;
  const prediction = learn(await frame.lessons({ agent, before: taughtBefore }));
  return prediction === undefined ? undefined : { agent, since, taughtBefore, prediction };
}

/** Gives conversations the places of their chances, as they are written. */
export class Foreteller {
  #byAgent: ReadonlyMap<string, AgentPrediction> | undefined;

  learned(predictions: readonly AgentPrediction[]): void {
    this.#byAgent = new Map(predictions.map((one) => [one.agent, one]));
  }

  readonly foretell: ConversationStore['foretell'] = ({ labels, facts, glance, firstClosedAt, foretold: before }) => {
    // After a restart the earlier word stands until predictions are known.
    if (this.#byAgent === undefined) return before;
    const known = this.#byAgent.get(labels.agent);
    if (known === undefined || facts === undefined || (glance.beganAtMs ?? firstClosedAt) < known.since)
      return undefined;
    const found = foretold(known.prediction, facts);
    return found === undefined ? undefined : placeOfChance(found.chance);
  };
}
