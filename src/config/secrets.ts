/**
 * Secrets by reference: a configuration file says where a password is, not what it is, because what is in the file is in a repository
 * before long. A file is what Kubernetes and Docker mount; a variable is for everything else.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Sources, Variables } from './sources.ts';

export interface SecretPlaces {
  readonly baseDir: string;
  readonly env: Variables;
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
  if (file !== undefined) {
    const full = path.resolve(places.baseDir, file);
    try {
      // An editor ends a file with a line feed, and so does `echo`.
      return readFileSync(full, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      sources.mistake({ key: `${key}_file` }, 'file', problem, 'a file that can be read and holds the secret');
      return undefined;
    }
  }
  if (named !== undefined) {
    const value = places.env[named];
    if (value !== undefined && value !== '') return value;
    const problem = `the environment variable ${named} is not set`;
    sources.mistake({ key: `${key}_env` }, 'file', problem, 'the name of a variable that holds the secret');
    return undefined;
  }
  const given = variable === undefined ? undefined : places.env[variable];
  return given === '' ? undefined : given;
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
