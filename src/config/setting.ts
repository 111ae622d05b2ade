/**
 * A setting, written once: its names, default, bounds, whether a reload takes it, and one sentence. Types, checks, the options of commands and
 * docs/reference/configuration.md are all made from this. Defaults and bounds are written as a person would write them
 * in the file.
 */
import path from 'node:path';
import { z } from 'zod';
import { durationMs, sizeBytes } from './quantities.ts';
import type { Names, Sources } from './sources.ts';

/** A setting as its section declares it. */
export interface Declared extends Names {
  /** As in the file. Without one the value may be undefined. */
  readonly default?: unknown;
  /** In a mapping that can be there several times, such as a judge: it must be given. */
  readonly required?: true;
  /** For the documentation, where there is no default or an empty one. */
  readonly example?: unknown;
  /** Whether a reload takes a new value, where that differs from the rest of the section. */
  readonly reload?: boolean;
  /** Few deployments need it: it is shown apart from the common ones. */
  readonly rare?: true;
}

export interface Setting<T> extends Declared {
  /** One sentence. */
  readonly help: string;
  /** The values it takes, in words. */
  readonly takes: string;
  /** The file has the name of another file, which holds the value; the variable has the value itself. */
  readonly isSecret?: true;
  /** It is never in the file. */
  readonly variableOnly?: true;
  /** Settings of each of its members, where it is a mapping or a list of mappings. */
  readonly members?: Fields | undefined;
  read(sources: Sources): T;
}

/** A setting that is checked by a schema alone. */
type Field<T> = Setting<T> & {
  readonly schema: z.ZodType<T>;
  /** The default, parsed. */
  readonly fallback: T;
};

export type Fields = Readonly<Record<string, Field<unknown>>>;
/** Settings by the names of their values in the code; what stands in a mapping of its own may be grouped. */
export type Declarations = { readonly [name: string]: Setting<unknown> | Declarations };
export type ValuesOf<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : ValuesOf<S[K]> };

type Given<T, D> = D extends { readonly default: unknown } | { readonly required: true } ? T : T | undefined;

/** A setting of any kind; the kinds below are the usual ones. */
export function setting<T, const D extends Declared>(
  declared: D,
  help: string,
  schema: z.ZodType<T>,
  members?: Fields,
): Field<Given<T, D>> {
  const fallback = declared.default === undefined ? undefined : schema.parse(declared.default);
  const read = (sources: Sources) => sources.read<T | undefined>(declared, schema, fallback);
  const takes = expectedBy(schema);
  const field: Field<T | undefined> = {
    ...declared,
    help,
    takes,
    members,
    schema,
    fallback,
    read,
  };
  // The cast holds: without a default the value may be undefined, and a required one is read by `mapping` alone.
  return field as Field<Given<T, D>>;
}

/** A schema says what it expects where it is given something else altogether. */
function expectedBy(schema: z.ZodType): string {
  return schema.safeParse(Symbol('neither text nor number')).error?.issues[0]?.message ?? '';
}

interface Range<T> {
  readonly min: T;
  readonly max: T;
}

const ANY = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** In milliseconds. */
export function duration<const D extends Declared & Range<string>>(declared: D, help: string) {
  const [min, max] = [durationMs(ANY).parse(declared.min), durationMs(ANY).parse(declared.max)];
  return setting(declared, help, durationMs({ min, max }));
}

/** In bytes. */
export function size<const D extends Declared & Range<string>>(declared: D, help: string) {
  const [min, max] = [sizeBytes(ANY).parse(declared.min), sizeBytes(ANY).parse(declared.max)];
  return setting(declared, help, sizeBytes({ min, max }));
}

/** Flags and variables are texts; a whole number is one either way. */
export function count<const D extends Declared & Range<number>>(declared: D, help: string) {
  const { min, max } = declared;
  const expected = `a whole number from ${min} to ${max}`;
  const schema = z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], expected)
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, expected);
  return setting(declared, help, schema);
}

export function amount<const D extends Declared & Range<number>>(declared: D, help: string) {
  const { min, max } = declared;
  const expected = `a number from ${min} to ${max}`;
  return setting(declared, help, z.number(expected).min(min, expected).max(max, expected));
}

/** A switch: variables are texts, files know true and false. */
export function yesOrNo<const D extends Declared>(declared: D, help: string) {
  const text = z.enum(['true', 'false']).transform((written) => written === 'true');
  return setting(declared, help, z.union([z.boolean(), text], 'true or false'));
}

export function choice<const V extends readonly string[], const D extends Declared>(
  values: V,
  declared: D,
  help: string,
): Field<Given<V[number], D>> {
  // Said, because a declaration file cannot hold what would be inferred.
  const schema: z.ZodType<V[number]> = z.enum(values, `one of ${values.join(', ')}`);
  return setting(declared, help, schema);
}

/** A list in one text, with commas between. */
export const separated = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

export const someText = z.string('a text').min(1, 'a text that is not empty');

export function text<const D extends Declared>(declared: D, help: string) {
  return setting(declared, help, someText);
}

/** An absolute path. One in the file is relative to the file, any other to the current folder. */
export function folder<const D extends Declared>(declared: D, help: string): Field<Given<string, D>> {
  const field = text(declared, help);
  const read = (sources: Sources) => {
    const written: string | undefined = field.read(sources);
    const { baseDir, cwd } = sources.places;
    return written === undefined
      ? undefined
      : path.resolve(sources.originOf(declared.key) === 'file' ? baseDir : cwd, written);
  };
  // The cast holds: a path is resolved where one was read.
  return { ...field, takes: 'a path', read } as Field<Given<string, D>>;
}
