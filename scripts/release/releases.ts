/** Releases so far, oldest first, as `npm run release` has written them. Tests compare with them and build the last one. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { StoreFormats } from './store-formats.ts';

export interface Release {
  readonly version: string;
  /** The day, in UTC. */
  readonly date: string;
  /** Where git has it: the tag, or the commit of a version that has no tag. */
  readonly revision: string;
  readonly stores: StoreFormats;
}

export const RELEASES_FILE = 'releases.json';

// The cast holds because `npm run release` wrote the file.
export const RELEASES = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../..', RELEASES_FILE), 'utf8'),
) as readonly Release[];
