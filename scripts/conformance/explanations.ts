/** Reasons why fields that an exporter sends are not read as the script has them: for the page. */
import type { FieldName } from './compare.ts';

interface Explanation {
  readonly rows: RegExp;
  readonly fields: readonly FieldName[];
  readonly why: string;
}

const EXPLANATIONS: readonly Explanation[] = [];

export function explanationOf(row: string, field: FieldName): string | undefined {
  return EXPLANATIONS.find(({ rows, fields }) => rows.test(row) && fields.includes(field))?.why;
}
