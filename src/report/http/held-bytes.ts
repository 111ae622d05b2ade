/**
 * The bytes that requests of the HTTP port hold, for every route, because no route has a say in it. There are two budgets,
 * so that clients that send keep nobody from reading:
 *
 *   bodies     as they arrive, until they are answered. If there is no room, the body that has been arriving for
 *              longest is given up: one of the address that holds most, for an address that holds less. Otherwise 503
 *   answers    until their client has taken them. Beyond the whole, or the share of an address, the one that has waited
 *              longest is given up: one of the address that holds most. Never the one that was just made
 *
 * So a client that sends or reads nothing loses its own connections, and keeps nobody else from either.
 */
interface Budget {
  readonly max: number;
  /** Share of one address. A single answer may have more. */
  readonly ofOneMax: number;
}

const BODIES: Budget = { max: 32 << 20, ofOneMax: 12 << 20 };
const ANSWERS: Budget = { max: 64 << 20, ofOneMax: 24 << 20 };

/** The bytes of one request. */
export interface HeldRequest {
  /** A part of its body has arrived. False where there is no room; nothing is taken then. `giveUp` ends its arrival. */
  tryGrow(bytes: number, giveUp: () => void): boolean;
  /** The body has gone, and its answer waits for the client; `giveUp` ends that. */
  answered(bytes: number, giveUp: () => void): void;
  /** May be called twice. */
  release(): void;
}

export class HeldBytes {
  readonly #bodies: Pool;
  readonly #answers: Pool;

  constructor({ bodies = BODIES, answers = ANSWERS }: { readonly bodies?: Budget; readonly answers?: Budget } = {}) {
    this.#bodies = new Pool(bodies);
    this.#answers = new Pool(answers);
  }

  get used(): { readonly bodies: number; readonly answers: number } {
    return { bodies: this.#bodies.used, answers: this.#answers.used };
  }

  hold(address: string): HeldRequest {
    const body = { address, bytes: 0, giveUp: () => undefined };
    const answer = { address, bytes: 0, giveUp: () => undefined };
    return {
      tryGrow: (bytes, giveUp) => this.#bodies.tryGrow(body, bytes, giveUp),
      answered: (bytes, giveUp) => {
        this.#bodies.release(body);
        this.#answers.add(answer, bytes, giveUp);
      },
      release: () => {
        this.#bodies.release(body);
        this.#answers.release(answer);
      },
    };
  }
}

interface Held {
  readonly address: string;
  bytes: number;
  giveUp: () => void;
}

/** An address that holds something. */
interface Holder {
  bytes: number;
  /** Held bytes in the order in which they began. */
  readonly held: Set<Held>;
}

class Pool {
  readonly #budget: Budget;
  readonly #holders = new Map<string, Holder>();
  #used = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  get used(): number {
    return this.#used;
  }

  tryGrow(one: Held, bytes: number, giveUp: () => void): boolean {
    const { max, ofOneMax } = this.#budget;
    const own = this.#bytesOf(one.address) + bytes;
    if (own > ofOneMax) return false;
    while (this.#used + bytes > max) {
      const most = this.#largest();
      if (most === undefined || most.bytes <= own) return false;
      this.#giveUpOldest(most);
    }
    one.giveUp = giveUp;
    this.#change(one, bytes);
    return true;
  }

  add(one: Held, bytes: number, giveUp: () => void): void {
    const { max, ofOneMax } = this.#budget;
    one.giveUp = giveUp;
    this.#change(one, bytes);
    const own = this.#holders.get(one.address);
    while (own !== undefined && own.bytes > ofOneMax && this.#giveUpOldest(own, one));
    while (this.#used > max) {
      const most = this.#largest();
      if (most === undefined || !this.#giveUpOldest(most, one)) break;
    }
  }

  release(one: Held): void {
    this.#change(one, -one.bytes);
  }

  #bytesOf(address: string): number {
    return this.#holders.get(address)?.bytes ?? 0;
  }

  #largest(): Holder | undefined {
    let most: Holder | undefined;
    for (const holder of this.#holders.values()) if (holder.bytes > (most?.bytes ?? 0)) most = holder;
    return most;
  }

  /** False if it holds nothing else. */
  #giveUpOldest({ held }: Holder, except?: Held): boolean {
    for (const one of held) {
      if (one === except) continue;
      this.release(one);
      one.giveUp();
      return true;
    }
    return false;
  }

  #change(one: Held, bytes: number): void {
    const holder = this.#holders.get(one.address) ?? { bytes: 0, held: new Set() };
    one.bytes += bytes;
    holder.bytes += bytes;
    this.#used += bytes;
    if (one.bytes > 0) holder.held.add(one);
    else holder.held.delete(one);
    if (holder.held.size > 0) this.#holders.set(one.address, holder);
    else this.#holders.delete(one.address);
  }
}
