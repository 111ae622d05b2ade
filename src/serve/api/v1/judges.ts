/** `GET /api/v1/judges`: from the configuration, and from the last round that compared judges with people. */
import type { Settings } from '../../../config/settings.ts';
import type { Judges } from '../../../api/judges.ts';
import type { ApiEstimate } from '../../../api/shapes.ts';
import type { Estimate } from '../../../model/estimate.ts';
import type { ShownCalibration } from '../../../report/metrics/calibration-metrics.ts';

interface LastCalibration {
  readonly isHere: boolean;
  readonly shown: readonly ShownCalibration[];
}

export function judgesJson({ judges, budget }: Settings['judging'], { isHere, shown }: LastCalibration): Judges {
  return {
    judges: judges.map(({ name, provider, model, votes, sample, requestsPerMinute }) => ({
      name,
      provider,
      model,
      votes,
      sample,
      requests_per_minute_max: requestsPerMinute,
      criteria: shown.filter(({ judge }) => judge === name).map(criterionJson),
    })),
    budget: {
      ...(Number.isFinite(budget.perHour) ? { per_hour: budget.perHour } : {}),
      ...(Number.isFinite(budget.perDay) ? { per_day: budget.perDay } : {}),
    },
    calibrates_here: isHere,
  };
}

function criterionJson(one: ShownCalibration): Judges['judges'][number]['criteria'][number] {
  const { suite, criterion, judgeVersion, labelled, kappa, sensitivity, specificity } = one;
  const sumOf = (...labels: readonly string[]) =>
    labelled.reduce((sum, { label, count }) => (labels.includes(label) ? sum + count : sum), 0);
  const [passed, failed] = [sumOf('pass'), sumOf('fail')];
  return {
    suite,
    criterion,
    judge_version: judgeVersion,
    labels: passed + failed,
    disputed: sumOf('disputed'),
    ...figure('kappa', kappa, passed + failed),
    ...figure('sensitivity', sensitivity, passed),
    ...figure('specificity', specificity, failed),
  };
}

function figure<Name extends string>(
  name: Name,
  estimate: Estimate | undefined,
  n: number,
): { readonly [Key in Name]?: ApiEstimate } {
  if (estimate === undefined) return {};
  const { value, lower: low, upper: high } = estimate;
  // The cast holds because the key is computed from a literal.
  return { [name]: { value, low, high, n } } as { readonly [Key in Name]?: ApiEstimate };
}
