/**
 * Facts of the conversations of a window, known without and with reading, as an estimate needs them.
 * `docs/score/estimate.md` says it in words.
 */

/** Conversations that are alike in all that is known without reading. None of them is known with certainty. */
export interface FrameCell {
  /** Suites, users and outcomes say this of them. */
  readonly group: string;
  readonly isCalledFine: boolean;
  /** Chance that a prediction gives, where one may speak. */
  readonly predicted?: number | undefined;
  /** Relative chance to be drawn next. */
  readonly rate: number;
  readonly size: number;
}

/** A conversation that was drawn and read. */
export interface ReadDraw {
  readonly cell: number;
  /** `unclear`: those who read it could not tell, or say different things. */
  readonly answer: 'good' | 'bad' | 'unclear';
}

/** Conversations of which it is known with certainty, without a draw. */
export interface Certain {
  readonly good: number;
  readonly bad: number;
  readonly badCalledFine: number;
}

export interface Frame {
  readonly cells: readonly FrameCell[];
  /** In the order of the draw, whoever read when. */
  readonly draws: readonly ReadDraw[];
  readonly certain: Certain;
  /** Share of conversations of which two people say different things, where enough were read twice; else 0. */
  readonly disagreement: number;
}

export const NOTHING_CERTAIN: Certain = { good: 0, bad: 0, badCalledFine: 0 };

export function sizeOf({ cells, certain }: Frame): number {
  return cells.reduce((sum, { size }) => sum + size, 0) + certain.good + certain.bad;
}
