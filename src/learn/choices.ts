/**
 * Which criterion of each kind is worth a suite, and why none is. That is the best certified one, unless a criterion of the
 * suites is as good: it fails on the same conversations, misses none of the kind, and has a certificate, or there is no kind.
 */
import type { Learned, LearnedCriterion } from './learned.ts';
import { isKnownGood } from './learned.ts';
import type { ReadCase } from './read-case.ts';

type Choice =
  | { readonly is: 'written'; readonly kind: string | undefined; readonly criterion: LearnedCriterion }
  | { readonly is: 'left out'; readonly kind: string | undefined; readonly because: string };

const SAME = 0.8;

export function choicesOf(
  learned: readonly Learned[],
  cases: readonly ReadCase[],
  /** A criterion of the suites, as `suite/criterion`, has a certificate. */
  hasCertificate: (criterion: string) => boolean,
): readonly Choice[] {
  return learned.map(({ kind, criteria }): Choice => {
    const criterion = criteria.find(isKnownGood);
    if (criterion === undefined) return { is: 'left out', kind, because: 'no criterion is certified' };
    const { like } = criterion.certificate ?? {};
    const isNew = like === undefined || like.share < SAME || (kind !== undefined && !hasCertificate(like.criterion));
    if (isNew || criterion.failsOn.some((at) => isMissed(cases[at], kind, like.criterion)))
      return { is: 'written', kind, criterion };
    const share = Math.round(like.share * 100);
    return {
      is: 'left out',
      kind,
      because: `${like.criterion} finds all of it: ${share} % alike with ${criterion.name}`,
    };
  });
}

function isMissed(one: ReadCase | undefined, kind: string | undefined, criterion: string): boolean {
  return one?.isBad === true && (kind === undefined || one.kind === kind) && !one.failed.includes(criterion);
}
