/**
 * A sequential gate: asked after planned numbers of cases, and over as soon as it is decided. At each look `decideGate`
 * decides on the cases so far, at that look's share of the error (`plan-looks.ts`). All looks together err at most as
 * often as the gate as it is written.
 *
 * Cases are run in an order drawn from the seed, because a file sorted by theme would be a biased sample. A look counts
 * whole cases: all of them before it, with all their repeats, and none after it.
 *
 *   running      -- all runs before the look are kept --------> due: nothing is in flight, so nothing is aborted
 *   due          -- it is decided, or it is the last ---------> its answer is written; ended
 *   due          -- it is not --------------------------------> its answer is written; running
 *   running      -- Ctrl-C, a crash, kill -9 -----------------> interrupted: `assay gate` decides at the last look that
 *                                                               was held, and refuses before the first
 *   due          -- kill -9 before its answer is written -----> interrupted: the same runs give the same answer
 *   interrupted  -- `--resume` -------------------------------> running: same order, looks, rules and baseline. A look
 *                                                               that has an answer is not held again
 *   ended        -- `--resume` -------------------------------> ended: nothing is run
 *
 * A run that crashed or timed out is kept, and counts as it does in any gate. Where judges have not answered, the limits
 * of their suite are open before the last look. A rule that counts cases can be broken at any look. It is known to be
 * kept only when so few cases are left that they cannot break it.
 *
 * `assay gate` later decides at the same look by the same share, so it gives the same answer. Other rules and another
 * baseline are decided there as well, with a note that the experiment ended for another question. The shares bound the
 * error of any question, whatever the reason to end. All of the error at the end would exceed it.
 */
import type { ExperimentResult, ExperimentSuite } from '../../../model/experiment.ts';
import { type CountRule, type GateLook, type GateResult, isLastLook, type PlannedLook } from '../../../model/gate.ts';
import { criticalNamesOf } from './counted-cases.ts';
import { decideGate } from './decide-gate.ts';
import { asksByChance, countsOf, type GateFile } from './gate-rules.ts';
import type { Experiments } from './sides.ts';

/** The decision at a look. */
export function decideAtLook(
  candidate: ExperimentResult,
  against: Omit<Experiments, 'candidate'> & { readonly gate: GateFile; readonly look: GateLook },
): GateResult {
  return decideGate({ ...against, candidate: cutTo(candidate, against.look), warnings: [] });
}

/**
 * The candidate as it was at the look. Its order has the cases that are left after the look, because these are not
 * missing, and those before it are.
 */
function cutTo({ experiment, runs }: ExperimentResult, look: GateLook): ExperimentResult {
  const { untilDecided: plan, endedAt, startedAt } = experiment;
  const order = plan?.order ?? [];
  const cases = new Set(order.slice(0, look.cases).map((one) => one.case));
  return {
    experiment: {
      ...experiment,
      // Before the last look there are cases that may break what the others keep.
      endedAt: isLastLook(look) ? (endedAt ?? startedAt) : undefined,
      ...(plan === undefined ? {} : { untilDecided: { ...plan, order: order.slice(look.cases) } }),
    },
    runs: runs.filter((run) => cases.has(run.case)),
  };
}

/** Rules that count cases and can be known to be kept only when all cases are run, as `suite: rule`. */
export function keptOnlyAtTheEnd(
  gate: GateFile,
  suites: readonly ExperimentSuite[],
  looks: readonly PlannedLook[],
): readonly CountRule[] {
  const [last, early] = [looks.at(-1), looks.at(-2)];
  const left = (last?.cases ?? 0) - (early?.cases ?? 0);
  const rules = suites.flatMap((suite): readonly CountRule[] => [
    ...(asksByChance(gate, suite) && left > 0 ? (['cases_worse'] as const) : []),
    ...countsOf(gate, suite)
      .filter(({ rule, allowed }) => rule !== 'missing_cases' && allowed < left)
      .filter(({ rule }) => !ASKS_FOR_CRITICAL.includes(rule) || criticalNamesOf(suite).length > 0)
      .map(({ rule }) => rule),
  ]);
  return [...new Set(rules)];
}

const ASKS_FOR_CRITICAL: readonly CountRule[] = ['critical_failures', 'newly_critical'];
