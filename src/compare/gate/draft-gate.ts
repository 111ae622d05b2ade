/** A gate file to begin with: rules that the experiment it was written from keeps, with a comment on each. */
import type { ExperimentResult } from '../../model/experiment.ts';
import { effortsOf } from '../measure.ts';
import { SuiteRuns } from '../suite-runs.ts';
import { criticalFailures } from './counted-cases.ts';

/** The experiment that a draft is written for. */
export interface DraftSuite {
  readonly name: string;
  readonly hasCritical: boolean;
  /** Undefined where no experiment was scored by it yet. */
  readonly seen: SeenSuite | undefined;
}

interface SeenSuite {
  readonly cases: number;
  readonly criticalFailures: number;
  /** Its critical criteria could not be decided: a crash, or a judge that has not answered. */
  readonly criticalUndecided: number;
  readonly knowsCost: boolean;
}

/** Share of the cases, because chance moves a few of them each time. */
const WORSE_SHARE = 0.05;
const CASES_FOR_LIMITS_MIN = 60;

export function draftSuites(result: ExperimentResult): readonly DraftSuite[] {
  return result.experiment.suites.map(({ name, criteria }) => {
    const runs = new SuiteRuns(result, name);
    const critical = criticalFailures(runs);
    return {
      name,
      hasCritical: criteria.some(({ isCritical }) => isCritical),
      seen: {
        cases: runs.cases.size,
        criticalFailures: critical?.broken.length ?? 0,
        criticalUndecided: critical?.undecided.length ?? 0,
        knowsCost: effortsOf(runs, { is: 'cost_per_success' }).size > 0,
      },
    };
  });
}

/** `from` names what it was written from. */
export function draftGate(from: string, suites: readonly DraftSuite[]): string {
  return `# What a release may not do. Written by \`assay gate --init\` from ${from.replace(/[^\w.:+-]+/g, ' ')}; yours to change.
# All rules: \`assay gate --help\` and docs/release-gate.md.

# Rules that count cases decide from the first case. Averages need at least ${CASES_FOR_LIMITS_MIN} cases, and hundreds where the agent often
# fails (\`assay gate --plan\` says how many): until then they are reported, and do not stop a release. With \`fail\` they do.
on_not_enough_evidence: pass

suites:
${suites.map(draftOf).join('\n')}`;
}

function draftOf({ name, hasCritical, seen }: DraftSuite): string {
  const lines = [
    `${/^[a-z_][\w-]*$/i.test(name) ? name : JSON.stringify(name)}:`,
    '  # Cases that passed in the baseline and fail hard now.',
    '  newly_hard_failing: 0',
    ...(hasCritical
      ? [
          '  # Cases that newly fail a critical criterion, whatever else they failed: an honest failure that became a lie.',
          '  newly_critical: 0',
        ]
      : []),
    ...criticalLines(hasCritical, seen),
    ...worseLines(seen?.cases),
    '  # Cases of the baseline that were not run, or were changed: what was left out may be what got worse.',
    '  missing_cases: 0',
    '',
    '  # Averages, against the baseline: 5 points are 0.90 to 0.85, 5% of baseline is 0.90 to 0.855.',
    '  tcr: { max_drop: 5 points }',
    '  success_rate: { max_drop: 5% of baseline }',
    '  criteria: { max_drop: 10 points }    # each of them',
    '  failed_runs: { max_rise: 5 points }',
    seen?.knowsCost === true
      ? '  cost_efficiency: { max_drop: 10% }    # successes for a dollar'
      : '  # cost_efficiency: { max_drop: 10% }    # successes for a dollar, where the spans have costs',
  ];
  return lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('');
}

function criticalLines(hasCritical: boolean, seen: SeenSuite | undefined): readonly string[] {
  if (!hasCritical) return ['  # critical_failures: 0    # this suite calls no criterion critical'];
  const { criticalFailures: failed, criticalUndecided: undecided } = seen ?? NOTHING_SEEN;
  const now = undecided === 0 ? `${failed} now` : `${failed} now, and ${undecided} undecided`;
  return [
    `  # Cases in which a critical criterion fails${seen === undefined ? '' : `: ${now}`}.${failed + undecided === 0 ? '' : ' Lower it as you fix them.'}`,
    `  critical_failures: ${failed + undecided}`,
  ];
}

const NOTHING_SEEN = { criticalFailures: 0, criticalUndecided: 0 };

function worseLines(cases: number | undefined): readonly string[] {
  const share = `${WORSE_SHARE * 100} %`;
  const which = cases === undefined ? `; ${share} of your cases is usual` : `: ${share} of ${cases}`;
  return [
    `  # Cases that \`assay compare\` lists as worse${which}.`,
    `  cases_worse: ${Math.floor((cases ?? 0) * WORSE_SHARE)}`,
  ];
}
