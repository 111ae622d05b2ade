/**
 * The cheapest alignment of two partial orders: a search for the cheapest way to process all steps and all calls, front
 * to back. A state is the set of processed steps and the set of processed calls, each closed under "comes before". The
 * next move is a step left out, a call left over, or a pair of the two, among those without an unprocessed predecessor.
 * Every way through is an alignment that is possible in one go, and every such alignment is a way through.
 *
 * States are expanded in the order of how much worse than the bound of `assign` they are already known to be. With the
 * potentials of the assignment as estimates, no move has a negative cost. So the first end that is reached is the best
 * (Dijkstra on reduced costs, which is A* on the real ones). If the bound can be reached, the search follows little more
 * than one path. The worst case is exponential in how many things are unordered at once; so there is a limit of states.
 */
import type { AlignmentProblem } from './alignment-problem.ts';
import type { Assignment } from './assign.ts';
import type { PartialOrder } from './partial-order.ts';

interface SearchLimits {
  /** States taken up, at most. */
  readonly states: number;
  /** Alignments that cost this much more than the bound are not wanted, because an equally good one is known. */
  readonly below: number;
}

/** The cheapest alignment; 'nothing below' where none is under the limit; 'gave up' where the search was too long. */
export function joinOrders(
  problem: AlignmentProblem,
  bound: Assignment,
  limits: SearchLimits,
): readonly number[] | 'nothing below' | 'gave up' {
  const { expected, actual } = problem;
  const [steps, calls] = [new Front(expected), new Front(actual)];
  const reducedPair = (step: number, call: number) =>
    problem.pairCost(step, call) -
    problem.missingCost(step) -
    problem.extraCost(call) -
    (bound.stepPotential[step] as number) -
    (bound.callPotential[call] as number);
  const queue = new StateQueue();
  const reached = new Map<bigint, number>();
  const all = (1n << BigInt(expected.size + actual.size)) - 1n;
  const shift = BigInt(expected.size);
  const enqueue = (from: State, step: number, call: number, cost: number) => {
    const total = from.cost + cost;
    if (total >= limits.below) return;
    const bits = (step < 0 ? 0n : 1n << BigInt(step)) | (call < 0 ? 0n : 1n << (BigInt(call) + shift));
    const key = from.key | bits;
    if ((reached.get(key) ?? Number.POSITIVE_INFINITY) <= total) return;
    reached.set(key, total);
    queue.push({
      key,
      cost: total,
      depth: from.depth + (step < 0 ? 0 : 1) + (call < 0 ? 0 : 1),
      steps: step < 0 ? from.steps : steps.after(from.steps, step, key),
      calls: call < 0 ? from.calls : calls.after(from.calls, call, key >> shift),
      from,
      step,
      call,
    });
  };
  const start: State = {
    key: 0n,
    cost: 0,
    depth: 0,
    steps: steps.first(),
    calls: calls.first(),
    from: undefined,
    step: -1,
    call: -1,
  };
  queue.push(start);
  for (let taken = 0; taken < limits.states; taken += 1) {
    const state = queue.pop();
    if (state === undefined) return 'nothing below';
    if (state.key === all) return pairsOf(state, expected.size);
    if ((reached.get(state.key) ?? 0) < state.cost) continue;
    for (const step of state.steps) {
      enqueue(state, step, -1, -(bound.stepPotential[step] as number));
      for (const call of state.calls) {
        const cost = reducedPair(step, call);
        if (cost < Number.POSITIVE_INFINITY) enqueue(state, step, call, cost);
      }
    }
    for (const call of state.calls) enqueue(state, -1, call, -(bound.callPotential[call] as number));
  }
  return 'gave up';
}

interface State {
  /** A bit for each processed step, then one for each call. */
  readonly key: bigint;
  /** Above the bound. */
  readonly cost: number;
  readonly depth: number;
  /** Elements that nothing comes before any more. */
  readonly steps: readonly number[];
  readonly calls: readonly number[];
  readonly from: State | undefined;
  readonly step: number;
  readonly call: number;
}

function pairsOf(end: State, steps: number): readonly number[] {
  const callOf = Array.from({ length: steps }, () => -1);
  for (let state: State | undefined = end; state !== undefined; state = state.from) {
    if (state.step >= 0 && state.call >= 0) callOf[state.step] = state.call;
  }
  return callOf;
}

/** Next elements of a partial order, as elements are taken away from its front. */
class Front {
  readonly #before: readonly bigint[];
  /** Direct successors of each element. */
  readonly #next: readonly (readonly number[])[];

  constructor(order: PartialOrder) {
    const before: bigint[] = [];
    const next: number[][] = [];
    for (let later = 0; later < order.size; later += 1) {
      next.push([]);
      let mask = 0n;
      // From the nearest back: what a nearer one follows is not direct.
      let covered = 0n;
      for (let earlier = later - 1; earlier >= 0; earlier -= 1) {
        if (!order.precedes(earlier, later)) continue;
        mask |= 1n << BigInt(earlier);
        if ((covered & (1n << BigInt(earlier))) === 0n) next[earlier]?.push(later);
        covered |= before[earlier] ?? 0n;
      }
      before.push(mask);
    }
    this.#before = before;
    this.#next = next;
  }

  first(): readonly number[] {
    return this.#before.flatMap((mask, index) => (mask === 0n ? [index] : []));
  }

  after(front: readonly number[], taken: number, done: bigint): readonly number[] {
    const rest = front.filter((index) => index !== taken);
    for (const index of this.#next[taken] ?? []) {
      const mask = this.#before[index] ?? 0n;
      if ((mask & done) === mask) rest.push(index);
    }
    return rest;
  }
}

/** A binary heap: the cheapest state first, of equals the one nearest to the end, of those the one that came last. */
class StateQueue {
  readonly #heap: { readonly state: State; readonly order: number }[] = [];
  #pushed = 0;

  push(state: State): void {
    const heap = this.#heap;
    this.#pushed += 1;
    heap.push({ state, order: this.#pushed });
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#goesFirst(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): State | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first?.state;
    heap[0] = last;
    for (let at = 0; ; ) {
      let best = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && this.#goesFirst(child, best)) best = child;
      if (best === at) return first.state;
      this.#swap(at, best);
      at = best;
    }
  }

  #goesFirst(a: number, b: number): boolean {
    const one = this.#heap[a];
    const other = this.#heap[b];
    if (one === undefined || other === undefined) return false;
    const difference = one.state.cost - other.state.cost || other.state.depth - one.state.depth;
    return difference === 0 ? one.order > other.order : difference < 0;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}
