/** Conversations of one transaction that are to be evaluated again although no span came, and the ground truth that was put in for them. */
import type { ConversationId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { RevisitStore } from '../engine-store.ts';
import type { WorkingHeads } from './working-heads.ts';

export class WorkingRevisits implements RevisitStore {
  readonly #heads: WorkingHeads;
  #rows: number[] = [];
  readonly #asked = new Map<number, number>();

  constructor(heads: WorkingHeads) {
    this.#heads = heads;
  }

  load(row: number): void {
    this.#rows.push(row);
  }

  clear(): void {
    this.#rows = [];
    this.#asked.clear();
  }

  ask(conversation: number, logTime: number): void {
    this.#asked.set(conversation, Math.min(logTime, this.#asked.get(conversation) ?? logTime));
  }

  /** Log time at which to evaluate again, by row. */
  get asked(): ReadonlyMap<number, number> {
    return this.#asked;
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
