/**
 * Verdicts and findings as the store keeps them: one JSON array per evaluation, `[criterion, verdict, reason, evidence]` for each
 * verdict, then `[null, finding, reason, evidence]` for each finding. Where a model gave a verdict, the name of the judge, its version and the
 * model stand behind it, and where it graded steps, the grades; where it could not be decided, why. Older rows end earlier.
 */
import {
  type Evaluation,
  type Finding,
  FINDINGS,
  type GradedStep,
  UNDECIDED,
  type Verdict,
  VERDICTS,
} from '../model/evaluation.ts';
import type { SpanId } from '../model/ids.ts';
import { partsOf, verdictFrom } from '../model/verdict-parts.ts';

type Row = readonly [
  string | null,
  number,
  string,
  readonly SpanId[],
  string?,
  string?,
  string?,
  (readonly GradedStep[])?,
];
export type Said = Pick<Evaluation, 'verdicts' | 'findings'>;

export function encodeVerdicts({ verdicts, findings = [] }: Said): string {
  const rows: unknown[] = [];
  for (const [criterion, verdict] of verdicts) {
    rows.push([criterion, VERDICTS.indexOf(verdict.verdict), ...saidOf(partsOf(verdict))]);
  }
  for (const { finding, reason, evidence } of findings) rows.push([null, FINDINGS.indexOf(finding), reason, evidence]);
  return JSON.stringify(rows);
}

function saidOf({ reason, evidence, judgedBy, steps, undecided }: ReturnType<typeof partsOf>): readonly unknown[] {
  if (undecided !== undefined) return [reason, evidence, undecided];
  if (judgedBy === undefined) return [reason, evidence];
  const by = [judgedBy.judge, judgedBy.version];
  if (steps !== undefined) return [reason, evidence, ...by, judgedBy.model ?? '', steps];
  return [reason, evidence, ...by, ...(judgedBy.model === undefined ? [] : [judgedBy.model])];
}

export function decodeVerdicts(text: string): Said {
  // The cast holds because `encodeVerdicts` wrote the text.
  const rows = JSON.parse(text) as readonly Row[];
  const verdicts = new Map<string, Verdict>();
  const findings: Finding[] = [];
  for (const [criterion, index, reason, evidence, judge, version, model = '', steps] of rows) {
    if (criterion === null) {
      const finding = FINDINGS[index];
      if (finding === undefined) throw new Error(`store: ${index} is not the number of a finding`);
      findings.push({ finding, reason, evidence });
      continue;
    }
    const verdict = VERDICTS[index];
    if (verdict === undefined) throw new Error(`store: ${index} is not the number of a verdict`);
    const undecided = version === undefined ? UNDECIDED.find((one) => one === judge) : undefined;
    const judgedBy = judge !== undefined &&
      version !== undefined && { judgedBy: { judge, version, ...(model !== '' && { model }) } };
    verdicts.set(
      criterion,
      verdictFrom(verdict, { reason, evidence, ...judgedBy, ...(steps && { steps }), ...(undecided && { undecided }) }),
    );
  }
  return { verdicts, ...(findings.length > 0 && { findings }) };
}
