/**
 * Truths of tasks that came with a recording, as an attribute of spans or beside messages, and that `task-success` cannot
 * read, or that show no success. They are noted while conversations are scored; where the pack does not match, nothing
 * else would report them.
 */
import { readsTaskTruth } from '../engine/suite-outline.ts';
import type { WrittenTruth } from '../engine/truths.ts';
import type { Conversation } from '../model/conversation.ts';
import { taskTruthRemark } from '../score/expected/enough-truth.ts';
import { taskTruthMistake } from '../score/expected/expected-actions.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';

interface UnreadableTruth {
  readonly conversation: string;
  readonly problem: string;
  readonly expected: string;
}

interface WeakTruth {
  readonly conversation: string;
  /** Why meeting it shows no success, in a sentence. */
  readonly because: string;
}

/** Truths of tasks that came with a recording, where a suite has the checks of `task-success`. */
export interface FoundTruths {
  /** Truths that it cannot read. */
  readonly unreadableTruths: readonly UnreadableTruth[];
  /** Truths that it reads, and by which no success can be shown. */
  readonly weakTruths: readonly WeakTruth[];
}

const NOTED_MAX = 1000;

export class UnreadableTruths {
  readonly #reader: Pick<CompiledSuite, 'truthKeys'> | undefined;
  readonly #noted = new Map<string, UnreadableTruth>();
  readonly #weak = new Map<string, WeakTruth>();

  constructor(suites: readonly Pick<CompiledSuite, 'criteria' | 'truthKeys'>[]) {
    this.#reader = suites.find(readsTaskTruth);
  }

  /** Wraps a truth: conversations for which it is asked are checked for mistakes. */
  notedFrom(written: WrittenTruth | undefined): WrittenTruth | undefined {
    if (this.#reader === undefined) return written;
    return {
      find: (conversation) => {
        this.#note(conversation);
        return written?.find(conversation) ?? [];
      },
    };
  }

  found(): FoundTruths {
    return { unreadableTruths: [...this.#noted.values()], weakTruths: [...this.#weak.values()] };
  }

  #note({ id, truth }: Conversation): void {
    if (truth === undefined || this.#reader === undefined || this.#noted.size + this.#weak.size >= NOTED_MAX) return;
    const mistake = taskTruthMistake(truth);
    const because = mistake === undefined ? taskTruthRemark(truth, this.#reader) : undefined;
    if (mistake !== undefined) this.#noted.set(id, { conversation: id, ...mistake });
    if (because !== undefined) this.#weak.set(id, { conversation: id, because });
  }
}
