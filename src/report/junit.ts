/** Evaluations as JUnit XML: a suite is a test suite, an evaluation a test case, a failed criterion its failure. */
import type { Evaluation } from '../model/evaluation.ts';

export function toJUnit(evaluations: readonly Evaluation[]): string {
  const bySuite = Map.groupBy(evaluations, ({ suite }) => suite);
  const suites = [...bySuite].map(([suite, rows]) => {
    const failures = rows.filter(isFailure).length;
    const skipped = rows.filter(({ outcome }) => outcome === 'unscored').length;
    const counts = `tests="${rows.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
    return [`  <testsuite name="${escapeXml(suite)}" ${counts}>`, ...rows.map(testCase), '  </testsuite>'].join('\n');
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="assay">', ...suites, '</testsuites>'].join('\n');
}

function isFailure({ outcome }: Evaluation): boolean {
  return outcome !== 'successful_completion' && outcome !== 'unscored';
}

function testCase(evaluation: Evaluation): string {
  const { conversationId, turnId, suite, outcome, explanation, verdicts } = evaluation;
  const name = turnId === undefined ? conversationId : `${conversationId} ${turnId}`;
  const head = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}"`;
  if (outcome === 'unscored') return `${head}><skipped message="${escapeXml(explanation)}"/></testcase>`;
  if (!isFailure(evaluation)) return `${head}/>`;
  const failed = [...verdicts]
    .filter(([, { verdict }]) => verdict === 'fail')
    .map(([criterion, { reason, evidence }]) => {
      const where = evidence.length === 0 ? '' : ` (span ${evidence[0]})`;
      return `${criterion}: ${reason}${where}`;
    });
  return `${head}><failure type="${outcome}" message="${escapeXml(explanation)}">${escapeXml(failed.join('\n'))}</failure></testcase>`;
}

/** For text and attributes. Characters that XML 1.0 can't hold at all are replaced. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
