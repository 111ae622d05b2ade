/** Whether two calls ask for the same. */
import type { ExcerptCall } from '../model/excerpt.ts';

export function isSameCall(one: ExcerptCall, other: ExcerptCall): boolean {
  return one.tool === other.tool && JSON.stringify(one.args) === JSON.stringify(other.args);
}
