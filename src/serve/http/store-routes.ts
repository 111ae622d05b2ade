/** The table of all routes that need an open store, whichever thread answers them. */
import type { Unavailable } from '../../report/http/answer.ts';
import { answeredFrom, type Route } from '../../report/http/route.ts';
import { answeredByComparing, answeredByThread } from './answered-by-thread.ts';
import type { OpenStore } from './open-store.ts';
import { FORGET_ROUTES, STORE_WRITES, type WriteSide } from '../api/routes.ts';
import type { ForgetSide } from '../api/forget-api.ts';
import { type ReadSide, STORE_READS } from '../api/store-reads.ts';
import { COMPARING_READS } from '../api/v1/comparing-reads.ts';
import type { ComparingSide } from '../api/v1/comparing-side.ts';
import { EXPORT_ROUTES, type ExportApi } from '../exporting/export-route.ts';
import { VERSION_CHECK_ROUTES, type VersionCheckSide } from '../comparing/version-check-route.ts';
import { WHAT_IF_ROUTES, type WhatIfApi } from '../what-if/what-if-routes.ts';

export const STORE_ROUTES: readonly Route<
  ReadSide & WriteSide & ForgetSide & WhatIfApi & ExportApi & ComparingSide & VersionCheckSide
>[] = [
  ...STORE_READS,
  ...COMPARING_READS,
  ...VERSION_CHECK_ROUTES,
  ...WHAT_IF_ROUTES,
  ...EXPORT_ROUTES,
  ...STORE_WRITES,
  ...FORGET_ROUTES,
];

/** Each with what answers it: a thread that reads, one that compares, or this one. */
export function storeRoutes(store: () => OpenStore | Unavailable): readonly Route<undefined>[] {
  return [
    ...answeredFrom(STORE_READS.map(answeredByThread), store),
    ...answeredFrom(COMPARING_READS.map(answeredByComparing), store),
    ...answeredFrom(VERSION_CHECK_ROUTES, store),
    ...answeredFrom(WHAT_IF_ROUTES, store),
    ...answeredFrom(EXPORT_ROUTES, store),
    ...answeredFrom(STORE_WRITES, store),
    ...answeredFrom(FORGET_ROUTES, store),
  ];
}
