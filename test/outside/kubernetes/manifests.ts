/** The documents of a manifest file, without the empty ones that templates leave. */
import { parseAllDocuments } from 'yaml';
import type { Written } from '../../deploy/shipped-files.ts';

export function manifestsOf(text: string): readonly Written[] {
  return parseAllDocuments(text)
    .map((document): Written => document.toJS())
    .filter((resource) => resource !== null && resource !== undefined);
}
