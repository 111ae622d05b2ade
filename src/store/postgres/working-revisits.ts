/** Conversations of one transaction that are to be evaluated again although no span came, and the ground truth that was put in for them. */
import type { ConversationId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { WorkingHeads } from './working-heads.ts';

export class WorkingRevisits {
  readonly #heads: WorkingHeads;
  #rows: number[] = [];

  constructor(heads: WorkingHeads) {
    this.#heads = heads;
  }

  load(row: number): void {
    this.#rows.push(row);
  }

  clear(): void {
    this.#rows = [];
  }

  /** Requests that the engine can see by now, in the order of the rows, which is the same everywhere. */
  take(): readonly number[] {
    const rows = this.#rows.filter((row) => this.#heads.isThere(row));
    this.#rows = [];
    return rows.sort((a, b) => a - b);
  }
}

export class WorkingTruths {
  readonly #truths = new Map<ConversationId, Json>();

  load(conversation: ConversationId, truth: Json): void {
    this.#truths.set(conversation, truth);
  }

  clear(): void {
    this.#truths.clear();
  }

  find(conversation: ConversationId): Json | undefined {
    return this.#truths.get(conversation);
  }
}
