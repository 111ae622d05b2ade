/**
 * Object storage as the archive needs it: whole objects under keys, written once or replaced whole. A folder or a bucket
 * of the S3 interface (`docs/archive.md`).
 *
 * A put replaces the object under its key or leaves the earlier one, whatever happens in between. A put without an answer
 * may have been carried out, so callers repeat it under the same key.
 */
import { FolderStore } from './folder-store.ts';
import { S3Store } from './s3-store.ts';

export interface ObjectStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined where there is none. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Deleting one that is not there succeeds. */
  delete(key: string): Promise<void>;
  /** Keys that begin with the prefix, a page at a time, in the order of their bytes. */
  list(prefix: string): AsyncGenerator<readonly string[]>;
}

/** Environment variables of AWS that name the endpoint, the region and the credentials. */
export type AwsVariables = { readonly [name: string]: string | undefined };

export function isBucketUrl(place: string): boolean {
  return place.startsWith('s3://');
}

/** `place` is a folder, or `s3://bucket/prefix`. Throws where variables that a bucket needs are missing. */
export function openObjectStore(place: string, variables: AwsVariables = process.env): ObjectStore {
  return isBucketUrl(place) ? S3Store.of(place, variables) : new FolderStore(place);
}
