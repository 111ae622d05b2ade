/**
 * Which of some things must come before which others. The numbers of the things are an order that does not contradict it
 * (`a` before `b` means a < b), and it is transitive; whoever makes one sees to both.
 */
export interface PartialOrder {
  readonly size: number;
  precedes(earlier: number, later: number): boolean;
  /** Each comes before the next: there is one order only. */
  readonly isChain: boolean;
  /** True if no element comes before another. */
  readonly isFree: boolean;
}

export function freeOrder(size: number): PartialOrder {
  return { size, precedes: () => false, isChain: size < 2, isFree: true };
}

export function chainOrder(size: number): PartialOrder {
  return { size, precedes: (earlier, later) => earlier < later, isChain: true, isFree: size < 2 };
}

export function partialOrder(size: number, precedes: (earlier: number, later: number) => boolean): PartialOrder {
  let isChain = true;
  let isFree = true;
  for (let later = 1; later < size; later += 1) {
    // The order is transitive: where each follows its neighbour, it is a chain.
    isChain &&= precedes(later - 1, later);
    for (let earlier = 0; isFree && earlier < later; earlier += 1) isFree = !precedes(earlier, later);
  }
  return { size, precedes: (earlier, later) => earlier < later && precedes(earlier, later), isChain, isFree };
}

/** Order of some of the elements only, which are numbered again. */
export function restricted(order: PartialOrder, kept: readonly number[]): PartialOrder {
  if (kept.length === order.size) return order;
  if (order.isFree) return freeOrder(kept.length);
  if (order.isChain) return chainOrder(kept.length);
  return partialOrder(kept.length, (earlier, later) => order.precedes(kept[earlier] ?? -1, kept[later] ?? -1));
}
