/** All that is said in a conversation, in lower case: what is made up for it must not happen to be in it. */
import type { Excerpt } from '../model/excerpt.ts';

export function knownTexts(excerpt: Excerpt): string {
  return JSON.stringify([excerpt.turns, excerpt.state]).toLowerCase();
}
