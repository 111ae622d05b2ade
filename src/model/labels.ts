/** Labels of people: a label answers one criterion's question about one conversation, or about one turn of it. */
export const LABELS = ['pass', 'fail', 'not_applicable'] as const;
export type LabelKind = (typeof LABELS)[number];

/** `withdrawn` takes back what the same person said last of the same: an undo, which leaves a trace. */
export type StoredLabelKind = LabelKind | 'withdrawn';

export interface HumanLabel {
  readonly conversationId: string;
  /** Undefined: of the conversation, or of the only turn that was judged. */
  readonly turnId: string | undefined;
  readonly suite: string;
  readonly criterion: string;
  readonly label: LabelKind;
  /** Author of the label. A later label of the same author for the same subject replaces it. */
  readonly by: string;
  readonly note: string | undefined;
}

/** A label as it is put and kept. Readers get those that stand. */
export interface StoredLabel extends Omit<HumanLabel, 'label'> {
  readonly label: StoredLabelKind;
  /**
   * The verdict was in sight when it was given. It is shown, and counts in no agreement: a person who follows a verdict
   * would make it look right, and one who only speaks where it is wrong would make it look wrong.
   */
  readonly seen?: boolean;
}

/** Verdict on a subject in a conversation that has labels, by a judge or by code. */
export interface LabelledVerdict {
  readonly conversationId: string;
  /** Undefined where the suite is for conversations. */
  readonly turnId: string | undefined;
  readonly suite: string;
  readonly criterion: string;
  /** Empty where code answered; its version is then that of the suite. */
  readonly judge: string;
  readonly judgeVersion: string;
  readonly verdict: 'pass' | 'fail';
  readonly revision: number;
  /** Wall-clock time in milliseconds. */
  readonly notedAt: number;
}

/** A criterion of a suite. */
export interface AskedOf {
  readonly suite: string;
  readonly criterion: string;
}

/** How often a version of a judge has said what, of all conversations. */
export interface JudgedCount {
  readonly suite: string;
  readonly criterion: string;
  readonly judge: string;
  readonly judgeVersion: string;
  readonly verdict: string;
  readonly count: number;
}
