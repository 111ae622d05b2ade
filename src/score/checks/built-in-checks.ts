/** The checks that suites can use by name. */
import type { BuiltInCheck } from './built-in-check.ts';

export const BUILT_IN_CHECKS: ReadonlyMap<string, BuiltInCheck> = new Map<string, BuiltInCheck>([]);
