/**
 * Counts failures by client, minute by minute. Beyond the limit the client is told to wait. Its credentials are checked all
 * the same where they may be right: behind one address there may be many clients, of which one has a wrong token.
 */
const MINUTE_MS = 60_000;
const FAILURES_MAX = 20;
const CLIENTS_MAX = 10_000;

interface Counted {
  readonly since: number;
  failures: number;
}

export class Attempts {
  readonly #counted = new Map<string, Counted>();

  /** Seconds until the client may try again; undefined where it may. */
  waitSeconds(client: string, now: number): number | undefined {
    const counted = this.#counted.get(client);
    if (counted === undefined || counted.failures < FAILURES_MAX) return undefined;
    const left = counted.since + MINUTE_MS - now;
    return left > 0 ? Math.ceil(left / 1000) : undefined;
  }

  failed(client: string, now: number): void {
    const counted = this.#counted.get(client);
    if (counted !== undefined && now - counted.since < MINUTE_MS) {
      counted.failures++;
      return;
    }
    // The newest are at the end of the map.
    this.#counted.delete(client);
    this.#counted.set(client, { since: now, failures: 1 });
    if (this.#counted.size <= CLIENTS_MAX) return;
    const [oldest] = this.#counted.keys();
    if (oldest !== undefined) this.#counted.delete(oldest);
  }
}
