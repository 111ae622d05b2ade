/**
 * Secrets by reference: a configuration file says where a password is, not what it is, because what is in the file is in a repository
 * before long. A file is what Kubernetes and Docker mount; a variable is for everything else.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Mistake } from '../model/mistake.ts';
import type { Sources, Variables } from './sources.ts';

export interface SecretPlaces {
  readonly baseDir: string;
  readonly env: Variables;
}

const FILE_EXPECTED = 'a file that can be read and holds the secret';
const VARIABLE_EXPECTED = 'the name of a variable that holds the secret';

/** Whether a secret is not where the configuration says. Who only reads what is stored, or checks a file far from its secrets, needs none. */
export function isMissingSecret({ expected }: Pick<Mistake, 'expected'>): boolean {
  return expected === FILE_EXPECTED || expected === VARIABLE_EXPECTED;
}

const someText = z.string('a text').min(1, 'a text that is not empty');

/**
 * `key` is what the secret would be called: `kafka.sasl.password` is read from the file named by `kafka.sasl.password_file`, else from the
 * variable named by `kafka.sasl.password_env`, else from `variable`.
 */
export function readSecret(
  sources: Sources,
  places: SecretPlaces,
  key: string,
  variable: string | undefined,
): string | undefined {
  const file = readText(sources, `${key}_file`);
  const named = readText(sources, `${key}_env`);
  const found = secretFrom(places, { file, variable: named });
  if ('problem' in found) {
    sources.mistake({ key: `${key}_${file === undefined ? 'env' : 'file'}` }, 'file', found.problem, found.expected);
    return undefined;
  }
  if (found.secret !== undefined) return found.secret;
  const given = variable === undefined ? undefined : places.env[variable];
  return given === '' ? undefined : given;
}

export type FoundSecret =
  | { readonly secret: string | undefined }
  | { readonly problem: string; readonly expected: string };

/** From a file, else from a variable; undefined where neither is named. */
export function secretFrom(
  places: SecretPlaces,
  { file, variable }: { readonly file: string | undefined; readonly variable: string | undefined },
): FoundSecret {
  if (file !== undefined) {
    try {
      // An editor ends a file with a line feed, and so does `echo`.
      return { secret: readFileSync(path.resolve(places.baseDir, file), 'utf8').replace(/\r?\n$/, '') };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return { problem, expected: FILE_EXPECTED };
    }
  }
  if (variable === undefined) return { secret: undefined };
  const secret = places.env[variable];
  if (secret !== undefined && secret !== '') return { secret };
  return {
    problem: `the environment variable ${variable} is not set`,
    expected: VARIABLE_EXPECTED,
  };
}

/** A file whose content goes to a library: certificates, keys. */
export function readFileSetting(sources: Sources, places: SecretPlaces, key: string): string | undefined {
  const file = readText(sources, key);
  if (file === undefined) return undefined;
  try {
    return readFileSync(path.resolve(places.baseDir, file), 'utf8');
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    sources.mistake({ key }, 'file', problem, 'a file that can be read');
    return undefined;
  }
}

function readText(sources: Sources, key: string): string | undefined {
  const { value } = sources.read<string>({ key }, someText, '');
  return value === '' ? undefined : value;
}
