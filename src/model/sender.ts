/**
 * Sender of a batch, as a number that lies in the log: a token, a person, or an address without either. It serves to share
 * limits, so two senders with one number share them.
 */
import { crc32 } from 'node:zlib';
import type { Client } from './access.ts';
import type { Caller } from './caller.ts';

/** Not known: a log that does not say, or a record of an earlier version. */
export const UNKNOWN_SENDER = 0;

/** Number of the sender, from 1 to 2^31 - 1. */
export function senderOf(caller: Caller, client: Pick<Client, 'group'>): number {
  const isNamed = caller.by === 'token' || caller.by === 'session';
  return crc32(isNamed ? `caller ${caller.name}` : `address ${client.group}`) >>> 1 || 1;
}
