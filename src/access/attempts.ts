/**
 * Counts unknown tokens by the address that sent them, minute by minute. Beyond the limit an address is refused without
 * a look at what it sends. Tokens of Assay's own form are the exception: nobody can guess one, and behind one address
 * there may be many clients, of which one has a wrong token.
 */
import { isIPv6 } from 'node:net';

const MINUTE_MS = 60_000;
const FAILURES_MAX = 20;
const ADDRESSES_MAX = 10_000;

interface Counted {
  readonly since: number;
  failures: number;
}

export class Attempts {
  readonly #counted = new Map<string, Counted>();

  /** Seconds until the address may try again; undefined where it may. */
  waitSeconds(address: string | undefined, now: number): number | undefined {
    const counted = this.#counted.get(networkOf(address));
    if (counted === undefined || counted.failures < FAILURES_MAX) return undefined;
    const left = counted.since + MINUTE_MS - now;
    return left > 0 ? Math.ceil(left / 1000) : undefined;
  }

  failed(address: string | undefined, now: number): void {
    const network = networkOf(address);
    const counted = this.#counted.get(network);
    if (counted !== undefined && now - counted.since < MINUTE_MS) {
      counted.failures++;
      return;
    }
    // The newest are at the end of the map.
    this.#counted.delete(network);
    this.#counted.set(network, { since: now, failures: 1 });
    if (this.#counted.size <= ADDRESSES_MAX) return;
    const [oldest] = this.#counted.keys();
    if (oldest !== undefined) this.#counted.delete(oldest);
  }
}

/** A client of IPv6 has all addresses of a /64. */
function networkOf(address = ''): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  if (tail === undefined) return groups.slice(0, 4).join(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(8 - groups.length - after.length, 0) }, () => '0');
  return [...groups, ...zeros, ...after].slice(0, 4).join(':');
}
