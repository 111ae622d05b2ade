/**
 * A partial order from pieces of evidence. Evidence is a graph: an edge says that one thing came before another. Things are
 * numbered from 0; further nodes, which stand for moments between things, keep the graph small: a clock is a chain of them, and
 * thousands of things that follow one another need thousands of edges, not millions.
 *
 * Evidence can contradict itself. Wherever edges form a circle, the weakest kind of evidence in that circle is not believed, then the
 * next, until no circle is left. Outside of circles everything is believed.
 *
 * Questions are asked about some of the things at a time (`among`), since criteria name few of them. A sweep over the graph answers
 * for 32 of them at once.
 */
export type Strength = 0 | 1 | 2 | 3 | 4;
const WEAKEST: Strength = 4;
/** Beyond it the answers alone would take tens of megabytes. */
export const MEMBERS_MAX = 5000;

export class Evidence {
  readonly size: number;
  #nodes: number;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #strength: Strength[] = [];

  constructor(size: number) {
    this.size = size;
    this.#nodes = size;
  }

  /** A node that is none of the things. */
  moment(): number {
    return this.#nodes++;
  }

  /** 0 is the strongest. */
  add(before: number, after: number, strength: Strength): void {
    if (before === after) return;
    this.#from.push(before);
    this.#to.push(after);
    this.#strength.push(strength);
  }

  order(): PartialOrder {
    let edges = this.#from.map((_, edge) => edge);
    for (let weakest: number = WEAKEST; weakest >= 0; weakest--) {
      const graph = this.#graphOf(edges);
      const sorted = topologically(graph);
      if (sorted !== undefined) return new PartialOrder(this.size, graph, sorted);
      const circle = circlesIn(graph);
      edges = edges.filter(
        (edge) => this.#strength[edge] !== weakest || circle[this.#from[edge] ?? 0] !== circle[this.#to[edge] ?? 0],
      );
    }
    const graph = this.#graphOf(edges);
    const sorted = topologically(graph);
    // Sorting must succeed: edges inside of circles have been removed.
    if (sorted === undefined) throw new Error('order: evidence without circles still has one');
    return new PartialOrder(this.size, graph, sorted);
  }

  #graphOf(edges: readonly number[]): Graph {
    const starts = new Int32Array(this.#nodes + 1);
    for (const edge of edges) starts[(this.#from[edge] ?? 0) + 1] = (starts[(this.#from[edge] ?? 0) + 1] ?? 0) + 1;
    for (let node = 0; node < this.#nodes; node++) starts[node + 1] = (starts[node + 1] ?? 0) + (starts[node] ?? 0);
    const targets = new Int32Array(edges.length);
    const filled = starts.slice();
    for (const edge of edges) {
      const from = this.#from[edge] ?? 0;
      const at = filled[from] ?? 0;
      targets[at] = this.#to[edge] ?? 0;
      filled[from] = at + 1;
    }
    return { nodes: this.#nodes, starts, targets };
  }
}

/** The targets of a node's edges are `targets[starts[node]]` up to `targets[starts[node + 1]]`. */
interface Graph {
  readonly nodes: number;
  readonly starts: Int32Array;
  readonly targets: Int32Array;
}

/** Undefined where there is a circle. */
function topologically({ nodes, starts, targets }: Graph): Int32Array | undefined {
  const waitsFor = new Int32Array(nodes);
  for (const target of targets) waitsFor[target] = (waitsFor[target] ?? 0) + 1;
  const sorted = new Int32Array(nodes);
  let found = 0;
  for (let node = 0; node < nodes; node++) if (waitsFor[node] === 0) sorted[found++] = node;
  for (let at = 0; at < found; at++) {
    const node = sorted[at] ?? 0;
    for (let edge = starts[node] ?? 0; edge < (starts[node + 1] ?? 0); edge++) {
      const target = targets[edge] ?? 0;
      const left = (waitsFor[target] ?? 0) - 1;
      waitsFor[target] = left;
      if (left === 0) sorted[found++] = target;
    }
  }
  return found === nodes ? sorted : undefined;
}

/** A number for each node, the same for nodes that can reach each other (Tarjan's algorithm, without recursion). */
function circlesIn({ nodes, starts, targets }: Graph): Int32Array {
  const circle = new Int32Array(nodes).fill(-1);
  const visited = new Int32Array(nodes);
  const lowest = new Int32Array(nodes);
  const nextEdge = starts.slice();
  const open: number[] = [];
  const path: number[] = [];
  let visits = 0;
  let circles = 0;
  for (let root = 0; root < nodes; root++) {
    if (visited[root] !== 0) continue;
    path.push(root);
    while (path.length > 0) {
      const node = path.at(-1) ?? 0;
      if (visited[node] === 0) {
        visits += 1;
        visited[node] = visits;
        lowest[node] = visits;
        open.push(node);
      }
      const edge = nextEdge[node] ?? 0;
      if (edge < (starts[node + 1] ?? 0)) {
        nextEdge[node] = edge + 1;
        const target = targets[edge] ?? 0;
        if (visited[target] === 0) path.push(target);
        else if (circle[target] === -1) lowest[node] = Math.min(lowest[node] ?? 0, visited[target] ?? 0);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) lowest[parent] = Math.min(lowest[parent] ?? 0, lowest[node] ?? 0);
      if (lowest[node] !== visited[node]) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        circle[member] = circles;
        if (member === node) break;
      }
      circles += 1;
    }
  }
  return circle;
}

export class PartialOrder {
  readonly size: number;
  readonly #graph: Graph;
  readonly #sorted: Int32Array;

  constructor(size: number, graph: Graph, sorted: Int32Array) {
    this.size = size;
    this.#graph = graph;
    this.#sorted = sorted;
  }

  /**
   * The order of some of the things; from here on they go by their position in `members`. Only those that `countsBetween`, all unless given, are
   * looked at as lying between two others.
   */
  among(members: readonly number[], countsBetween: (position: number) => boolean = () => true): OrderAmong {
    const { nodes, starts, targets } = this.#graph;
    const count = members.length;
    if (count > MEMBERS_MAX)
      throw new RangeError(`the order of ${count} steps was asked for; ${MEMBERS_MAX} is the most`);
    const words = Math.ceil(count / 32);
    const before = new Int32Array(count * words);
    const farBefore = new Int32Array(count * words);
    const positionOf = new Int32Array(nodes).fill(-1);
    members.forEach((member, position) => {
      positionOf[member] = position;
    });
    const reached = new Int32Array(nodes);
    const reachedFar = new Int32Array(nodes);
    for (let word = 0; word < words; word++) {
      reached.fill(0);
      reachedFar.fill(0);
      for (const node of this.#sorted) {
        let from = reached[node] ?? 0;
        let fromFar = reachedFar[node] ?? 0;
        const position = positionOf[node] ?? -1;
        if (position >= 0) {
          before[position * words + word] = from;
          farBefore[position * words + word] = fromFar;
          // The member counts as between for those that come after it.
          if (countsBetween(position)) fromFar |= from;
          if (position >> 5 === word) from |= 1 << (position & 31);
        }
        if (from === 0) continue;
        for (let edge = starts[node] ?? 0; edge < (starts[node + 1] ?? 0); edge++) {
          const target = targets[edge] ?? 0;
          reached[target] = (reached[target] ?? 0) | from;
          reachedFar[target] = (reachedFar[target] ?? 0) | fromFar;
        }
      }
    }
    return new OrderAmong(count, words, { before, farBefore, through: (counts) => this.among(members, counts) });
  }
}

/** Rows of bits: those that are before a member, and those before it with another between. */
interface Known {
  readonly before: Int32Array;
  readonly farBefore: Int32Array;
  readonly through: (countsBetween: (position: number) => boolean) => OrderAmong;
}

/**
 * The certain order of some of the things. Things that are neither before nor after one another ran in parallel, as far
 * as is known.
 */
export class OrderAmong {
  readonly count: number;
  readonly #words: number;
  readonly #known: Known;

  constructor(count: number, words: number, known: Known) {
    this.count = count;
    this.#words = words;
    this.#known = known;
  }

  /** The order with only some members counting as lying between two others. */
  through(countsBetween: (position: number) => boolean): OrderAmong {
    return this.#known.through(countsBetween);
  }

  isBefore(x: number, y: number): boolean {
    return (((this.#known.before[y * this.#words + (x >> 5)] ?? 0) >>> (x & 31)) & 1) === 1;
  }

  /** Neither is known to be before the other. */
  isBeside(x: number, y: number): boolean {
    return x !== y && !this.isBefore(x, y) && !this.isBefore(y, x);
  }

  /** x is before y, and a third one certainly between them. */
  isFarBefore(x: number, y: number): boolean {
    return (((this.#known.farBefore[y * this.#words + (x >> 5)] ?? 0) >>> (x & 31)) & 1) === 1;
  }
}
