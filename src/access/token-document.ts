/**
 * The file of tokens, as `assay token` writes it and as operators mount it:
 *
 *   tokens:
 *     - { name: grafana, role: read, sha256: 9f86…, expires: 2027-01-01T00:00:00Z }
 *
 * JSON is YAML, so both are read. It holds no secret, but whoever can write it can let himself in.
 */
import { z } from 'zod';
import type { KeptToken } from '../model/access.ts';
import { ROLES } from '../model/caller.ts';
import { readWrittenDocument } from '../model/written-document.ts';

const TOKENS_MAX = 10_000;
const NAME = /^[A-Za-z0-9][\w.@:-]{0,63}$/;
export const NAME_EXPECTED = 'a name of up to 64 letters, digits and . _ @ : -';
const time = z
  .string('a time such as 2027-01-01T00:00:00Z')
  .refine((text) => !Number.isNaN(Date.parse(text)), 'a time such as 2027-01-01T00:00:00Z')
  .transform((text) => Date.parse(text));

export const tokenName = z.string(NAME_EXPECTED).regex(NAME, NAME_EXPECTED);

const tokenEntry = z
  .strictObject({
    name: tokenName,
    role: z.enum(ROLES, `one of ${ROLES.join(', ')}`),
    sha256: z
      .string('the SHA-256 of the token in hex')
      .regex(/^[0-9a-f]{64}$/i, 'the SHA-256 of the token: 64 digits of hex'),
    id: z.string().optional(),
    created: time.optional(),
    expires: time.nullish(),
  })
  .transform(
    ({ name, role, sha256, id, created, expires }): KeptToken => ({
      id: id ?? sha256.slice(0, 10).toLowerCase(),
      name,
      role,
      sha256: sha256.toLowerCase(),
      createdAt: created,
      expiresAt: expires ?? undefined,
    }),
  );

const list = z
  .array(tokenEntry, 'a list of tokens')
  .max(TOKENS_MAX, `at most ${TOKENS_MAX} tokens`)
  .refine((tokens) => new Set(tokens.map(({ name }) => name)).size === tokens.length, 'each name once');
const document = z.union([list, z.strictObject({ tokens: list }).transform(({ tokens }) => tokens)]);

/** Throws where it is not such a file, with what is wrong. Empty is none. */
export function readTokens(text: string, file: string): readonly KeptToken[] {
  if (text.trim() === '') return [];
  const { value, mistakes } = readWrittenDocument(text, file);
  const [mistake] = mistakes;
  if (mistake !== undefined) throw new Error(`${file}: ${mistake.problem}`);
  const isList = Array.isArray(value);
  const parsed = (isList ? list : document).safeParse(isList ? value : (value ?? []));
  if (parsed.success) return parsed.data;
  const { path = [], message = '' } = deepest(parsed.error);
  throw new Error(`${file}: ${path.map(String).join('.') || 'tokens'}: expected ${message}`);
}

export function writeTokens(tokens: readonly KeptToken[]): string {
  const written = tokens.map(({ id, name, role, sha256, createdAt, expiresAt }) => ({
    id,
    name,
    role,
    sha256,
    ...(createdAt === undefined ? {} : { created: new Date(createdAt).toISOString() }),
    expires: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  }));
  return `${JSON.stringify({ tokens: written }, undefined, 2)}\n`;
}

function deepest({ issues: [issue] }: z.ZodError) {
  return issue ?? { path: [], message: '' };
}
