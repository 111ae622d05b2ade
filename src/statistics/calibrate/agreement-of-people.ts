/**
 * How far people agree among themselves. A judge cannot be expected to agree with people better than they do with each
 * other. Where several people labelled a subject, the two whose names come first are compared, so that each subject
 * counts once. Subjects to which one of them says that the question does not apply are counted beside that.
 */
import type { Estimate } from '../../model/estimate.ts';
import type { HumanLabel } from '../../model/labels.ts';
import { confusionOf, type YesOrNo } from './confusion.ts';
import { shareOf } from './estimate.ts';
import { kappaOf } from './kappa.ts';

interface AgreementOfPeople {
  /** Subjects that two people answered with yes or no. */
  readonly subjects: number;
  /** Subjects that one of two people said the question does not apply to, and the other one answered. */
  readonly disputedApplies: number;
  readonly agreed: Estimate | undefined;
  readonly kappa: Estimate | undefined;
}

/** The labels are of one criterion, in the order in which they were put. */
export function agreementOfPeople(labels: readonly HumanLabel[]): AgreementOfPeople {
  const subjects = Map.groupBy(labels, ({ conversationId, turnId }) => JSON.stringify([conversationId, turnId ?? '']));
  const pairs: { readonly verdict: YesOrNo; readonly label: YesOrNo }[] = [];
  let disputedApplies = 0;
  for (const own of subjects.values()) {
    const last = new Map(own.map(({ by, label }) => [by, label]));
    const [first, second] = [...last].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, label]) => label);
    if (first === undefined || second === undefined) continue;
    if (first !== 'not_applicable' && second !== 'not_applicable') pairs.push({ verdict: first, label: second });
    else if (first !== second) disputedApplies += 1;
  }
  const same = pairs.filter(({ verdict, label }) => verdict === label).length;
  return {
    subjects: pairs.length,
    disputedApplies,
    agreed: shareOf(same, pairs.length),
    kappa: kappaOf(confusionOf(pairs)),
  };
}
