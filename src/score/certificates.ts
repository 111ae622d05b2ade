/**
 * Certificates of criteria, in a file beside the suite: `refunds.certificates.json` beside `refunds.yaml`. Each is for
 * one version of a criterion, so that it ends with the first word that is changed.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { type Certificates, certificateShape } from '../model/certificate.ts';
import { tryParseJson } from '../model/json.ts';
import { evaluatorVersions } from './suite/evaluator-version.ts';
import type { CompiledSuite } from './suite/suite.ts';

const fileSchema = z.strictObject({
  criteria: z.record(z.string().max(200), certificateShape.extend({ version: z.string().max(100) })),
  chosen_by: z.array(z.string().max(64)).max(10_000).default([]),
});

const BYTES_MAX = 1024 * 1024;
const SUITE_ENDING = /\.\w+$/;

/** Leaves out those of criteria that are no longer what was measured. */
export async function certificatesOf(
  suite: CompiledSuite,
  file: string,
): Promise<Certificates | { readonly problem: string }> {
  const beside = certificateFile(file);
  const size = await stat(beside).then(
    (found) => found.size,
    () => 0,
  );
  if (size === 0) return { of: new Map(), chosenBy: new Set() };
  if (size > BYTES_MAX) return { problem: `it has ${size} bytes; at most ${BYTES_MAX} are read` };
  const read = fileSchema.safeParse(tryParseJson(await readFile(beside, 'utf8')));
  if (!read.success) {
    const place = read.error.issues[0]?.path.join('.') ?? '';
    return { problem: `it holds no certificates: ${place === '' ? 'it' : place} is not as it was written` };
  }
  const versions = versionsOf(suite);
  const of = Object.entries(read.data.criteria).flatMap(([name, { version, ...certificate }]) =>
    versions.get(name) === version ? [[name, certificate] as const] : [],
  );
  return { of: new Map(of), chosenBy: new Set(read.data.chosen_by) };
}

export function certificatesText(suite: CompiledSuite, { of, chosenBy }: Certificates): string {
  const versions = versionsOf(suite);
  const all = [...of].map(([name, one]) => [name, { version: versions.get(name), ...one }] as const);
  return `${JSON.stringify({ criteria: Object.fromEntries(all), chosen_by: [...chosenBy].toSorted() }, undefined, 2)}\n`;
}

/** Hash of a conversation's id: a file beside a suite names no conversations. */
export function chosenKey(conversationId: string): string {
  return createHash('sha256').update(conversationId).digest('hex').slice(0, 16);
}

export function certificateFile(suite: string): string {
  return suite.replace(SUITE_ENDING, '.certificates.json');
}

/** A judge's version belongs to the configuration, and here to nobody. */
function versionsOf(suite: CompiledSuite): ReadonlyMap<string, string> {
  return evaluatorVersions(suite, () => 'not asked').criteria;
}
