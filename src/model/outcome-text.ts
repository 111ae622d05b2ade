/** The outcome, and of a failure its kind: `graceful_failure (loop)`. */
import type { Evaluation } from './evaluation.ts';

export function outcomeText({ outcome, because }: Pick<Evaluation, 'outcome' | 'because'>): string {
  return because === undefined ? outcome : `${outcome} (${because})`;
}
