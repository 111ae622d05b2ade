/** The forms in which a user's id may be kept: as it was sent, and hashed, where redaction hashes user ids or once did. */
import path from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { SALT_FILE, tryReadSalt } from '../../engine/redaction-rules.ts';
import { UserIdHash } from '../../redact/user-id-hash.ts';

export type UserForms = (user: string) => readonly string[];

export function userFormsOf({ dataDir, redaction }: Pick<Settings, 'dataDir' | 'redaction'>): UserForms {
  return (user) => {
    const salt = redaction.salt ?? tryReadSalt(path.join(dataDir, SALT_FILE));
    return salt === undefined ? [user] : [user, new UserIdHash(salt).of(user).toString()];
  };
}
