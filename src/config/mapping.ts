/** A mapping that can be in the file several times: a judge, a webhook. Its members are declared as settings are. */
import { z } from 'zod';
import { didYouMean } from '../model/did-you-mean.ts';
import type { Fields, ValuesOf } from './setting.ts';

/** Values are named as the fields are, and not by their keys. */
export function mapping<const F extends Fields>(fields: F): z.ZodType<ValuesOf<F>> {
  const entries = Object.entries(fields);
  const shape = entries.map(([, { key, schema, required }]) => [key, required ? schema : schema.optional()] as const);
  const schema = strict(Object.fromEntries(shape)).transform((written) =>
    Object.fromEntries(entries.map(([name, { key, fallback }]) => [name, written[key] ?? fallback])),
  );
  // The cast holds: every field has its value or its fallback.
  return schema as unknown as z.ZodType<ValuesOf<F>>;
}

function strict(shape: z.ZodRawShape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return `a mapping of ${known.join(', ')}`;
      return (issue.keys ?? [])
        .map((key) => {
          const nearest = didYouMean(String(key), known);
          const hint = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean '${nearest}'?`;
          return `no '${String(key)}'; ${hint}`;
        })
        .join('; ');
    },
  });
}
