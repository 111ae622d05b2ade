/** How conversations and series are keyed: text of any length, from anywhere, by half of its SHA-256. */
import { createHash } from 'node:crypto';

/** 32 hexadecimal digits, as a `uuid` column takes them. */
export function textKey(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Key of a user who was forgotten; no conversation has it. */
export function userKey(user: string): string {
  return textKey(`\u0000user:${user}`);
}

/** As the database writes it, with dashes. */
export function fromUuid(uuid: string): string {
  return uuid.replaceAll('-', '');
}
