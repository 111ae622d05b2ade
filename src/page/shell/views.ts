/** The table of views. A view is loaded when it is first shown; one more view is one more line here and in `PAGE_PATHS`. */
import type { ComponentType } from 'preact';
import type { PageView } from '../../model/page-views.ts';
import type { ViewProps } from './view-props.ts';

interface ViewEntry {
  readonly title: string;
  /** Pressed after `g`. */
  readonly key: string;
  readonly load: () => Promise<ComponentType<ViewProps>>;
}

export const VIEWS: Readonly<Record<PageView, ViewEntry>> = {
  overview: {
    title: 'Overview',
    key: 'o',
    load: async () => (await import('../overview/overview.tsx')).Overview,
  },
  conversations: {
    title: 'Conversations',
    key: 'c',
    load: async () => (await import('../conversations/conversations.tsx')).Conversations,
  },
  versions: {
    title: 'Versions',
    key: 'v',
    load: async () => (await import('../versions/versions.tsx')).Versions,
  },
  read: { title: 'Read', key: 'e', load: async () => (await import('../read/read.tsx')).Read },
  failures: {
    title: 'Failures',
    key: 'f',
    load: async () => (await import('../failures/failures.tsx')).Failures,
  },
  review: { title: 'Review', key: 'r', load: async () => (await import('../review/review.tsx')).Review },
  suites: { title: 'Suites', key: 's', load: async () => (await import('../suites/suites.tsx')).Suites },
};
