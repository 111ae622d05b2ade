/**
 * How fast a judge may be asked: so many requests and so many tokens within any sixty seconds, and not at all while the provider wants to be left alone. It is
 * kept in memory: after a restart the provider's own limits hold, and it says so.
 */
interface PaceLimits {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
}

interface Taken {
  readonly at: number;
  tokens: number;
}

const MINUTE_MS = 60_000;
const PAUSE = { firstMs: 1000, mostMs: 60_000 };

export class Pace {
  readonly #limits: PaceLimits;
  #taken: Taken[] = [];
  #pausedUntil = 0;
  #pauses = 0;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
  }

  /** How long until a call of so many tokens may begin. One that is larger than the limit may when nothing else was asked for a minute. */
  waitMs(now: number, tokens: number): number {
    this.#taken = this.#taken.filter(({ at }) => at > now - MINUTE_MS);
    const { requestsPerMinute, tokensPerMinute } = this.#limits;
    let requests = this.#taken.length + 1;
    let sum = this.#taken.reduce((total, taken) => total + taken.tokens, tokens);
    let freeAt = now;
    for (const taken of this.#taken) {
      if (requests <= requestsPerMinute && sum <= tokensPerMinute) break;
      requests -= 1;
      sum -= taken.tokens;
      freeAt = taken.at + MINUTE_MS;
    }
    return Math.max(freeAt, this.#pausedUntil) - now;
  }

  /** Gives how to say later what it came to. */
  take(now: number, tokens: number): (actual: number) => void {
    const taken = { at: now, tokens };
    this.#taken.push(taken);
    return (actual) => {
      taken.tokens = actual;
    };
  }

  /** The provider has had enough: it is left alone for as long as it asked; where it did not say, for longer each time in a row. */
  pause(now: number, askedMs: number): void {
    // Calls that were in flight together return together, and count as one sign.
    if (now >= this.#pausedUntil) this.#pauses += 1;
    const ownMs = Math.min(PAUSE.mostMs, PAUSE.firstMs * 2 ** Math.max(0, this.#pauses - 1));
    this.#pausedUntil = Math.max(this.#pausedUntil, now + (askedMs > 0 ? askedMs : ownMs));
  }

  answered(): void {
    this.#pauses = 0;
  }
}
