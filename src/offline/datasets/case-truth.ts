/** The truth of a case as scoring takes it, with the golden trace that it names. */
import type { DatasetCase } from '../../model/dataset.ts';
import type { Json } from '../../model/json.ts';

/** Undefined where nothing is known. */
export function truthOfCase({ truth, golden }: Pick<DatasetCase, 'truth' | 'golden'>): Json | undefined {
  if (golden === undefined) return truth;
  // A dataset whose truth has no place for it is refused.
  return { ...(typeof truth === 'object' && truth !== null ? truth : {}), golden };
}
