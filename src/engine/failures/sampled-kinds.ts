/**
 * Kinds of failure in the random sample of a window (`estimate/sample.ts`): which share of all conversations has each of
 * them, and how likely the next failure is of a kind that nobody has seen.
 */
import type { Estimate } from '../../model/estimate.ts';
import { unseenShare } from '../../statistics/discovery/unseen.ts';
import type { Frame, FrameCell } from '../../statistics/estimate/frame.ts';
import { shareEstimate } from '../../statistics/estimate/success-estimate.ts';
import type { Candidate } from '../../store/frame-reader.ts';
import { kindOf } from '../estimate/read-conversations.ts';
import { answerOf, disagreementOn, endOf, lawOf } from '../estimate/sample.ts';

interface Sampled {
  readonly frame: Frame;
  /** The conversations of its draws. */
  readonly drawn: readonly Candidate[];
}

/** The first draws of a sample are a sample. More would keep readers of the page waiting. */
export const SHARE_DRAWS_MAX = 400;

/**
 * `good` stands for "of this kind". A conversation of which it is not known, because readers disagree or its kind has no
 * name yet, is none at the lower end and one at the upper.
 */
export function shareOfKind({ frame, drawn }: Sampled, kind: string): Estimate | undefined {
  const some = drawn.slice(0, SHARE_DRAWS_MAX);
  const answers = some.map((candidate) => isOfKind(candidate, kind));
  const { cells, placeOf } = merged(frame.cells);
  const { good, bad } = frame.certain;
  const disagreement = disagreementOn(some, (candidate) => saidOf(candidate, kind)).share;
  const shareIf = (unknown: 'good' | 'bad') => {
    const draws = answers.map((answer, at) => ({
      cell: placeOf(frame.draws[at]?.cell ?? 0),
      answer: answer ?? unknown,
    }));
    const ofKind = unknown === 'good' ? bad : 0;
    const certain = { good: ofKind, bad: good + bad - ofKind, badCalledFine: 0 };
    return shareEstimate({ cells, draws, certain, disagreement });
  };
  const least = shareIf('bad');
  if (least === undefined || (bad === 0 && !answers.includes(undefined))) return least;
  return { ...least, upper: Math.max(least.upper, shareIf('good')?.upper ?? 1) };
}

/** A kind has nothing to do with predictions of success: what is left to tell cells apart is their chance to be drawn. */
function merged(all: readonly FrameCell[]) {
  const groups = all.map(({ rate, isCalledFine }) => `${rate} ${isCalledFine}`);
  const cells = new Map<string, FrameCell>();
  for (const [at, cell] of all.entries()) {
    const group = groups[at] ?? '';
    cells.set(group, { ...cell, group, predicted: undefined, size: cell.size + (cells.get(group)?.size ?? 0) });
  }
  const places = [...cells.keys()];
  return { cells: [...cells.values()], placeOf: (cell: number) => places.indexOf(groups[cell] ?? '') };
}

/** Undefined where it is not known. */
function isOfKind(candidate: Candidate, kind: string): 'good' | 'bad' | undefined {
  const answer = answerOf(candidate);
  if (answer === 'good') return 'bad';
  const named = candidate.readings.flatMap((one) =>
    one.source === 'person' && one.answer === 'bad' ? [one.kind] : [],
  );
  if (answer === 'bad' && named.includes(kind)) return 'good';
  // One who could not tell may have seen this kind.
  return named.length === 0 || named.includes(undefined) || named.includes(kind) ? undefined : 'bad';
}

/** Whether it is of the kind, by each person who says so or says otherwise. */
function saidOf({ readings }: Candidate, kind: string): readonly boolean[] {
  const known = readings.filter(
    ({ source, answer, kind: named }) =>
      source === 'person' && (answer === 'good' || (answer === 'bad' && named !== undefined)),
  );
  return known.map((one) => one.kind === kind);
}

/** `known` counts readings of all kinds that somebody has named, in the sample or out of it. */
export function unseenKinds(drawn: readonly Candidate[], known: ReadonlyMap<string | undefined, number>) {
  const failed = evenly(drawn).filter((candidate) => answerOf(candidate) === 'bad');
  const kinds = Map.groupBy(failed, kindOf);
  const unnamed = kinds.get(undefined)?.length ?? 0;
  // A kind that was also seen elsewhere is known whatever the sample says.
  const seen = (times: number) =>
    [...kinds].filter(([kind, { length }]) => kind !== undefined && length === times && (known.get(kind) ?? 0) <= times)
      .length;
  const share = unseenShare({ failures: failed.length, once: seen(1), twice: seen(2), unnamed });
  return share && { ...share, failures: failed.length, unnamed };
}

/**
 * Conversations with faults are drawn more often than others. Without some of them all have had the same chance: left is
 * whatever would have been drawn up to here if lots alone decided.
 */
function evenly(drawn: readonly Candidate[]): readonly Candidate[] {
  const end = endOf(drawn);
  return drawn.filter((candidate) => lawOf(candidate) <= end);
}
