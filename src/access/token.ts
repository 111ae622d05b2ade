/**
 * Tokens of programs: `assay_<role>_<id>_<secret>`. The beginning lets scanners of repositories find one that was
 * published, the role and the id tell people which one it is. The secret has 43 of 62 characters: 256 bits. Only the
 * SHA-256 of the whole is kept, without salt, because nobody can guess 256 random bits.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { KeptToken } from '../model/access.ts';
import type { Role } from '../model/caller.ts';

const SMALL = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ALL = `${SMALL}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const ID_LENGTH = 10;
const SECRET_LENGTH = 43;

export function newToken(
  role: Role,
  { name, now, expiresAt }: { readonly name: string; readonly now: number; readonly expiresAt: number | undefined },
): { readonly token: string; readonly kept: KeptToken } {
  const id = randomText(SMALL, ID_LENGTH);
  const token = `assay_${role}_${id}_${randomText(ALL, SECRET_LENGTH)}`;
  return { token, kept: { id, name, role, sha256: hashOf(token), createdAt: now, expiresAt } };
}

export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** In the same time whatever is given. */
export function isSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
