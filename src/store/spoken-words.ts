/**
 * Words that were said in conversations, for the search: an index of each store says which conversations have them
 * (SQLite's FTS5, PostgreSQL's tsvector). They come in the transaction of the turn that brings them, and go with their
 * conversation. The index knows which words a conversation has, and not where.
 */
import type { ConversationId } from '../model/ids.ts';

/** More of one conversation are left out. */
export const WORDS_OF_CONVERSATION_MAX = 4000;

/** The engine's port. */
export interface SpokenWordStore {
  /** With a blank between two; a word may be there several times. */
  add(id: ConversationId, words: string): void;
  /** It is over: no more are expected, though they may come. */
  close(id: ConversationId): void;
  /** A conversation turns out to be part of another one. */
  move(from: ConversationId, to: ConversationId): void;
}

/** Additions of the open transaction; its store writes them at the commit. */
export class AddedWords {
  readonly #added = new Map<ConversationId, string>();

  add(id: ConversationId, words: string): void {
    if (words === '') return;
    const known = this.#added.get(id);
    this.#added.set(id, known === undefined ? words : `${known} ${words}`);
  }

  /** Removes and returns those of one conversation. */
  take(id: ConversationId): string {
    const words = this.#added.get(id) ?? '';
    this.#added.delete(id);
    return words;
  }

  /** In one order, so that no two instances wait for each other. */
  all(): readonly { readonly id: ConversationId; readonly words: string }[] {
    return [...this.#added].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, words]) => ({ id, words }));
  }

  clear(): void {
    this.#added.clear();
  }
}
