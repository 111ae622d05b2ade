/** How a client may be sent an answer: `gzip`, `br`. */
import type { IncomingMessage } from 'node:http';

export function acceptedCodings({ headers }: Pick<IncomingMessage, 'headers'>): readonly string[] {
  return String(headers['accept-encoding'] ?? '')
    .split(',')
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => (one.split(';')[0] ?? '').trim().toLowerCase());
}
