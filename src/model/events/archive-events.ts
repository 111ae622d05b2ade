/** Events of the archive on object storage, to be counted and logged. */
export type ArchiveEvent =
  /** Age of the oldest evaluation that is not archived. */
  | { readonly type: 'archive-lag'; readonly ms: number }
  /** Object storage or the store failed: everything waits, and is retried. */
  | { readonly type: 'archive-failed'; readonly problem: string }
  | { readonly type: 'archive-recovered' }
  /** Conversations were deleted from the store before they were archived. */
  | { readonly type: 'archive-missed'; readonly conversations: number };
