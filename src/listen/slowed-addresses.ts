/**
 * Addresses whose connections were closed for abuse. Their next connections are taken a few a second, in the order in
 * which they came, so that a client that reconnects as fast as it is closed costs no more than that. Connections that
 * are open stay, and other addresses notice nothing.
 *
 *   free      taken at once
 *   slowed    from the last abuse on, for a minute: each waits for its turn; refused where too many wait
 */
import { addressGroup } from './address-group.ts';

const SLOWED_MS = 60_000;
const PAUSE_MS = 250;
const WAITING_MAX = 64;
/** Addresses that are remembered. The oldest is forgotten first. */
const ADDRESSES_MAX = 10_000;

interface Slowed {
  until: number;
  /** When the last of those that wait is taken. */
  lastAt: number;
}

export class SlowedAddresses {
  readonly #now: () => number;
  readonly #addresses = new Map<string, Slowed>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  slow(address: string | undefined): void {
    const group = addressGroup(address);
    const now = this.#now();
    const known = this.#addresses.get(group);
    // Inserted again, so that the address slowed last is last.
    this.#addresses.delete(group);
    this.#addresses.set(group, { until: now + SLOWED_MS, lastAt: known?.lastAt ?? now });
    const [oldest] = this.#addresses.keys();
    if (this.#addresses.size > ADDRESSES_MAX && oldest !== undefined) this.#addresses.delete(oldest);
  }

  /** How long a new connection waits. */
  waitOf(address: string | undefined): { readonly ms: number } | 'refused' {
    const group = addressGroup(address);
    const slowed = this.#addresses.get(group);
    if (slowed === undefined) return { ms: 0 };
    const now = this.#now();
    if (now >= slowed.until) {
      this.#addresses.delete(group);
      return { ms: 0 };
    }
    const at = Math.max(now, slowed.lastAt) + PAUSE_MS;
    if (at - now > WAITING_MAX * PAUSE_MS) return 'refused';
    slowed.lastAt = at;
    return { ms: at - now };
  }
}
