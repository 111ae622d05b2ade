/**
 * Where a setting's value comes from: a flag, else an environment variable, else the configuration file, else its
 * default. Every value is checked where it is found, and every mistake names that place; the default stands in, so that
 * the checks after it can go on.
 */
import type { z } from 'zod';
import { didYouMean } from '../model/did-you-mean.ts';
import type { Mistake } from '../model/mistake.ts';
import { formatPath, type Path, type WrittenDocument } from '../model/written-document.ts';

export type Flags = { readonly [flag: string]: unknown };
export type Variables = { readonly [variable: string]: string | undefined };

export interface SettingName {
  /** In the file: `turn.settle`. */
  readonly key: string;
  readonly variable?: string;
  /** As the command line's parser names it: `dataDir` for --data-dir. */
  readonly flag?: string;
}

export type Origin = 'flag' | 'variable' | 'file' | 'default';

export interface Sourced<T> {
  readonly value: T;
  readonly origin: Origin;
}

export class Sources {
  readonly mistakes: Mistake[] = [];
  readonly #flags: Flags;
  readonly #variables: Variables;
  readonly #document: WrittenDocument | undefined;
  readonly #keys: string[] = [];

  constructor(flags: Flags, variables: Variables, document: WrittenDocument | undefined) {
    this.#flags = flags;
    this.#variables = variables;
    this.#document = document;
  }

  read<T>(name: SettingName, schema: z.ZodType<T>, fallback: T): Sourced<T> {
    this.#keys.push(name.key);
    const flag = name.flag === undefined ? undefined : this.#flags[name.flag];
    const variable = name.variable === undefined ? undefined : this.#variables[name.variable];
    const written = this.#inFile(name.key);
    // An empty variable is how shells and compose files say "not set".
    if (flag !== undefined) return this.#checked(flag, schema, fallback, 'flag', name);
    if (variable !== undefined && variable !== '') return this.#checked(variable, schema, fallback, 'variable', name);
    if (written !== undefined && written !== null) return this.#checked(written, schema, fallback, 'file', name);
    return { value: fallback, origin: 'default' };
  }

  /** After all settings were read: what else is in the file is a mistake. */
  refuseUnknown(): void {
    if (this.#document === undefined) return;
    const root = this.#document.value;
    if (root === null || root === undefined) return;
    if (!isMapping(root)) {
      this.#mistakeAt([], 'the file holds no mapping', 'settings such as `http_port: 4319`');
      return;
    }
    this.#refuseUnknownIn(root, []);
  }

  /** A mistake in how settings fit together, named where the setting was given. */
  mistake(name: SettingName, origin: Origin, problem: string, expected: string): void {
    if (origin === 'file' || origin === 'default') this.#mistakeAt(name.key.split('.'), problem, expected);
    else this.mistakes.push({ ...outsideFile(origin, name), problem, expected });
  }

  #checked<T>(given: unknown, schema: z.ZodType<T>, fallback: T, origin: Origin, name: SettingName): Sourced<T> {
    const parsed = schema.safeParse(given);
    if (parsed.success) return { value: parsed.data, origin };
    const [issue] = parsed.error.issues;
    if (origin === 'file' && parsed.error.issues.some(({ path }) => path.length > 0)) {
      for (const { path, message } of parsed.error.issues) this.#mistakeWithin(given, name, path, message);
      return { value: fallback, origin };
    }
    const at = issue === undefined ? '' : issue.path.map((part) => `[${String(part)}]`).join('');
    this.mistake(name, origin, `${describe(given)}${at === '' ? '' : ` at ${at}`} is not right`, issue?.message ?? '');
    return { value: fallback, origin };
  }

  #inFile(key: string): unknown {
    let at = this.#document?.value;
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
  #mistakeWithin(given: unknown, name: SettingName, within: readonly PropertyKey[], expected: string): void {
    const parts = within.map((part) => (typeof part === 'number' ? part : String(part)));
    const path = [...name.key.split('.'), ...parts];
    const part = parts.reduce<unknown>(memberOf, given);
    const place = this.#document?.placeOf(path) ?? { line: undefined, column: undefined };
    const problem = part === undefined ? 'it is missing' : `${describe(part)} is not right`;
    this.mistakes.push({
      file: this.#document?.file ?? 'settings',
      ...place,
      path: formatPath(path),
      problem,
      expected,
    });
  }

  #mistakeAt(path: Path, problem: string, expected: string): void {
    const document = this.#document;
    const place = document?.placeOfKey(path) ?? { line: undefined, column: undefined };
    this.mistakes.push({ file: document?.file ?? 'settings', ...place, path: formatPath(path), problem, expected });
  }
}

function outsideFile(origin: 'flag' | 'variable', { flag = '', variable = '' }: SettingName) {
  const kebab = flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const file = origin === 'flag' ? `--${kebab}` : `environment variable ${variable}`;
  return { file, line: undefined, column: undefined, path: '' };
}

function memberOf(value: unknown, part: string | number): unknown {
  if (Array.isArray(value)) return value[Number(part)];
  return isMapping(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(given: unknown): string {
  return (JSON.stringify(given) ?? 'nothing').slice(0, 80);
}
