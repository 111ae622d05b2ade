/**
 * Secrets by reference: a configuration file says where a password is, not what it is, because what is in the file is in a repository
 * before long. A file is what Kubernetes and Docker mount; a variable is for everything else.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Mistake } from '../model/mistake.ts';
import { type Declared, type Setting, someText } from './setting.ts';
import type { Places, Sources } from './sources.ts';

const FILE_EXPECTED = 'a file that can be read and holds the secret';
const VARIABLE_EXPECTED = 'the name of a variable that holds the secret';

/** Whether a secret is not where the configuration says. Commands that need no secret ignore such a mistake. */
export function isMissingSecret({ expected }: Pick<Mistake, 'expected'>): boolean {
  return expected === FILE_EXPECTED || expected === VARIABLE_EXPECTED;
}

/** Read from the file that the setting names, else from `variable`. */
export function secret(declared: Declared & { readonly variable: string }, help: string): Setting<string | undefined> {
  const { key } = declared;
  const read = (sources: Sources) => {
    const file = sources.read<string | undefined>({ key }, someText, undefined);
    if (file === undefined) return sources.readVariable(declared);
    const found = secretFrom(sources.places, { file, variable: undefined });
    if ('secret' in found) return found.secret;
    sources.mistake(key, found.problem, found.expected);
    return undefined;
  };
  return { ...declared, help, takes: 'a file; the variable has the secret itself', isSecret: true, read };
}

type FoundSecret = { readonly secret: string | undefined } | { readonly problem: string; readonly expected: string };

/** From a file, else from a variable; undefined where neither is named. */
export function secretFrom(
  { baseDir, env }: Pick<Places, 'baseDir' | 'env'>,
  { file, variable }: { readonly file: string | undefined; readonly variable: string | undefined },
): FoundSecret {
  if (file !== undefined) {
    const found = contentOf(path.resolve(baseDir, file));
    // An editor ends a file with a line feed, and so does `echo`.
    if ('content' in found) return { secret: found.content.replace(/\r?\n$/, '') };
    return { ...found, expected: FILE_EXPECTED };
  }
  if (variable === undefined) return { secret: undefined };
  const value = env[variable];
  if (value !== undefined && value !== '') return { secret: value };
  return { problem: `the environment variable ${variable} is not set`, expected: VARIABLE_EXPECTED };
}

/** A certificate of the other side's authority, and one of this side with its key. Libraries are given their contents. */
export function certificates(prefix: string) {
  return {
    ca: fileContent({ key: `${prefix}.ca_file`, example: 'ca.pem' }, 'Certificate of the authority of the other side.'),
    cert: fileContent({ key: `${prefix}.cert_file`, example: 'client.pem' }, 'Certificate of this client.'),
    key: fileContent({ key: `${prefix}.key_file`, example: 'client.key' }, 'Key of this client.'),
  };
}

function fileContent(declared: Declared, help: string): Setting<string | undefined> {
  const read = (sources: Sources) => {
    const file = sources.read<string | undefined>(declared, someText, undefined);
    if (file === undefined) return undefined;
    const found = contentOf(path.resolve(sources.places.baseDir, file));
    if ('content' in found) return found.content;
    sources.mistake(declared.key, found.problem, 'a file that can be read');
    return undefined;
  };
  return { ...declared, help, takes: 'a file', read };
}

function contentOf(file: string): { readonly content: string } | { readonly problem: string } {
  try {
    return { content: readFileSync(file, 'utf8') };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
