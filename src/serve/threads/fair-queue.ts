/**
 * A bounded queue in which no sender can take all places. Senders take turns. When all places are taken, a sender with
 * fewer of them displaces the newest item of the sender with most.
 */
type Added<T> = { readonly added: true; readonly displaced: T | undefined } | { readonly added: false };

export class FairQueue<T> {
  readonly #max: number;
  /** Waiting items by sender, the one whose turn it is first. No list is empty. */
  readonly #waiting = new Map<string, T[]>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  waitingOf(sender: string): number {
    return this.#waiting.get(sender)?.length ?? 0;
  }

  add(sender: string, item: T): Added<T> {
    const own = this.#waiting.get(sender) ?? [];
    const displaced = this.#size < this.#max ? undefined : this.#displacedBy(own.length);
    if (this.#size >= this.#max && displaced === undefined) return { added: false };
    own.push(item);
    this.#waiting.set(sender, own);
    if (displaced === undefined) this.#size += 1;
    return { added: true, displaced };
  }

  take(): T | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [sender, items] = first;
    const item = items.shift();
    // Behind the others.
    this.#waiting.delete(sender);
    if (items.length > 0) this.#waiting.set(sender, items);
    this.#size -= 1;
    return item;
  }

  /** Removes an item that is not wanted any more; false if it is not there. */
  remove(item: T): boolean {
    for (const [sender, items] of this.#waiting) {
      const at = items.indexOf(item);
      if (at < 0) continue;
      items.splice(at, 1);
      if (items.length === 0) this.#waiting.delete(sender);
      this.#size -= 1;
      return true;
    }
    return false;
  }

  takeAll(): readonly T[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#size = 0;
    return all;
  }

  /** The newest item of the sender with most, unless the new one would have as many after it. */
  #displacedBy(own: number): T | undefined {
    let most: T[] = [];
    for (const items of this.#waiting.values()) if (items.length > most.length) most = items;
    return most.length > own + 1 ? most.pop() : undefined;
  }
}
