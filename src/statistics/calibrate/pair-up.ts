/**
 * Puts what people said beside what judges said of the same, for each version of each judged criterion.
 *
 *   1. The last label of one person for one subject counts. 2. Where several persons did, the majority does; where there is none, the thing is disputed and counts for nothing.
 *   3. The last revision of one version's verdict on one subject counts. Another version is another judge: the label counts for both.
 *   4. A label that names no turn is of the conversation, or of its only turn that was judged.
 */
import type { HumanLabel, JudgedCount, LabelKind, LabelledVerdict } from '../../model/labels.ts';
import { calibrate, type Calibration } from './calibration.ts';

interface VersionOfJudge {
  readonly suite: string;
  readonly criterion: string;
  readonly judge: string;
  readonly judgeVersion: string;
}

export interface CalibratedVersion extends VersionOfJudge {
  readonly calibration: Calibration;
  /** Subjects to which the criterion does not apply according to people, although the judge gave a verdict. */
  readonly notApplicable: number;
  readonly disputed: number;
  /** When a verdict of it was noted last. */
  readonly lastAt: number;
}

/** Versions of which there are labels and verdicts of the same; the one that judged last comes first. */
export function calibrateVersions(said: {
  readonly labels: readonly HumanLabel[];
  readonly verdicts: readonly LabelledVerdict[];
  readonly judged: readonly JudgedCount[];
}): readonly CalibratedVersion[] {
  const labels = agreedLabels(said.labels);
  const last = lastVerdicts(said.verdicts);
  const turns = Map.groupBy(said.verdicts, (verdict) => keyOf({ ...verdict, turnId: undefined }));
  const labelOf = (verdict: LabelledVerdict): Agreed | undefined => {
    const own = labels.get(keyOf(verdict));
    if (own !== undefined || verdict.turnId === undefined) return own;
    const whole = keyOf({ ...verdict, turnId: undefined });
    const isOnly = turns.get(whole)?.every(({ turnId }) => turnId === verdict.turnId) === true;
    return isOnly ? labels.get(whole) : undefined;
  };
  return [...Map.groupBy(last, versionKey).values()]
    .flatMap((verdicts) => {
      const [first] = verdicts;
      const labelled = verdicts.flatMap((verdict) => {
        const label = labelOf(verdict);
        return label === undefined ? [] : [{ verdict, label }];
      });
      return first === undefined || labelled.length === 0 ? [] : [calibratedOf(first, labelled, said.judged)];
    })
    .toSorted((a, b) => b.lastAt - a.lastAt);
}

type Agreed = LabelKind | 'disputed';

function calibratedOf(
  { suite, criterion, judge, judgeVersion }: VersionOfJudge,
  labelled: readonly { readonly verdict: LabelledVerdict; readonly label: Agreed }[],
  judged: readonly JudgedCount[],
): CalibratedVersion {
  const version = { suite, criterion, judge, judgeVersion };
  const counted = judged.filter((count) => versionKey(count) === versionKey(version));
  const sum = (counts: readonly JudgedCount[]) => counts.reduce((total, { count }) => total + count, 0);
  const pairs = labelled.flatMap(({ verdict: { verdict }, label }) =>
    label === 'pass' || label === 'fail' ? [{ verdict, label }] : [],
  );
  return {
    ...version,
    calibration: calibrate(pairs, {
      passed: sum(counted.filter(({ verdict }) => verdict === 'pass')),
      of: sum(counted),
    }),
    notApplicable: labelled.filter(({ label }) => label === 'not_applicable').length,
    disputed: labelled.filter(({ label }) => label === 'disputed').length,
    lastAt: labelled.reduce((latest, { verdict }) => Math.max(latest, verdict.notedAt), 0),
  };
}

function agreedLabels(labels: readonly HumanLabel[]): ReadonlyMap<string, Agreed> {
  const byThing = new Map<string, Map<string, LabelKind>>();
  for (const label of labels) {
    const key = keyOf(label);
    const byPerson = byThing.get(key) ?? new Map<string, LabelKind>();
    byPerson.set(label.by, label.label);
    byThing.set(key, byPerson);
  }
  return new Map([...byThing].map(([key, byPerson]) => [key, majority([...byPerson.values()])]));
}

function majority(labels: readonly LabelKind[]): Agreed {
  const counts = [...Map.groupBy(labels, (label) => label)].map(([label, same]) => ({ label, count: same.length }));
  return counts.find(({ count }) => 2 * count > labels.length)?.label ?? 'disputed';
}

function lastVerdicts(verdicts: readonly LabelledVerdict[]): readonly LabelledVerdict[] {
  const last = new Map<string, LabelledVerdict>();
  for (const verdict of verdicts) {
    const key = JSON.stringify([keyOf(verdict), verdict.judgeVersion]);
    const before = last.get(key);
    if (before === undefined || before.revision <= verdict.revision) last.set(key, verdict);
  }
  return [...last.values()];
}

function keyOf({
  conversationId,
  turnId,
  suite,
  criterion,
}: Pick<HumanLabel, 'conversationId' | 'turnId' | 'suite' | 'criterion'>): string {
  return JSON.stringify([conversationId, turnId ?? '', suite, criterion]);
}

function versionKey({ suite, criterion, judge, judgeVersion }: VersionOfJudge): string {
  return JSON.stringify([suite, criterion, judge, judgeVersion]);
}
