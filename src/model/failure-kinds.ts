/** How often each kind of failure came, by the outcome that it stands beside, the most frequent first. */
import type { Outcome } from './evaluation.ts';

export type FailureKinds = { readonly [outcome in Outcome]?: { readonly [kind: string]: number } };

export function failureKinds(
  evaluations: readonly { readonly outcome: Outcome; readonly because?: string | undefined }[],
): FailureKinds {
  const known = evaluations.flatMap(({ outcome, because }) => (because === undefined ? [] : [{ outcome, because }]));
  return Object.fromEntries(
    [...Map.groupBy(known, ({ outcome }) => outcome)].map(([outcome, those]) => {
      const kinds = [...Map.groupBy(those, ({ because }) => because)].map(
        ([kind, { length }]) => [kind, length] as const,
      );
      return [outcome, Object.fromEntries(kinds.toSorted(([, a], [, b]) => b - a))];
    }),
  );
}
