/**
 * The conversations that open turns name, each by the hash of its id, and the turns that do, in the order in which they
 * began to. Everything may name one and the same, so closing a turn must not depend on how many there are: the turns of
 * a conversation are a list with links in both directions.
 *
 *   naming       = at f64   conversation   next naming of the turn   previous, next of the conversation       (words)
 *   conversation = hash of its id   link of the bucket   first, last naming                                   (words)
 */
import { hashOfWords, RecordHash } from './record-hash.ts';
import { Records } from './records.ts';

/** A conversation that spans of a turn name, by its hash, and the log time of the first that did. */
export interface NamedConversation {
  readonly conversation: number;
  readonly at: number;
}

const NAMING_WORDS = 6;
/** In pairs of words. */
const AT = 0;
const CONVERSATION = 2;
const OF_TURN = 3;
const BEFORE = 4;
const AFTER = 5;

const CONVERSATION_WORDS = 4;
const ID_HASH = 0;
const LINK = 1;
const FIRST = 2;
const LAST = 3;

/** More are not followed: only hostile or broken traces name so many. */
const NAMED_MAX = 8;

export class NamedConversations {
  readonly #namings = new Records(NAMING_WORDS);
  readonly #conversations = new Records(CONVERSATION_WORDS);
  readonly #byHash = new RecordHash(this.#conversations, {
    link: LINK,
    hashOf: (conversation) => hashOfWords(this.#conversations.word(conversation, ID_HASH)),
  });

  /**
   * A turn whose first naming is `first`, or 0, names a conversation. Returns its first naming, and 0 if that changes
   * nothing. Times come in order.
   */
  add(first: number, { conversation, at }: NamedConversation): number {
    let last = 0;
    let count = 0;
    for (let naming = first; naming !== 0; naming = this.#namings.word(naming, OF_TURN)) {
      if (this.#idHashOf(naming) === conversation) return 0;
      last = naming;
      count += 1;
    }
    if (count >= NAMED_MAX) return 0;
    const naming = this.#namings.add();
    this.#namings.setDouble(naming, AT, at);
    this.#append(naming, this.#find(conversation) || this.#add(conversation));
    if (last === 0) return naming;
    this.#namings.setWord(last, OF_TURN, naming);
    return first;
  }

  /**
   * The turn whose first naming is this has closed. Returns what it named, and those of them that open turns name, with
   * the time of the first that does.
   */
  leave(first: number): Leaving {
    if (first === 0) return NOTHING;
    const named: NamedConversation[] = [];
    const openBeside: NamedConversation[] = [];
    for (let naming = first; naming !== 0; ) {
      const conversation = this.#idHashOf(naming);
      named.push({ conversation, at: this.#namings.double(naming, AT) });
      const next = this.#namings.word(naming, OF_TURN);
      const firstLeft = this.#remove(naming);
      if (firstLeft !== 0) openBeside.push({ conversation, at: this.#namings.double(firstLeft, AT) });
      naming = next;
    }
    return { named, openBeside };
  }

  #idHashOf(naming: number): number {
    return this.#conversations.word(this.#namings.word(naming, CONVERSATION), ID_HASH);
  }

  #find(idHash: number): number {
    let found = this.#byHash.first(hashOfWords(idHash));
    while (found !== 0 && this.#conversations.word(found, ID_HASH) !== idHash) found = this.#byHash.after(found);
    return found;
  }

  #add(idHash: number): number {
    const conversation = this.#conversations.add();
    this.#conversations.setWord(conversation, ID_HASH, idHash);
    this.#byHash.add(conversation);
    return conversation;
  }

  #append(naming: number, conversation: number): void {
    const last = this.#conversations.word(conversation, LAST);
    this.#namings.setWord(naming, CONVERSATION, conversation);
    this.#namings.setWord(naming, BEFORE, last);
    if (last === 0) this.#conversations.setWord(conversation, FIRST, naming);
    else this.#namings.setWord(last, AFTER, naming);
    this.#conversations.setWord(conversation, LAST, naming);
  }

  /** Returns the first naming of its conversation that is left; 0 if none is. */
  #remove(naming: number): number {
    const conversation = this.#namings.word(naming, CONVERSATION);
    const before = this.#namings.word(naming, BEFORE);
    const after = this.#namings.word(naming, AFTER);
    this.#namings.remove(naming);
    if (before === 0 && after === 0) {
      this.#byHash.remove(conversation);
      this.#conversations.remove(conversation);
      return 0;
    }
    if (before === 0) this.#conversations.setWord(conversation, FIRST, after);
    else this.#namings.setWord(before, AFTER, after);
    if (after === 0) this.#conversations.setWord(conversation, LAST, before);
    else this.#namings.setWord(after, BEFORE, before);
    return this.#conversations.word(conversation, FIRST);
  }
}

interface Leaving {
  readonly named: readonly NamedConversation[];
  readonly openBeside: readonly NamedConversation[];
}

const NOTHING: Leaving = { named: [], openBeside: [] };
