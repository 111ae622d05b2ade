/**
 * From the settings to the rules of redaction: which attributes hold user ids and which join spans is what the dialects
 * know, and the salt of the hashes is kept beside the data.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '../config/settings.ts';
import { makeFolder } from '../model/make-folder.ts';
import type { RedactionRules } from '../model/redaction.ts';
import { identifierKeys } from '../normalize/identifier-keys.ts';

export const SALT_FILE = 'redaction-salt';
const SALT_BYTES = 32;
const OWNER_ONLY = 0o600;

/** The rules of the service. A salt is made at the first start and stays with the data. */
export function serviceRedaction(settings: Settings): RedactionRules | undefined {
  return rulesOf(settings, () => {
    const file = path.join(settings.dataDir, SALT_FILE);
    const known = tryReadSalt(file);
    if (known !== undefined) return known;
    const salt = randomBytes(SALT_BYTES).toString('hex');
    makeFolder(settings.dataDir, '--data-dir');
    writeFileSync(file, `${salt}\n`, { mode: OWNER_ONLY, flush: true });
    return salt;
  });
}

/** Rules for recorded data. Without a salt, hashes are the run's own, and no salt is written. */
export function offlineRedaction(settings: Settings): RedactionRules | undefined {
  return rulesOf(
    settings,
    () => tryReadSalt(path.join(settings.dataDir, SALT_FILE)) ?? randomBytes(SALT_BYTES).toString('hex'),
  );
}

/** Describes the redaction in words, for the line at the start. */
export function describeRedaction({ patterns, custom, keys, hashUserIds }: Settings['redaction']): string {
  const names = [...patterns, ...custom.map(({ name }) => name)];
  const parts = [
    ...(names.length > 0 ? [names.join(', ')] : []),
    ...(keys.length > 0 ? [`the values of ${keys.join(', ')}`] : []),
    ...(hashUserIds ? ['user ids (hashed)'] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : 'nothing';
}

function rulesOf(settings: Settings, keptSalt: () => string): RedactionRules | undefined {
  const { patterns, custom, keys, hashUserIds, salt } = settings.redaction;
  if (patterns.length === 0 && custom.length === 0 && keys.length === 0 && !hashUserIds) return undefined;
  const { userIds, identifiers } = identifierKeys({ hashUserIds });
  return {
    patterns,
    custom,
    keys,
    userIds,
    identifiers: [...settings.conversation.idKeys, ...identifiers],
    salt: salt ?? keptSalt(),
  };
}

export function tryReadSalt(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const salt = readFileSync(file, 'utf8').trim();
  if (salt === '') throw new Error(`${file} is empty: restore its salt, or remove the file to start with a new one`);
  return salt;
}
