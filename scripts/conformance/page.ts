import type { RowResult } from './result.ts';
export function conformancePage(results: readonly RowResult[]): string {
  return String(results.length);
}
