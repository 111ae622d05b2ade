/** All texts of a conversation, in lower case: made-up values must not occur in them. */
import type { Excerpt } from '../model/excerpt.ts';

export function knownTexts(excerpt: Excerpt): string {
  return JSON.stringify([excerpt.turns, excerpt.state]).toLowerCase();
}
