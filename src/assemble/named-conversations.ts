/**
 * The conversations that open turns name, each by the hash of its id, and the turns that do, in the order in which they began to.
 * Everything may name one and the same, so finding the first that is still open must not depend on how many there are.
 */

/** A conversation that spans of a turn name, by its hash, and the log time of the first that did. */
export interface NamedConversation {
  readonly conversation: number;
  readonly at: number;
}

interface Naming<Turn> {
  readonly turn: Turn;
  readonly at: number;
}

/** Turns of one conversation: those before `head` have closed, and some of those behind it. */
interface Queue<Turn> {
  turns: Naming<Turn>[];
  head: number;
  open: number;
}

/** Sliding a long array forward is cheaper in large steps. */
const SLIDE_FROM = 1024;

export class NamedConversations<Turn> {
  readonly #queues = new Map<number, Queue<Turn>>();
  readonly #isOpen: (turn: Turn) => boolean;

  constructor(isOpen: (turn: Turn) => boolean) {
    this.#isOpen = isOpen;
  }

  /** Times come in order. */
  add(turn: Turn, { conversation, at }: NamedConversation): void {
    const queue = this.#queues.get(conversation);
    if (queue === undefined) this.#queues.set(conversation, { turns: [{ turn, at }], head: 0, open: 1 });
    else {
      queue.turns.push({ turn, at });
      queue.open += 1;
    }
  }

  /** A turn has closed that named these. Returns those of them that open turns name, with the time of the first. */
  leave(named: readonly NamedConversation[]): readonly NamedConversation[] {
    let left: NamedConversation[] | undefined;
    for (const { conversation } of named) {
      const queue = this.#queues.get(conversation);
      if (queue === undefined) continue;
      queue.open -= 1;
      if (queue.open === 0) {
        this.#queues.delete(conversation);
        continue;
      }
      left ??= [];
      left.push({ conversation, at: this.#firstOf(queue) });
    }
    return left ?? NONE;
  }

  #firstOf(queue: Queue<Turn>): number {
    for (let first = queue.turns[queue.head]; first !== undefined; first = queue.turns[queue.head]) {
      if (this.#isOpen(first.turn)) return first.at;
      queue.head += 1;
      if (queue.head > SLIDE_FROM && queue.head * 2 > queue.turns.length) {
        queue.turns = queue.turns.slice(queue.head);
        queue.head = 0;
      }
    }
    throw new Error(`open turns: ${queue.open} name a conversation, and none of them is open`);
  }
}

export const NONE: readonly NamedConversation[] = [];
