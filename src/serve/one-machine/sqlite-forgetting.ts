/** The steps of forgetting on the store of one machine. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { AboutMatcher } from '../../engine/about.ts';
import type { Store } from '../../store/sqlite/store.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { ForgetAnswer, ForgetStep, StepTaker } from '../forgetting/steps.ts';

/** Read before anything else gets its turn. */
const TRACES_TOGETHER = 50;

export class SqliteForgetting implements StepTaker {
  readonly #store: Store;
  readonly #idKeys: readonly string[];

  constructor(store: Store, idKeys: readonly string[]) {
    this.#store = store;
    this.#idKeys = idKeys;
  }

  async take(step: ForgetStep): Promise<ForgetAnswer> {
    const store = this.#store;
    switch (step.do) {
      case 'find':
        return this.#find(step);
      case 'drop':
        return { dropped: store.forgotten.forget(step) };
      case 'list-wipes':
        return { traces: store.forgotten.toWipe };
      case 'end-wipes':
        store.forgotten.wiped(step.traces);
        return {};
      case 'settle':
        return { isSettled: store.forgotten.settle(), inArchive: store.archive.toForget() };
      default:
        return unreachable(step);
    }
  }

  async #find({ conversation, users }: Extract<ForgetStep, { readonly do: 'find' }>): Promise<ForgetAnswer> {
    const store = this.#store;
    if (conversation !== undefined) {
      const conversations = store.conversations.find(conversation) === undefined ? [] : [conversation];
      return { conversations, said: store.forgotten.saidOf([conversation]) };
    }
    const matcher = new AboutMatcher({ conversation: undefined, users }, this.#idKeys);
    const found = new Set<number>();
    for (const some of store.traces.allContent(TRACES_TOGETHER)) {
      for (const one of some)
        if (!found.has(one.conversation) && matcher.tracesIn(one.content.traces).size > 0) found.add(one.conversation);
      await nextTick();
    }
    // Some may have been deleted meanwhile, or have become part of another.
    const conversations = [...found].flatMap((row) => store.idOfConversation(row) ?? []);
    return { conversations, said: store.forgotten.saidOf(conversations) };
  }
}
