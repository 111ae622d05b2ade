/** What people say of what was judged: a label answers one criterion's question about one conversation, or about one turn of it. */
export const LABELS = ['pass', 'fail', 'not_applicable'] as const;
export type LabelKind = (typeof LABELS)[number];

export interface HumanLabel {
  readonly conversationId: string;
  /** Undefined: of the conversation, or of the only turn that was judged. */
  readonly turnId: string | undefined;
  readonly suite: string;
  readonly criterion: string;
  readonly label: LabelKind;
  /** Who says so. What the same person says later of the same takes its place. */
  readonly by: string;
  readonly note: string | undefined;
}

/** What a judge said of something in a conversation for which there are labels. */
export interface LabelledVerdict {
  readonly conversationId: string;
  /** Undefined where the suite is for conversations. */
  readonly turnId: string | undefined;
  readonly suite: string;
  readonly criterion: string;
  readonly judge: string;
  readonly judgeVersion: string;
  readonly verdict: 'pass' | 'fail';
  readonly revision: number;
  /** Wall-clock time in milliseconds. */
  readonly notedAt: number;
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
