/**
 * Truths of tasks that came with a recording, as an attribute of spans or beside messages, and that `task-success` cannot
 * read. They are noted while conversations are scored; where the pack does not match, nothing else would tell.
 */
import { readsTaskTruth } from '../engine/suite-outline.ts';
import type { WrittenTruth } from '../engine/truths.ts';
import type { Conversation } from '../model/conversation.ts';
import { taskTruthMistake } from '../score/expected/expected-actions.ts';
import type { CompiledSuite } from '../score/suite.ts';

export interface UnreadableTruth {
  readonly conversation: string;
  readonly problem: string;
  readonly expected: string;
}

const NOTED_MAX = 1000;

export class UnreadableTruths {
  readonly #isRead: boolean;
  readonly #noted = new Map<string, UnreadableTruth>();

  constructor(suites: readonly Pick<CompiledSuite, 'criteria'>[]) {
    this.#isRead = suites.some(readsTaskTruth);
  }

  /** The same truth; conversations that it is asked for are looked at. */
  notedFrom(written: WrittenTruth | undefined): WrittenTruth | undefined {
    if (!this.#isRead) return written;
    return {
      find: (conversation) => {
        this.#note(conversation);
        return written?.find(conversation) ?? [];
      },
    };
  }

  all(): readonly UnreadableTruth[] {
    return [...this.#noted.values()];
  }

  #note({ id, truth }: Conversation): void {
    const mistake = truth === undefined ? undefined : taskTruthMistake(truth);
    if (mistake !== undefined && this.#noted.size < NOTED_MAX) this.#noted.set(id, { conversation: id, ...mistake });
  }
}
