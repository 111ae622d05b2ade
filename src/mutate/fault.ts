/**
 * A fault: one way in which an agent goes wrong, as a change to a conversation that went well. It says where it applies, and what is done there, in a
 * sentence; which of the places are tried is for `break-conversation.ts`.
 */
import type { Excerpt } from '../model/excerpt.ts';
import type { Chance } from './chance.ts';

export interface Fault {
  /** Letters and underscores. */
  readonly name: string;
  /** Behaviour of an agent with this fault, in a few words. */
  readonly description: string;
  /** In the order of the conversation; none where it does not apply. Pure: chance is given when one is carried out. */
  placesIn(scene: Scene): readonly ((chance: Chance) => Broken | undefined)[];
}

export interface Scene {
  /** The conversation as it went well. */
  readonly excerpt: Excerpt;
  /** Whether a tool changes something. */
  readonly isWrite: (tool: string) => boolean;
  /** Tools that the agent is known to have, from this conversation and others. */
  readonly tools: readonly string[];
}

export interface Broken {
  readonly excerpt: Excerpt;
  /** Description of the edit, in a sentence. It holds text of spans. */
  readonly what: string;
  /** Which check would notice it. */
  readonly advice: string;
}
