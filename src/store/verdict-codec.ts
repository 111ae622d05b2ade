/** Verdicts as the store keeps them: one JSON array per evaluation, `[criterion, verdict, reason, evidence]` each. */
import { type Verdict, VERDICTS } from '../model/evaluation.ts';
import type { SpanId } from '../model/ids.ts';

export function encodeVerdicts(verdicts: ReadonlyMap<string, Verdict>): string {
  const rows: unknown[] = [];
  for (const [criterion, { verdict, reason, evidence }] of verdicts) {
    rows.push([criterion, VERDICTS.indexOf(verdict), reason, evidence]);
  }
  return JSON.stringify(rows);
}

export function decodeVerdicts(text: string): ReadonlyMap<string, Verdict> {
  // The cast holds because `encodeVerdicts` wrote the text.
  const rows = JSON.parse(text) as readonly (readonly [string, number, string, readonly SpanId[]])[];
  return new Map(
    rows.map(([criterion, index, reason, evidence]) => {
      const verdict = VERDICTS[index];
      if (verdict === undefined) throw new Error(`store: ${index} is not the number of a verdict`);
      return [criterion, { verdict, reason, evidence }];
    }),
  );
}
