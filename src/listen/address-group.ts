/** Addresses that count as one client: an IPv4 address, or the /64 network that one subscriber of IPv6 has. */
import { isIPv6 } from 'node:net';

export function addressGroup(address: string | undefined): string {
  if (address === undefined) return '';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  const all = [...groups, ...new Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  return `${all.slice(0, 4).join(':')}::/64`;
}
