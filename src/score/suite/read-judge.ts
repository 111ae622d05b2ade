/** Checks the fields of a criterion for a judge beyond their form: fields that mean nothing if a model answers. */
import type { WrittenCriterion } from './suite-shape.ts';

interface MisplacedField {
  readonly field: string;
  readonly problem: string;
  readonly expected: string;
}

const OF_CHECKS = {
  with: '`judge: { uses: … }` takes no parameters',
  evidence: 'the judge quotes what shows it',
  reason: 'the judge gives the reason',
} as const;

export function misplacedNextToJudge(written: WrittenCriterion): readonly MisplacedField[] {
  return Object.entries(OF_CHECKS).flatMap(([field, why]) =>
    Reflect.get(written, field) === undefined
      ? []
      : [
          {
            field,
            problem: `\`${field}\` does not belong to \`judge\`: ${why}`,
            expected: `no \`${field}\` next to \`judge\``,
          },
        ],
  );
}
