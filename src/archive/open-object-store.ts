/** Opens an archive's object storage by its place. */
import { FolderStore } from './folder-store.ts';
import type { AwsVariables, ObjectStore } from './object-store.ts';
import { S3Store } from './s3-store.ts';

export function isBucketUrl(place: string): boolean {
  return place.startsWith('s3://');
}

/** `place` is a folder, or `s3://bucket/prefix`. Throws where variables that a bucket needs are missing. */
export function openObjectStore(place: string, variables: AwsVariables = process.env): ObjectStore {
  return isBucketUrl(place) ? S3Store.of(place, variables) : new FolderStore(place);
}
