/**
 * The views of the page in the browser: their names and addresses. The page navigates by this table, and the service
 * answers these addresses with the page. A view `x` is the module `src/page/x/x.tsx`.
 *
 * A name in braces stands for the rest of the path, percent-encoded: an id may have any character.
 */
export const PAGE_VIEWS = ['overview', 'conversations', 'versions', 'read', 'failures', 'review', 'suites'] as const;
export type PageView = (typeof PAGE_VIEWS)[number];

export const PAGE_PATHS = {
  overview: ['/'],
  conversations: ['/conversations', '/conversations/{conversation...}'],
  versions: ['/versions'],
  read: ['/read'],
  failures: ['/failures'],
  review: ['/review'],
  suites: ['/suites'],
} as const satisfies Record<PageView, readonly string[]>;
