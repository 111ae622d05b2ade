/** An evaluation in one sentence: the score, why this outcome, and what failed with its reason. */
import type { Millionths, Verdict, VerdictKind } from '../model/evaluation.ts';
import type { OutcomeDecision } from './outcome.ts';
import { enumerate, shorten } from './sentences.ts';
import type { CompiledSuite, Verdicts } from './suite.ts';
import { formatMillionths, type Weighed } from './weigh.ts';

const REASON_IN_EXPLANATION_MAX = 140;
const EXPLANATION_MAX = 1000;

export function explain(score: Millionths, decision: OutcomeDecision, verdicts: Verdicts): string {
  if (everyPassed(verdicts) && decision.undecided.length === 0) {
    return `Score ${formatMillionths(score)} makes this a ${decision.outcome} (${causeOf(decision)}); every criterion passed.`;
  }
  const failed = withReasons(verdicts, 'fail');
  const parts = [
    `Score ${formatMillionths(score)} makes this a ${decision.outcome} (${causeOf(decision)})`,
    failed.length === 0 ? noneFailed(verdicts) : `failed: ${failed.join('; ')}`,
    ...named(verdicts, 'error', 'could not be checked'),
    ...reasonGroups(verdicts, 'skipped', 'skipped'),
    ...decision.undecided,
  ];
  return sentence(parts);
}

export function explainUnscored(suite: CompiledSuite, weighed: Weighed, verdicts: Verdicts): string {
  const share =
    weighed.decided === 0
      ? 'no criterion could be decided'
      : `only ${formatMillionths(weighed.decided)} of ${formatMillionths(weighed.total)} weight could be decided, ` +
        `less than the ${formatMillionths(suite.minDecided)} share needed`;
  return sentence([
    `Unscored, because ${share}`,
    ...reasonGroups(verdicts, 'not_applicable', 'not applicable'),
    ...reasonGroups(verdicts, 'error', 'could not be checked'),
    ...reasonGroups(verdicts, 'skipped', 'skipped'),
  ]);
}

function causeOf({ because, cappedBy }: OutcomeDecision): string {
  return cappedBy === undefined ? because : `${cappedBy} is critical and failed`;
}

function everyPassed(verdicts: Verdicts): boolean {
  for (const { verdict } of verdicts.values()) if (verdict !== 'pass') return false;
  return true;
}

function noneFailed(verdicts: Verdicts): string {
  const passed = [...verdicts.values()].filter(({ verdict }) => verdict === 'pass').length;
  return passed === verdicts.size ? 'every criterion passed' : `all ${passed} criteria that could be decided passed`;
}

function withReasons(verdicts: Verdicts, kind: VerdictKind): string[] {
  return entriesOf(verdicts, kind).map(
    ([name, { reason }]) => `${name} (${shorten(reason, REASON_IN_EXPLANATION_MAX).replace(/\.$/, '')})`,
  );
}

/** Criteria that share a reason, which those for missing content do, are named together. */
function reasonGroups(verdicts: Verdicts, kind: VerdictKind, word: string): string[] {
  const byReason = Map.groupBy(entriesOf(verdicts, kind), ([, { reason }]) => reason);
  const groups = [...byReason].map(
    ([reason, entries]) =>
      `${enumerate(entries.map(([name]) => name))} (${shorten(reason, REASON_IN_EXPLANATION_MAX).replace(/\.$/, '')})`,
  );
  return groups.length === 0 ? [] : [`${word}: ${groups.join('; ')}`];
}

function named(verdicts: Verdicts, kind: VerdictKind, word: string): string[] {
  const names = entriesOf(verdicts, kind).map(([name]) => name);
  return names.length === 0 ? [] : [`${word}: ${enumerate(names)}`];
}

function entriesOf(verdicts: Verdicts, kind: VerdictKind): [string, Verdict][] {
  return [...verdicts].filter(([, { verdict }]) => verdict === kind);
}

function sentence(parts: readonly string[]): string {
  return `${shorten(parts.join('; '), EXPLANATION_MAX)}.`;
}
