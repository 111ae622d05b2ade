/**
 * A gate file to begin with: the rules that hold without one, with a comment on each. All of them together call an
 * unchanged agent a regression in at most 5 of 100 gates. Rules with a number of cases make no allowance for chance, so
 * they are comments, for a team whose agent is steady enough.
 */
import type { ExperimentResult } from '../../../model/experiment.ts';
import { effortsOf } from '../measure.ts';
import { SuiteRuns } from '../suite-runs.ts';

/** The suite that a draft is written for. */
export interface DraftSuite {
  readonly name: string;
  readonly hasCritical: boolean;
  /** False also if no experiment was scored by it yet. */
  readonly knowsCost: boolean;
}

const CASES_FOR_LIMITS_MIN = 60;

export function draftSuites(result: ExperimentResult): readonly DraftSuite[] {
  return result.experiment.suites.map(({ name, criteria }) => ({
    name,
    hasCritical: criteria.some(({ isCritical }) => isCritical),
    knowsCost: effortsOf(new SuiteRuns(result, name), { is: 'cost_per_success' }).size > 0,
  }));
}

/** `from` names what it was written from. */
export function draftGate(from: string, suites: readonly DraftSuite[]): string {
  return `# What a release may not do. Written by \`assay gate --init\` from ${from.replace(/[^\w.:+-]+/g, ' ')}; yours to change.
# All rules: \`assay gate --help\` and docs/score/release-gate.md.

# All rules below have one error together: an unchanged agent is called a regression in at most 5 of 100 gates.
confidence: 0.95

# Averages need at least ${CASES_FOR_LIMITS_MIN} cases, and hundreds where the agent often fails (\`assay gate --plan\` says how many). A
# limit that cannot be decided does not stop a release. With \`fail\` it does, with exit code 2.
on_not_enough_evidence: pass

suites:
${suites.map(draftOf).join('\n')}`;
}

function draftOf({ name, hasCritical, knowsCost }: DraftSuite): string {
  const lines = [
    `${/^[a-z_][\w-]*$/i.test(name) ? name : JSON.stringify(name)}:`,
    '  # No more cases may get worse, as a whole or in a criterion, than chance explains. It takes about seven cases, or',
    '  # two that are run three times (`assay run --repeats 3`). With 0, one case that broke is enough, also by chance.',
    '  cases_worse: by chance',
    '  # Cases of the baseline that were not run, or were changed: what was left out may be what broke.',
    '  missing_cases: 0',
    '',
    '  # Averages, against the baseline: 5 points are 0.90 to 0.85, 5% of baseline is 0.90 to 0.855.',
    '  tcr: { max_drop: 5 points }',
    '  success_rate: { max_drop: 5% of baseline }',
    '  criteria: { max_drop: 10 points }    # each of them',
    '  failed_runs: { max_rise: 5 points }',
    knowsCost
      ? '  cost_efficiency: { max_drop: 10% }    # successes for a dollar'
      : '  # cost_efficiency: { max_drop: 10% }    # successes for a dollar, where the spans have costs',
    '',
    '  # Demands on single cases. One case stops the release, also by chance: for agents that never fail this way.',
    '  # newly_hard_failing: 0    # cases that passed in the baseline and fail hard now',
    ...(hasCritical
      ? [
          '  # newly_critical: 0        # cases that newly fail a critical criterion: an honest failure that became a lie',
          '  # critical_failures: 0     # cases in which a critical criterion fails',
        ]
      : []),
  ];
  return lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('');
}
