/** Keys by which the turns of one transaction's conversations refer to one another. */
import type { ConversationKeys, ConversationKeyStore, ConversationStore, StoredConversation } from '../engine-store.ts';
import { KEY_HASH_BYTES, keyHash, RELATED_MAX } from '../key-hash.ts';
import type { LoadedHead } from './loaded.ts';

interface HeldKeys {
  conversation: number;
  readonly has: Uint8Array;
  readonly wants: Uint8Array;
  readonly isNew: boolean;
}

export class WorkingKeys implements ConversationKeyStore {
  readonly #conversations: ConversationStore;
  readonly #held: HeldKeys[] = [];
  /** Conversations by hash, of what is had and of what is wanted. */
  readonly #having = new Map<string, Set<HeldKeys>>();
  readonly #wanting = new Map<string, Set<HeldKeys>>();

  #hasGroups = false;

  constructor(conversations: ConversationStore) {
    this.#conversations = conversations;
  }

  /**
   * Whether any conversation is in a group: one that is in none refers to no other, whatever else happens to be in this set. So the answer
   * for each of them does not depend on which were loaded together.
   */
  get hasAny(): boolean {
    return this.#hasGroups;
  }

  loadGroups(heads: readonly LoadedHead[]): void {
    this.#hasGroups = heads.some(({ isGrouped }) => isGrouped);
  }

  load(keys: Omit<HeldKeys, 'isNew'>): void {
    this.#hold({ ...keys, isNew: false });
  }

  clear(): void {
    this.#held.length = 0;
    this.#having.clear();
    this.#wanting.clear();
  }

  /** Noted in this transaction. */
  added(): readonly HeldKeys[] {
    return this.#held.filter(({ isNew }) => isNew);
  }

  add(conversation: number, { has, wants }: ConversationKeys): void {
    if (has.length + wants.length === 0) return;
    this.#hold({ conversation, has: hashes(has), wants: hashes(wants), isNew: true });
  }

  /** The conversations that have what is wanted or want what is had, oldest first. */
  find({ has, wants }: ConversationKeys): readonly StoredConversation[] {
    if (this.#held.length === 0) return [];
    const found = new Set<number>();
    for (const key of wants) collect(this.#having, key, found);
    for (const key of has) collect(this.#wanting, key, found);
    return [...found].sort((a, b) => a - b).map((row) => this.#conversations.at(row));
  }

  move(from: number, to: number): void {
    for (const keys of this.#held) if (keys.conversation === from) keys.conversation = to;
  }

  #hold(keys: HeldKeys): void {
    this.#held.push(keys);
    index(this.#having, keys.has, keys);
    index(this.#wanting, keys.wants, keys);
  }
}

function collect(from: ReadonlyMap<string, ReadonlySet<HeldKeys>>, key: string, into: Set<number>): void {
  const rows = [...(from.get(keyHash(key).toString('latin1')) ?? [])].map(({ conversation }) => conversation);
  for (const row of rows.sort((a, b) => a - b)) if (into.size < RELATED_MAX) into.add(row);
}

function index(into: Map<string, Set<HeldKeys>>, all: Uint8Array, keys: HeldKeys): void {
  const bytes = Buffer.from(all.buffer, all.byteOffset, all.byteLength);
  for (let at = 0; at + KEY_HASH_BYTES <= bytes.length; at += KEY_HASH_BYTES) {
    const hash = bytes.toString('latin1', at, at + KEY_HASH_BYTES);
    const same = into.get(hash);
    if (same === undefined) into.set(hash, new Set([keys]));
    else same.add(keys);
  }
}

function hashes(keys: readonly string[]): Uint8Array {
  return Buffer.concat(keys.map(keyHash));
}
