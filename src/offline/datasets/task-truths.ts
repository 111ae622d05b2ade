/** Truths of a dataset that a suite with the checks of `task-success` cannot read: found before an agent is run for them. */
import { readsTaskTruth } from '../../engine/suite-outline.ts';
import type { Dataset } from '../../model/dataset.ts';
import type { Mistake } from '../../model/mistake.ts';
import { taskTruthMistake } from '../../score/expected/expected-actions.ts';
import type { CompiledSuite } from '../../score/suite.ts';

export function taskTruthMistakes(
  { cases, file }: Pick<Dataset, 'cases' | 'file'>,
  suites: readonly Pick<CompiledSuite, 'criteria'>[],
): readonly Mistake[] {
  if (!suites.some(readsTaskTruth)) return [];
  return cases.flatMap(({ id, truth, line }) => {
    const mistake = truth === undefined ? undefined : taskTruthMistake(truth);
    return mistake === undefined ? [] : [{ file, line, column: undefined, path: `case '${id}'`, ...mistake }];
  });
}
