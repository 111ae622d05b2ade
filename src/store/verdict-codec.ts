/**
 * Verdicts and findings as the store keeps them: one JSON array per evaluation, `[criterion, verdict, reason, evidence]` for each
 * verdict, with the name of the judge and its version behind it where a model gave it, then `[null, finding, reason, evidence]` for each finding.
 */
import { type Evaluation, type Finding, FINDINGS, type Verdict, VERDICTS } from '../model/evaluation.ts';
import type { SpanId } from '../model/ids.ts';
import { partsOf, verdictFrom } from '../model/verdict-parts.ts';

type Row = readonly [string | null, number, string, readonly SpanId[], string?, string?];
type Said = Pick<Evaluation, 'verdicts' | 'findings'>;

export function encodeVerdicts({ verdicts, findings = [] }: Said): string {
  const rows: unknown[] = [];
  for (const [criterion, verdict] of verdicts) {
    const { reason, evidence, judgedBy } = partsOf(verdict);
    const by = judgedBy === undefined ? [] : [judgedBy.judge, judgedBy.version];
    rows.push([criterion, VERDICTS.indexOf(verdict.verdict), reason, evidence, ...by]);
  }
  for (const { finding, reason, evidence } of findings) rows.push([null, FINDINGS.indexOf(finding), reason, evidence]);
  return JSON.stringify(rows);
}

export function decodeVerdicts(text: string): Said {
  // The cast holds because `encodeVerdicts` wrote the text.
  const rows = JSON.parse(text) as readonly Row[];
  const verdicts = new Map<string, Verdict>();
  const findings: Finding[] = [];
  for (const [criterion, index, reason, evidence, judge, version] of rows) {
    if (criterion === null) {
      const finding = FINDINGS[index];
      if (finding === undefined) throw new Error(`store: ${index} is not the number of a finding`);
      findings.push({ finding, reason, evidence });
      continue;
    }
    const verdict = VERDICTS[index];
    if (verdict === undefined) throw new Error(`store: ${index} is not the number of a verdict`);
    const judgedBy = judge !== undefined && version !== undefined && { judgedBy: { judge, version } };
    verdicts.set(criterion, verdictFrom(verdict, { reason, evidence, ...judgedBy }));
  }
  return { verdicts, ...(findings.length > 0 && { findings }) };
}
