/**
 * The one budget of bytes for requests in flight, over all transports. Counted is what has arrived, and what was made of
 * it, not what was announced, so that clients that announce much and send nothing keep nobody out.
 *
 * Two rules keep room for others:
 *
 *   large requests share half     a request of more than a mebibyte counts as large; small ones always have the other half
 *   unfinished requests make room if the budget is full, the request that has been arriving for longest is evicted, once
 *                                 it had time enough: a client that never finishes its requests cannot fill the budget
 *
 * Overflow policy: `reject`, and the client retries.
 */
const LARGE_FROM = 1024 * 1024;
/** An exporter's whole timeout is ten seconds. */
const ARRIVAL_MS_MIN = 5_000;

interface Options {
  readonly max: number;
  /** Largest single request, which must fit in any case. */
  readonly requestMax: number;
  readonly now?: () => number;
}

interface Held {
  bytes: number;
  readonly since: number;
  /** Ends its arrival; undefined unless it is arriving. */
  evict: (() => void) | undefined;
}

export class InFlightBytes {
  readonly #max: number;
  readonly #largeMax: number;
  readonly #now: () => number;
  #used = 0;
  #large = 0;
  /** Requests that have not been released. */
  #open = 0;
  #idle: PromiseWithResolvers<void> | undefined;
  /** Requests in the order in which they began. */
  readonly #arriving = new Set<Held>();

  constructor({ max, requestMax, now = () => performance.now() }: Options) {
    this.#max = max;
    this.#largeMax = Math.max(max / 2, requestMax);
    this.#now = now;
  }

  get used(): number {
    return this.#used;
  }

  /** Resolves once no request is in flight. */
  async whenIdle(): Promise<void> {
    if (this.#open === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  reserve(): Reservation {
    const held: Held = { bytes: 0, since: this.#now(), evict: undefined };
    let isOpen = true;
    this.#open += 1;
    return {
      arriving: (evict) => {
        held.evict = evict;
        this.#arriving.add(held);
      },
      arrived: () => {
        held.evict = undefined;
        this.#arriving.delete(held);
      },
      tryGrow: (bytes) => {
        const wanted = held.bytes + bytes;
        const large = this.#large - largeShare(held.bytes) + largeShare(wanted);
        if (largeShare(wanted) > 0 && large > this.#largeMax) return false;
        while (this.#used + bytes > this.#max) if (!this.#evictOldest(held)) return false;
        this.#change(held, wanted);
        return true;
      },
      change: (bytes) => this.#change(held, bytes),
      release: () => {
        this.#arriving.delete(held);
        this.#change(held, 0);
        if (isOpen) this.#open -= 1;
        isOpen = false;
        if (this.#open === 0) this.#idle?.resolve();
      },
    };
  }

  /** False if no other request has been arriving for long enough. */
  #evictOldest(except: Held): boolean {
    for (const held of this.#arriving) {
      if (this.#now() - held.since < ARRIVAL_MS_MIN) return false;
      if (held === except) continue;
      this.#arriving.delete(held);
      this.#change(held, 0);
      held.evict?.();
      return true;
    }
    return false;
  }

  #change(held: Held, bytes: number): void {
    this.#used += bytes - held.bytes;
    this.#large += largeShare(bytes) - largeShare(held.bytes);
    held.bytes = bytes;
  }
}

function largeShare(bytes: number): number {
  return bytes > LARGE_FROM ? bytes : 0;
}

/** The bytes of one request. */
export interface Reservation {
  /** Notes that the body arrives from now on, and that `evict` ends that if others need the room. */
  arriving(evict: () => void): void;
  arrived(): void;
  /** False where the limit does not allow it; nothing is taken then. */
  tryGrow(bytes: number): boolean;
  /** Sets its size, whatever the limit says: they are there already. */
  change(bytes: number): void;
  /** May be called twice. */
  release(): void;
}
