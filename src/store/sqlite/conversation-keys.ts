/**
 * Keys by which turns that name no conversation refer to one another: ids of responses and tool calls that a turn has,
 * and ids that it needs. Either may come first, so both are kept, as hashes.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { HISTORY_KEY } from '../../model/conversation-id.ts';
import type { ConversationKeys, ConversationKeyStore, ConversationStore, StoredConversation } from '../engine-store.ts';
import { keyHash, RELATED_MAX } from '../key-hash.ts';

export class ConversationKeyRows implements ConversationKeyStore {
  readonly #conversations: ConversationStore;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #move: StatementSync;
  /** Whether a turn that names its conversation has to look for others. Where all name theirs there are no keys. */
  hasAny: boolean;
  #isEmpty: boolean;

  constructor(database: DatabaseSync, conversations: ConversationStore) {
    this.#conversations = conversations;
    this.#find = database.prepare('SELECT conversation FROM conversation_keys WHERE key = ? AND wanted = ?');
    this.#insert = database.prepare(
      'INSERT OR IGNORE INTO conversation_keys (key, wanted, conversation) VALUES (?, ?, ?)',
    );
    this.#move = database.prepare('UPDATE OR REPLACE conversation_keys SET conversation = ? WHERE conversation = ?');
    this.#isEmpty = database.prepare('SELECT 1 FROM conversation_keys LIMIT 1').get() === undefined;
    this.hasAny = !this.#isEmpty;
  }

  /** The conversations that have what is wanted or want what is had, oldest first. */
  find({ has, wants }: ConversationKeys): readonly StoredConversation[] {
    const found = new Set<number>();
    if (this.#isEmpty) return [];
    for (const key of wants) this.#collect(key, 0, found);
    for (const key of has) this.#collect(key, 1, found);
    return [...found].sort((a, b) => a - b).map((row) => this.#conversations.at(row));
  }

  add(conversation: number, { has, wants }: ConversationKeys): void {
    if (has.length + wants.length > 0) this.#isEmpty = false;
    this.hasAny ||= [...has, ...wants].some((key) => !key.startsWith(HISTORY_KEY));
    for (const key of has) this.#insert.run(keyHash(key), 0, conversation);
    for (const key of wants) this.#insert.run(keyHash(key), 1, conversation);
  }

  move(from: number, to: number): void {
    this.#move.run(to, from);
  }

  #collect(key: string, wanted: 0 | 1, into: Set<number>): void {
    for (const row of this.#find.all(keyHash(key), wanted)) {
      if (into.size < RELATED_MAX) into.add(Number(row.conversation));
    }
  }
}
