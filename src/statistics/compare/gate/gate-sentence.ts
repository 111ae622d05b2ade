/**
 * The decision of a gate in one sentence: what broke, by which criterion and rules, and where to read on.
 *
 *     Regression: 4 of 6 cases broke; criterion right_amount; rule cases_worse; see `npx assay compare … --transcripts paid-by-card`.
 */
import type { FlippedCase } from '../../../model/comparison.ts';
import { counted } from '../../../model/counted.ts';
import { type GateResult, isWaived, type JudgedRule, mayRelease } from '../../../model/gate.ts';
import { flippedCases } from '../flipped-cases.ts';
import { caseCommand } from './gate-commands.ts';
import type { GateFile } from './gate-rules.ts';
import { nameOfRule } from './gate-words.ts';
import type { Sides } from './sides.ts';

const WORDS = {
  pass: 'Pass',
  regression: 'Regression',
  not_enough_evidence: 'Not enough evidence',
} as const satisfies Record<GateResult['decision'], string>;
const NAMED_MAX = 3;

export function gateSentence(
  result: Pick<GateResult, 'decision' | 'rules' | 'look'>,
  { suites, gate }: { readonly suites: readonly Sides[]; readonly gate: GateFile },
): string {
  const { decision, rules } = result;
  const isLetPass = decision === 'not_enough_evidence' && mayRelease(result, gate.onNotEnoughEvidence);
  const broken = rules.filter(({ decision: one }) => one === 'regression');
  const isBroken = ({ suite }: WorseIn) => broken.some((rule) => rule.suite === suite);
  const worst = suites
    .flatMap(worseIn)
    .sort((x, y) => Number(isBroken(y)) - Number(isBroken(x)) || y.worse.length - x.worse.length)[0];
  const open = rules.filter(({ decision: one }) => one === 'not_enough_evidence');
  const blocking = open.filter((rule) => !isWaived(rule, gate.onNotEnoughEvidence));
  const asked = rules.filter(({ decision: one }) => one !== 'not_applicable').length;
  const isChance = worst !== undefined && isExplained(rules, worst);
  const see = worst?.see ?? exampleOf(broken, suites);
  const parts = [
    ...(worst === undefined ? [] : brokeText(worst, { namesSuite: suites.length > 1, isChance })),
    ...(decision === 'regression' ? named('', broken) : []),
    ...(decision === 'not_enough_evidence' && isLetPass ? [`${open.length} of ${counted(asked, 'rule')} open`] : []),
    ...(decision === 'not_enough_evidence' && !isLetPass ? named('open ', blocking) : []),
    ...(decision === 'pass' ? [`${counted(asked, 'rule')} kept`] : []),
    ...(decision === 'not_enough_evidence' && isChance && worst.repeats === 1
      ? ['`--repeats 3` can tell them from chance']
      : []),
    ...(see === undefined ? [] : [`see \`npx ${see}\``]),
  ];
  const stops =
    decision !== 'not_enough_evidence' ? '' : `, which ${isLetPass ? 'does not stop' : 'stops'} the release`;
  return `${WORDS[decision]}${stops}: ${parts.join('; ')}.`;
}

interface WorseIn {
  readonly suite: string;
  readonly worse: readonly FlippedCase[];
  readonly better: number;
  readonly cases: number;
  readonly repeats: number;
  readonly see: string | undefined;
}

/** Cases that broke: those that `assay compare` lists as worse. Nothing where no case is the same on both sides. */
function worseIn(sides: Sides): readonly WorseIn[] {
  const { baseline, candidate } = sides;
  if (baseline === undefined) return [];
  const cases = [...baseline.cases.keys()].filter((key) => candidate.cases.has(key)).length;
  if (cases === 0) return [];
  const flipped = flippedCases(baseline, candidate);
  const worse = flipped.filter(({ direction }) => direction === 'worse');
  const better = flipped.length - worse.length;
  const { repeats } = candidate.experiment;
  return [{ suite: candidate.suite, worse, better, cases, repeats, see: caseCommand(worse[0]?.case, sides) }];
}

/** Whether the cases that broke were tested, and chance explains them. */
function isExplained(rules: readonly JudgedRule[], { suite, worse }: WorseIn): boolean {
  const tested = rules.find((rule) => rule.is === 'by_chance' && rule.suite === suite);
  return worse.length > 0 && tested !== undefined && tested.decision !== 'regression';
}

function brokeText(
  { suite, worse, better, cases }: WorseIn,
  { namesSuite, isChance }: { readonly namesSuite: boolean; readonly isChance: boolean },
): readonly string[] {
  const broke = worse.length === 0 ? `no case of ${cases}` : `${worse.length} of ${counted(cases, 'case')}`;
  const criterion = mostLost(worse);
  return [
    `${broke} broke${namesSuite && worse.length > 0 ? ` in ${suite}` : ''}${better === 0 ? '' : `, ${better} mended`}${isChance ? ', which chance can explain' : ''}`,
    ...(criterion === undefined ? [] : [`criterion ${criterion}`]),
  ];
}

/** The criterion that most of the cases lost. */
function mostLost(worse: readonly FlippedCase[]): string | undefined {
  const lost = worse.flatMap(({ criteria }) => criteria.filter(({ a, b }) => b < a).map(({ criterion }) => criterion));
  const counts = [...Map.groupBy(lost, (criterion) => criterion)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  return counts[0]?.[0];
}

function named(word: string, rules: readonly JudgedRule[]): readonly string[] {
  if (rules.length === 0) return [];
  const names = [...new Set(rules.map(nameOfRule))];
  const more = names.length - NAMED_MAX;
  return [
    `${word}${names.length === 1 ? 'rule' : 'rules'} ${names.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  ];
}

/** A case that broke against the baseline, else one that speaks against the candidate. */
function exampleOf(broken: readonly JudgedRule[], suites: readonly Sides[]): string | undefined {
  const [first] = broken.filter(({ examples }) => examples.length > 0);
  const sides = suites.find(({ candidate }) => candidate.suite === first?.suite);
  return sides === undefined ? undefined : caseCommand(first?.examples[0], sides);
}
