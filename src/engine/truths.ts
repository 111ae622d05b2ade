/**
 * Collects the ground truth of a conversation from its spans, from files, and from the API. Later sources override
 * earlier ones, key by key.
 */
import { knowing } from '../assemble/build-conversation.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Json } from '../model/json.ts';
import type { EngineStore } from '../store/engine-store.ts';

/** Truth that was there before the service started. */
export interface WrittenTruth {
  find(conversation: Conversation): readonly Json[];
}

export class Truths {
  readonly #store: EngineStore['truths'];
  readonly #written: WrittenTruth | undefined;

  constructor(store: EngineStore['truths'], written: WrittenTruth | undefined) {
    this.#store = store;
    this.#written = written;
  }

  addTo(conversation: Conversation): Conversation {
    const put = this.#store.find(conversation.id);
    const written = this.#written?.find(conversation) ?? [];
    if (put === undefined && written.length === 0) return conversation;
    return knowing(conversation, put === undefined ? written : [...written, put]);
  }
}
