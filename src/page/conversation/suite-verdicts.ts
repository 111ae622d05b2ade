/** The verdicts of a conversation by suite and criterion, over all its turns: a criterion is one row, however often it was asked. */
import type { FullEvaluation, TurnJson, VerdictOfCriterion } from '../../api/conversation-detail.ts';
import { decisionOf } from '../../model/decision.ts';
import type { VerdictKind } from '../../model/evaluation.ts';
import { worstFirst } from '../../model/worst-first.ts';
import { countText } from '../text/format.ts';

/** One verdict, with where it was given. */
export interface Given {
  readonly evaluation: FullEvaluation;
  readonly verdict: VerdictOfCriterion;
  /** Number of the turn; undefined where the suite is for conversations, and 0 where the turn is not stored. */
  readonly turn: number | undefined;
}

export interface CriterionVerdicts {
  readonly criterion: string;
  /** Verdicts that need attention, by turn. */
  readonly open: readonly Given[];
  readonly fine: readonly Given[];
}

export interface SuiteVerdicts {
  readonly suite: string;
  readonly version: string;
  /** The worst first. */
  readonly evaluations: readonly FullEvaluation[];
  readonly worst: FullEvaluation;
  /** The gravest first. */
  readonly criteria: readonly CriterionVerdicts[];
}

/** The order of verdicts, and whether one needs no attention. */
const STANDING = {
  fail: { place: 0, isFine: false },
  error: { place: 1, isFine: false },
  skipped: { place: 2, isFine: false },
  pass: { place: 3, isFine: true },
  not_applicable: { place: 4, isFine: true },
} satisfies Record<VerdictKind, { readonly place: number; readonly isFine: boolean }>;

export function needsNoAttention(verdict: VerdictKind): boolean {
  return STANDING[verdict].isFine;
}

/** `3 passed, 1 not applicable`. */
export function countedFine(fine: readonly Pick<VerdictOfCriterion, 'verdict'>[]): string {
  const passed = fine.filter(({ verdict }) => decisionOf(verdict) === 'pass').length;
  const others = fine.length - passed;
  return [
    ...(passed > 0 ? [`${countText(passed)} passed`] : []),
    ...(others > 0 ? [`${countText(others)} not applicable`] : []),
  ].join(', ');
}

/** The suite of the worst evaluation first. */
export function suiteVerdicts(
  evaluations: readonly FullEvaluation[],
  turns: readonly TurnJson[],
): readonly SuiteVerdicts[] {
  const numbers = new Map(turns.map(({ turn_id: id }, index) => [id, index + 1]));
  const bySuite = Map.groupBy(worstFirst(evaluations), ({ suite, suite_version: version }) => `${suite} ${version}`);
  return [...bySuite.values()].flatMap((of) => {
    const [worst] = of;
    if (worst === undefined) return [];
    const { suite, suite_version: version } = worst;
    return [{ suite, version, worst, evaluations: of, criteria: criteriaOf(of, numbers) }];
  });
}

function criteriaOf(
  evaluations: readonly FullEvaluation[],
  numbers: ReadonlyMap<string, number>,
): readonly CriterionVerdicts[] {
  const given = evaluations.flatMap((evaluation) => {
    const { turn_id: id } = evaluation;
    const turn = id === undefined ? undefined : (numbers.get(id) ?? 0);
    return evaluation.verdicts.map((verdict): Given => ({ evaluation, verdict, turn }));
  });
  return [...Map.groupBy(given, ({ verdict }) => verdict.criterion)]
    .map(([criterion, all]) => {
      const inOrder = all.toSorted((a, b) => (a.turn ?? 0) - (b.turn ?? 0));
      const isFine = ({ verdict }: Given) => needsNoAttention(verdict.verdict);
      return { criterion, open: inOrder.filter((one) => !isFine(one)), fine: inOrder.filter(isFine) };
    })
    .toSorted((a, b) => gravityOf(a) - gravityOf(b) || weightOf(b) - weightOf(a));
}

function gravityOf({ open, fine }: CriterionVerdicts): number {
  return Math.min(...[...open, ...fine].map(({ verdict }) => STANDING[verdict.verdict].place));
}

/** A critical criterion decides the outcome, however little it weighs. */
function weightOf({ open, fine }: CriterionVerdicts): number {
  const { weight = 0, critical = false } = (open[0] ?? fine[0])?.verdict ?? {};
  return critical && open.length > 0 ? 1 + weight : weight;
}
