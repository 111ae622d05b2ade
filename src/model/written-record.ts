/**
 * Records as they stand in files of JSON: the same fields with names in snake case, null where a value is absent, and
 * shares where sums are in millionths. One shape says both what is written and what is read, and checks both.
 */
import { z } from 'zod';

/** Reads with `z.decode`, and writes with `z.encode`. */
export function writtenRecord<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const fields = z.object(shape);
  return z.codec(z.record(z.string(), z.unknown()), fields, {
    // The casts hold: the shape of the fields checks what it is given.
    decode: (json) => renamed(json, camelCase) as z.input<typeof fields>,
    encode: (record) => renamed(record, snakeCase),
  });
}

/** Undefined, which is written as null. */
export function absent<Value extends z.ZodType>(value: Value) {
  return z.codec(value.nullable(), z.custom<z.output<Value> | undefined>(), {
    decode: (written) => written ?? undefined,
    encode: (read) => read ?? null,
  });
}

const MILLION = 1_000_000;
/** Millionths, which are written as a share of 1. */
export const millionths = z.codec(z.number(), z.int(), {
  decode: (share) => Math.round(share * MILLION),
  encode: (whole) => whole / MILLION,
});

function renamed(record: object, nameOf: (name: string) => string) {
  return Object.fromEntries(Object.entries(record).map(([name, value]): [string, unknown] => [nameOf(name), value]));
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
