/**
 * Where a setting's value comes from: a flag, else an environment variable, else the configuration file, else its
 * default. Every value is checked where it is found, and every mistake names that place; the default stands in, so that
 * the checks after it can go on.
 */
import type { z } from 'zod';
import { didYouMean } from '../model/did-you-mean.ts';
import type { Mistake } from '../model/mistake.ts';
import { formatPath, type Path, type Place, type WrittenDocument } from '../model/written-document.ts';
import { isMapping } from '../model/json.ts';

export type Flags = { readonly [flag: string]: unknown };
export type Variables = { readonly [variable: string]: string | undefined };

/** Where settings are read from. */
export interface Places {
  /** As the command line's parser names them: `dataDir` for --data-dir. */
  readonly flags: Flags;
  readonly env: Variables;
  readonly document: WrittenDocument | undefined;
  /** The folder to which paths in the file are relative. */
  readonly baseDir: string;
  /** The folder to which paths in flags and variables are relative. */
  readonly cwd: string;
}

/** The names by which a value can be given. */
export interface Names {
  /** In the file: `turn.settle`. */
  readonly key: string;
  readonly variable?: string;
  /** As `--help` shows it: `--data-dir <folder>`. */
  readonly flag?: string;
}

type Origin = 'flag' | 'variable' | 'file';

export class Sources {
  readonly mistakes: Mistake[] = [];
  readonly places: Places;
  /** Keys that may be in the file. */
  readonly #keys: string[] = [];
  /** Values found so far, by key. */
  readonly #given = new Map<string, { readonly names: Names; readonly origin: Origin }>();

  constructor(places: Places) {
    this.places = places;
  }

  read<T>(names: Names, schema: z.ZodType<T>, fallback: T): T {
    this.#keys.push(names.key);
    const { flags, env } = this.places;
    const flag = flags[flagName(names.flag ?? '')];
    const variable = env[names.variable ?? ''];
    const written = this.#inFile(names.key);
    // An empty variable is how shells and compose files say "not set".
    if (flag !== undefined) return this.#checked(flag, schema, fallback, 'flag', names);
    if (variable !== undefined && variable !== '') return this.#checked(variable, schema, fallback, 'variable', names);
    if (written !== undefined && written !== null) return this.#checked(written, schema, fallback, 'file', names);
    return fallback;
  }

  /** A value that is never in the file. An empty variable is not set. */
  readVariable(names: Names & { readonly variable: string }): string | undefined {
    const value = this.places.env[names.variable];
    if (value === undefined || value === '') return undefined;
    this.#given.set(names.key, { names, origin: 'variable' });
    return value;
  }

  /** Undefined where the default holds. */
  originOf(key: string): Origin | undefined {
    return this.#given.get(key)?.origin;
  }

  /** After all settings were read: what else is in the file is a mistake. */
  refuseUnknown(): void {
    const { document } = this.places;
    if (document === undefined) return;
    const root = document.value ?? {};
    if (isMapping(root)) this.#refuseUnknownIn(root, []);
    else this.#mistakeAt([], 'the file holds no mapping', 'settings such as `http_port: 4319`');
  }

  /** A mistake in how settings fit together, named where the setting was given. */
  mistake(key: string, problem: string, expected: string): void {
    const { origin, names } = this.#given.get(key) ?? {};
    const outside = { flag: longName(names?.flag ?? ''), variable: `environment variable ${names?.variable}` };
    if (origin === undefined || origin === 'file') this.#mistakeAt(key.split('.'), problem, expected);
    else this.mistakes.push({ file: outside[origin], ...NO_PLACE, path: '', problem, expected });
  }

  #checked<T>(given: unknown, schema: z.ZodType<T>, fallback: T, origin: Origin, names: Names): T {
    const { key } = names;
    this.#given.set(key, { names, origin });
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    const { issues } = parsed.error;
    if (origin === 'file' && issues.some(({ path }) => path.length > 0)) {
      for (const { path, message } of issues) this.#mistakeWithin(given, key, path, message);
      return fallback;
    }
    const [issue] = issues;
    const at = issue?.path.map((part) => ` at [${String(part)}]`).join('') ?? '';
    this.mistake(key, `${describe(given)}${at} is not right`, issue?.message ?? '');
    return fallback;
  }

  #inFile(key: string): unknown {
    let at = this.places.document?.value;
    for (const part of key.split('.')) {
      if (!isMapping(at) || !Object.hasOwn(at, part)) return undefined;
      at = at[part];
    }
    return at;
  }

  #refuseUnknownIn(mapping: Readonly<Record<string, unknown>>, path: readonly string[]): void {
    for (const [key, value] of Object.entries(mapping)) {
      const here = [...path, key];
      const full = here.join('.');
      if (this.#keys.includes(full)) continue;
      const isGroup = this.#keys.some((known) => known.startsWith(`${full}.`));
      if (isGroup && isMapping(value)) this.#refuseUnknownIn(value, here);
      else if (isGroup && value !== null)
        this.#mistakeAt(here, `${describe(value)} is not right`, 'a mapping of fields');
      else if (!isGroup) this.#refuse(here);
    }
  }

  #refuse(path: readonly string[]): void {
    const parent = path.slice(0, -1).join('.');
    const prefix = parent === '' ? '' : `${parent}.`;
    const siblings = new Set(
      this.#keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length).split('.')[0] ?? ''),
    );
    const key = path.at(-1) ?? '';
    const nearest = didYouMean(key, siblings);
    const expected = nearest === undefined ? `one of ${[...siblings].join(', ')}` : `did you mean '${nearest}'?`;
    this.#mistakeAt(path, `unknown setting '${key}'`, expected);
  }

  /** A mistake in a part of a setting, named where that part stands. */
  #mistakeWithin(given: unknown, key: string, within: readonly PropertyKey[], expected: string): void {
    const parts = within.map((part) => (typeof part === 'number' ? part : String(part)));
    const path = [...key.split('.'), ...parts];
    const part = parts.reduce<unknown>(memberOf, given);
    const place = this.places.document?.placeOf(path) ?? NO_PLACE;
    const problem = part === undefined ? 'it is missing' : `${describe(part)} is not right`;
    this.#push(path, place, problem, expected);
  }

  #mistakeAt(path: Path, problem: string, expected: string): void {
    this.#push(path, this.places.document?.placeOfKey(path) ?? NO_PLACE, problem, expected);
  }

  #push(path: Path, place: Place, problem: string, expected: string): void {
    const file = this.places.document?.file ?? 'settings';
    this.mistakes.push({ file, ...place, path: formatPath(path), problem, expected });
  }
}

const NO_PLACE: Place = { line: undefined, column: undefined };

/** As the command line's parser does: `dataDir` for `--data-dir <folder>`. */
function flagName(flag: string): string {
  return longName(flag)
    .slice(2)
    .replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function longName(flag: string): string {
  return flag.split(' ')[0] ?? '';
}

function memberOf(value: unknown, part: string | number): unknown {
  if (Array.isArray(value)) return value[Number(part)];
  return isMapping(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

function describe(given: unknown): string {
  return (JSON.stringify(given) ?? 'nothing').slice(0, 80);
}
