/**
 * Client of a request, as far as addresses say it: the other end of the connection or, if that is a proxy that the
 * operator trusts, the client that the proxy names.
 *
 *   X-Forwarded-For: client, proxy, proxy        Forwarded: for=client, for="[2001:db8::1]:4711";proto=https
 *
 * Each proxy appends whom it got the request from, so the list is read from the right, past trusted proxies. The rest
 * may be invented by the client. So is a header that the proxy does not write: if both are there and name another
 * client each, neither counts.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Client, RequestHead } from '../model/access.ts';
import { addressGroup } from './address-group.ts';

/** A longer list is nobody's, and each hop costs a look-up. */
const HOPS_MAX = 32;

export class Clients {
  readonly #proxies: () => readonly string[];
  #list: readonly string[] = [];
  #trusted = new BlockList();

  /** Addresses and networks of trusted proxies, read for each request, because a reload may change them. */
  constructor(proxies: () => readonly string[]) {
    this.#proxies = proxies;
  }

  of({ address, headers }: Pick<RequestHead, 'address' | 'headers'>): Client {
    this.#refresh();
    if (address === undefined || !this.#isTrusted(address)) return clientAt(address, false);
    const byHops = [forwardedFor(headers['x-forwarded-for']), forwarded(headers.forwarded)];
    const named = new Set(byHops.flatMap((hops) => (hops.length === 0 ? [] : [this.#clientIn(hops)])));
    const [client] = named;
    return named.size === 1 && client !== undefined ? clientAt(client, true) : clientAt(address, false);
  }

  /** The last that is not trusted, else the first; undefined if one before it cannot be read. */
  #clientIn(hops: readonly string[]): string | undefined {
    for (const hop of hops.slice(-HOPS_MAX).toReversed()) {
      const address = addressIn(hop);
      if (address === undefined || !this.#isTrusted(address)) return address;
    }
    return addressIn(hops[0] ?? '');
  }

  #isTrusted(address: string): boolean {
    if (this.#list.length === 0) return false;
    const plain = unmapped(address);
    return isIP(plain) !== 0 && this.#trusted.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  }

  #refresh(): void {
    const list = this.#proxies();
    if (list === this.#list) return;
    this.#list = list;
    this.#trusted = new BlockList();
    for (const one of list) {
      const [address = '', bits] = one.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(bits), family);
    }
  }
}

/** An address, or a network such as 10.0.0.0/8. */
export function isAddressOrNetwork(text: string): boolean {
  const [, address = '', bits = '0'] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}

function clientAt(address: string | undefined, isNamed: boolean): Client {
  return { address, group: addressGroup(address), isNamed };
}

function forwardedFor(header: string | readonly string[] | undefined): readonly string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(',');
  return text === '' ? [] : text.split(',').map((hop) => hop.trim());
}

/** Hops of a header. An element without `for` is a hop that does not name the one before it. */
function forwarded(header: string | undefined): readonly string[] {
  if (header === undefined || header === '') return [];
  return header.split(',').map((element) => /(?:^|;)\s*for=("?)([^",;]*)\1/i.exec(element)?.[2] ?? '');
}

/** Address with a port or without; undefined for `unknown`, or a name that hides it. */
function addressIn(hop: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+)(?::\d{1,5})?)$/.exec(hop) ?? [];
  const address = bracketed ?? plain ?? hop;
  return isIP(address) === 0 ? undefined : unmapped(address);
}

function unmapped(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
