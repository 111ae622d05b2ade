/**
 * The one budget of bytes that requests of the HTTP port hold: of a body until it is answered, and of an answer until its
 * client has taken it. It covers every route, because no route has a say in it.
 *
 *   in hand    the body grows as it arrives; 503 where there is no room, so that nothing is kept that was not counted
 *   untaken    the answer waits for its client. Where the whole, or the share of an address, is more than may be, the
 *              answer that has waited longest is given up: one of the address that holds most
 *   released   the client has taken it, or has gone
 *
 * So a client that reads nothing loses its own connections, and keeps nobody else from reading.
 */
const HELD_MAX = 64 << 20;
/** One address, unless it is alone. A single answer may have as much. */
const OF_ONE_MAX = 24 << 20;

/** The bytes of one request. */
export interface HeldRequest {
  /** False where there is no room; nothing is taken then. */
  tryGrow(bytes: number): boolean;
  /** The answer takes the place of the body; `giveUp` ends the waiting for its client. */
  answered(bytes: number, giveUp: () => void): void;
  /** May be called twice. */
  release(): void;
}

interface Held {
  readonly holder: Holder;
  bytes: number;
  giveUp: () => void;
}

/** An address. */
interface Holder {
  readonly address: string;
  bytes: number;
  requests: number;
  /** In the order in which they were answered. */
  readonly untaken: Set<Held>;
}

export class HeldBytes {
  readonly #max: number;
  readonly #ofOneMax: number;
  readonly #holders = new Map<string, Holder>();
  #used = 0;

  constructor({ max = HELD_MAX, ofOneMax = OF_ONE_MAX }: { readonly max?: number; readonly ofOneMax?: number } = {}) {
    this.#max = max;
    this.#ofOneMax = ofOneMax;
  }

  get used(): number {
    return this.#used;
  }

  hold(address: string): HeldRequest {
    const holder = this.#holders.get(address) ?? { address, bytes: 0, requests: 0, untaken: new Set() };
    this.#holders.set(address, holder);
    holder.requests += 1;
    const held: Held = { holder, bytes: 0, giveUp: () => undefined };
    let isReleased = false;
    return {
      tryGrow: (bytes) => {
        if (holder.bytes + bytes > this.#ofOneMax) return false;
        while (this.#used + bytes > this.#max) if (!this.#giveUpOne()) return false;
        this.#change(held, held.bytes + bytes);
        return true;
      },
      answered: (bytes, giveUp) => {
        held.giveUp = giveUp;
        this.#change(held, bytes);
        holder.untaken.add(held);
        while (holder.bytes > this.#ofOneMax && holder.untaken.size > 1) this.#giveUp(first(holder.untaken));
        while (this.#used > this.#max && this.#giveUpOne());
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        holder.untaken.delete(held);
        this.#change(held, 0);
        holder.requests -= 1;
        if (holder.requests === 0) this.#holders.delete(address);
      },
    };
  }

  /** False if no answer waits for its client. */
  #giveUpOne(): boolean {
    let most: Holder | undefined;
    for (const holder of this.#holders.values())
      if (holder.untaken.size > 0 && holder.bytes > (most?.bytes ?? 0)) most = holder;
    if (most === undefined) return false;
    this.#giveUp(first(most.untaken));
    return true;
  }

  #giveUp(held: Held | undefined): void {
    if (held === undefined) return;
    held.holder.untaken.delete(held);
    this.#change(held, 0);
    held.giveUp();
  }

  #change(held: Held, bytes: number): void {
    this.#used += bytes - held.bytes;
    held.holder.bytes += bytes - held.bytes;
    held.bytes = bytes;
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  for (const item of set) return item;
  return undefined;
}
