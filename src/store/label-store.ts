/**
 * Labels by people, and what judges and code said of the same. Nothing of either is ever changed or deleted, by scoring again as little as when the
 * conversation goes: what cost people's time stays, and what a judge said of it stays with it.
 *
 * A verdict is noted beside the labels when it is stored and there are labels of its conversation, and for conversations that were evaluated
 * before when their first label is put.
 */
import { isDecided } from '../model/decision.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { AskedOf, HumanLabel, JudgedCount, LabelledVerdict, StoredLabel } from '../model/labels.ts';

export interface LabelStore {
  /**
   * How many of them were new: what the same person said last of the same is not put again, and a person who said
   * nothing withdraws nothing. All or none.
   */
  put(labels: readonly StoredLabel[]): Promise<number> | number;
}

export interface Labelled {
  /** Standing labels, in the order in which they were put. The last ones, if there are more than the limit. */
  readonly labels: readonly HumanLabel[];
  /** Every revision; the last ones that were noted, where there are more than the limit. */
  readonly verdicts: readonly LabelledVerdict[];
  /** Totals of everything that was judged, with and without labels. */
  readonly judged: readonly JudgedCount[];
}

export interface LabelReader {
  /** For all criteria, or for one. */
  labelled(limits: LabelLimits, of?: AskedOf): Promise<Labelled> | Labelled;
}

export interface LabelLimits {
  readonly labels: number;
  readonly verdicts: number;
}

/** Labels that were not withdrawn, in the same order. */
export function standingLabels(labels: readonly StoredLabel[]): readonly HumanLabel[] {
  const subjectOf = ({ conversationId, turnId, suite, criterion, by }: StoredLabel) =>
    JSON.stringify([conversationId, turnId ?? '', suite, criterion, by]);
  const withdrawnAt = new Map(
    labels.flatMap((one, index) => (one.label === 'withdrawn' ? [[subjectOf(one), index] as const] : [])),
  );
  return labels.flatMap(({ label, ...rest }, index) =>
    label === 'withdrawn' || index < (withdrawnAt.get(subjectOf({ label, ...rest })) ?? -1) ? [] : [{ ...rest, label }],
  );
}

/** The running total that counts what judges say. */
export const JUDGED_TOTAL = 'assay_judged_verdicts_total';

type NotedEvaluation = Pick<
  Evaluation,
  'conversationId' | 'turnId' | 'suite' | 'suiteVersion' | 'revision' | 'verdicts'
>;

/** Parts of an evaluation that are noted beside labels. */
export function decidedIn(evaluation: NotedEvaluation, notedAt: number): readonly LabelledVerdict[] {
  const { conversationId, turnId, suite, suiteVersion, revision } = evaluation;
  return [...evaluation.verdicts].flatMap(([criterion, given]) => {
    if (!isDecided(given)) return [];
    const { verdict, judgedBy } = given;
    const { judge, version: judgeVersion } = judgedBy ?? { judge: '', version: suiteVersion };
    return [{ conversationId, turnId, suite, criterion, judge, judgeVersion, verdict, revision, notedAt }];
  });
}

/** From a row of totals. */
export function judgedCountOf(labels: string, value: number): JudgedCount {
  // The cast holds because whoever counts writes them so; what is missing is an empty text.
  const {
    suite = '',
    criterion = '',
    judge = '',
    judge_version = '',
    verdict = '',
  } = JSON.parse(labels) as {
    readonly [label: string]: string;
  };
  return { suite, criterion, judge, judgeVersion: judge_version, verdict, count: value };
}
