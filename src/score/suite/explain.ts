/** An evaluation in one sentence: the score, why this outcome, and what failed with its reason. */
import { decisionOf } from '../../model/decision.ts';
import { type Millionths, type Verdict, type VerdictKind, VERDICTS } from '../../model/evaluation.ts';
import type { OutcomeDecision } from './outcome.ts';
import { enumerate, shorten } from '../subject/sentences.ts';
import type { CompiledSuite, Verdicts } from './suite.ts';
import { formatMillionths, formatScore, type Weighed } from '../subject/weigh.ts';

const REASON_IN_EXPLANATION_MAX = 140;
const EXPLANATION_MAX = 1000;

export function explain(score: Millionths, decision: OutcomeDecision, verdicts: Verdicts): string {
  if (everyPassed(verdicts) && decision.undecided.length === 0) {
    return `Score ${formatScore(score)} makes this a ${decision.outcome} (${causeOf(decision)}); every criterion passed.`;
  }
  const failed = withReasons(verdicts);
  return sentence([
    `Score ${formatScore(score)} makes this a ${decision.outcome} (${causeOf(decision)})`,
    failed.length === 0 ? noneFailed(verdicts) : `failed: ${failed.join('; ')}`,
    ...undecided(verdicts, { isScored: true }),
    ...decision.undecided,
  ]);
}

export function explainWithoutScore(
  suite: CompiledSuite,
  {
    weighed,
    verdicts,
    decision,
  }: {
    readonly weighed: Weighed;
    readonly verdicts: Verdicts;
    /** Undefined where it is unscored. */
    readonly decision: Pick<OutcomeDecision, 'outcome' | 'because'> | undefined;
  },
): string {
  const share = whyNoScore(weighed, suite);
  const said =
    decision === undefined
      ? `Unscored, because ${share}`
      : `This is a ${decision.outcome} (${decision.because}) without a score, because ${share}`;
  return sentence([said, ...undecided(verdicts, { isScored: false })]);
}

function whyNoScore({ decided, total, uncheckedCritical }: Weighed, { minDecided }: CompiledSuite): string {
  if (uncheckedCritical !== undefined) return `${uncheckedCritical} is critical and could not be checked`;
  if (decided === 0) return 'no criterion could be decided';
  return (
    `only ${formatMillionths(decided)} of ${formatMillionths(total)} weight could be decided, ` +
    `less than the ${formatMillionths(minDecided)} share needed`
  );
}

interface Listing {
  readonly word: string;
  /** If it is not scored, the reasons are the explanation. */
  readonly whenScored: 'nothing' | 'names' | 'reasons';
}

/** How criteria that were not decided are listed, in this order. */
const LISTINGS = {
  pass: undefined,
  fail: undefined,
  not_applicable: { word: 'not applicable', whenScored: 'nothing' },
  error: { word: 'could not be checked', whenScored: 'names' },
  skipped: { word: 'skipped', whenScored: 'reasons' },
} as const satisfies Record<VerdictKind, Listing | undefined>;

function undecided(verdicts: Verdicts, { isScored }: { readonly isScored: boolean }): string[] {
  return VERDICTS.flatMap((kind) => {
    const listing = LISTINGS[kind];
    const shown = isScored ? listing?.whenScored : 'reasons';
    if (listing === undefined || shown === 'nothing') return [];
    const entries = [...verdicts].filter(([, { verdict }]) => verdict === kind);
    if (entries.length === 0) return [];
    const list = shown === 'names' ? enumerate(entries.map(([name]) => name)) : byReason(entries).join('; ');
    return [`${listing.word}: ${list}`];
  });
}

function causeOf({ because, cappedBy, barredBy }: OutcomeDecision): string {
  if (cappedBy !== undefined) return `${cappedBy} is critical and failed`;
  return barredBy === undefined ? because : `${because}, and no success because ${barredBy} failed`;
}

function everyPassed(verdicts: Verdicts): boolean {
  return passedIn(verdicts) === verdicts.size;
}

function noneFailed(verdicts: Verdicts): string {
  const passed = passedIn(verdicts);
  if (passed === verdicts.size) return 'every criterion passed';
  return passed === 1
    ? 'the only criterion that could be decided passed'
    : `all ${passed} criteria that could be decided passed`;
}

function passedIn(verdicts: Verdicts): number {
  let passed = 0;
  for (const { verdict } of verdicts.values()) if (decisionOf(verdict) === 'pass') passed += 1;
  return passed;
}

function withReasons(verdicts: Verdicts): string[] {
  return [...verdicts]
    .filter(([, { verdict }]) => decisionOf(verdict) === 'fail')
    .map(([name, { reason }]) => `${name} (${inBrief(reason)})`);
}

/** Criteria that share a reason, which those for missing content do, are named together. */
function byReason(entries: readonly (readonly [string, Verdict])[]): string[] {
  const groups = Map.groupBy(entries, ([, { reason }]) => reason);
  return [...groups].map(([reason, members]) => `${enumerate(members.map(([name]) => name))} (${inBrief(reason)})`);
}

function inBrief(reason: string): string {
  return shorten(reason, REASON_IN_EXPLANATION_MAX).replace(/\.$/, '');
}

function sentence(parts: readonly string[]): string {
  return `${shorten(parts.join('; '), EXPLANATION_MAX)}.`;
}
