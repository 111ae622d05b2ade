/** The table of all routes that need an open store, whichever thread answers them. */
import type { Route } from '../../report/http/route.ts';
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
