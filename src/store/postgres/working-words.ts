/** Words that the open transaction adds (spoken-words.ts). Rows are keyed by the conversation's id, which outlives it. */
import type { ConversationId } from '../../model/ids.ts';
import { AddedWords, type SpokenWordStore, WORDS_OF_CONVERSATION_MAX } from '../spoken-words.ts';
import { textKey } from './row-keys.ts';
import type { Session } from './session.ts';

export class WorkingWords implements SpokenWordStore {
  readonly #added = new AddedWords();
  #moved: { readonly from: ConversationId; readonly to: ConversationId }[] = [];

  add(id: ConversationId, words: string): void {
    this.#added.add(id, words);
  }

  /** The words of a conversation are one row from the start. */
  close(): void {}

  move(from: ConversationId, to: ConversationId): void {
    this.#added.add(to, this.#added.take(from));
    this.#moved.push({ from, to });
  }

  clear(): void {
    this.#added.clear();
    this.#moved = [];
  }

  async write(session: Session): Promise<void> {
    for (const { from, to } of this.#moved) await session.run(MOVE_WORDS, [textKey(from), textKey(to)]);
    await writeWords(session, this.#added.all());
  }
}

export async function writeWords(
  session: Session,
  added: readonly { readonly id: string; readonly words: string }[],
): Promise<void> {
  if (added.length === 0) return;
  // A word has letters and digits only.
  await session.run(ADD_WORDS, [
    added.map(({ id }) => textKey(id)),
    added.map(({ words }) => words.split(' ', WORDS_OF_CONVERSATION_MAX).join(' ')),
  ]);
}

const JOINED = `DO UPDATE SET words = spoken.words || excluded.words
    WHERE length(spoken.words) < ${WORDS_OF_CONVERSATION_MAX} AND spoken.words || excluded.words <> spoken.words`;
const ADD_WORDS = {
  name: 'add-words',
  sql: `INSERT INTO spoken (key, words)
    SELECT key, array_to_tsvector(string_to_array(words, ' ')) FROM unnest($1::uuid[], $2::text[]) AS added (key, words)
    ON CONFLICT (key) ${JOINED}`,
};
const MOVE_WORDS = {
  name: 'move-words',
  sql: `WITH moved AS (DELETE FROM spoken WHERE key = $1::uuid RETURNING words)
    INSERT INTO spoken (key, words) SELECT $2::uuid, words FROM moved ON CONFLICT (key) ${JOINED}`,
};
