/**
 * Object storage as the archive needs it: whole objects under keys, written once or replaced whole. A folder or a bucket
 * of the S3 interface (`docs/operate/archive.md`).
 *
 * A put replaces the object under its key or leaves the earlier one, whatever happens in between. A put without an answer
 * may have been carried out, so callers repeat it under the same key.
 */
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
