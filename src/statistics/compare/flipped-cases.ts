/** Cases that pass in one experiment and not in the other: where a person looks first. */
import type { FlippedCase } from '../../model/comparison.ts';
import { meanOf, passRateOf, scoreOf, successOf } from './measure.ts';
import { inOrder, type RunsOfCase, type SuiteRun, type SuiteRuns } from './suite-runs.ts';

/** The worst first: what lost most success, then most of its score; what got better comes last. */
export function flippedCases(a: SuiteRuns, b: SuiteRuns): FlippedCase[] {
  const criteria = [...new Set([...a.criteria, ...b.criteria])];
  const found: (FlippedCase & { readonly moved: readonly [number, number, number] })[] = [];
  for (const [key, ofA] of a.cases) {
    const ofB = b.cases.get(key);
    if (ofB === undefined) continue;
    const success = { a: meanOver(ofA, successOf), b: meanOver(ofB, successOf) };
    const score = { a: meanOver(ofA, scoreOf), b: meanOver(ofB, scoreOf) };
    const flipped = criteria.flatMap((criterion) => {
      const rates = {
        a: meanOver(ofA, (run) => passRateOf(run, criterion)),
        b: meanOver(ofB, (run) => passRateOf(run, criterion)),
      };
      return hasFlipped(rates.a, rates.b) ? [{ criterion, a: rates.a ?? 0, b: rates.b ?? 0 }] : [];
    });
    if (!hasFlipped(success.a, success.b) && flipped.length === 0) continue;
    const lost = flipped.reduce((sum, rates) => sum + rates.b - rates.a, 0);
    const moved = [difference(success), difference(score), lost] as const;
    const [first = -1] = moved.filter((by) => by !== 0);
    found.push({
      case: ofA.case,
      fingerprint: ofA.fingerprint,
      direction: first < 0 ? 'worse' : 'better',
      success,
      score,
      criteria: flipped,
      conversations: { a: conversationsOf(ofA), b: conversationsOf(ofB) },
      ends: { a: oddEndsOf(ofA), b: oddEndsOf(ofB) },
      moved,
    });
  }
  found.sort(
    (x, y) =>
      inOrder(y.direction, x.direction) ||
      x.moved[0] - y.moved[0] ||
      x.moved[1] - y.moved[1] ||
      x.moved[2] - y.moved[2] ||
      inOrder(x.case, y.case),
  );
  return found.map(({ moved: _, ...one }) => one);
}

/** From passing in at least half of the repeats to passing in fewer, or back. */
function hasFlipped(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a >= 0.5 !== b >= 0.5;
}

function difference({ a, b }: { readonly a: number | undefined; readonly b: number | undefined }): number {
  return a === undefined || b === undefined ? 0 : b - a;
}

function meanOver({ runs }: RunsOfCase, of: (run: SuiteRun) => number | undefined): number | undefined {
  return meanOf(runs.map(of).filter((value) => value !== undefined));
}

function conversationsOf({ runs }: RunsOfCase): string[] {
  return runs.map(({ run }) => run.conversationId);
}

function oddEndsOf({ runs }: RunsOfCase) {
  return runs.map(({ run }) => run.end).filter((end) => end !== 'completed');
}
