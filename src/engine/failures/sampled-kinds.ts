/**
 * Kinds of failure in the random sample of a window (`estimate/sample.ts`): which share of all conversations has each of
 * them, and how likely the next failure is of a kind that nobody has seen.
 */
import type { Estimate } from '../../model/estimate.ts';
import { unseenShare } from '../../statistics/discovery/unseen.ts';
import type { Frame, FrameCell, ReadDraw } from '../../statistics/estimate/frame.ts';
import { shareEstimate } from '../../statistics/estimate/success-estimate.ts';
import { LOTS } from '../../store/frame-columns.ts';
import { type Candidate, rateOf } from '../../store/frame-reader.ts';
import { answerOf } from '../estimate/sample.ts';

interface Sampled {
  readonly frame: Frame;
  /** The conversations of its draws. */
  readonly drawn: readonly Candidate[];
}

/** The first draws of a sample are a sample. More would keep readers of the page waiting. */
export const SHARE_DRAWS_MAX = 400;
const TWICE_MIN = 5;

/**
 * `good` stands for "of this kind". A conversation of which it is not known, because readers disagree or its kind has no
 * name yet, is none at the lower end and one at the upper.
 */
export function shareOfKind({ frame, drawn }: Sampled, kind: string): Estimate | undefined {
  const { cells, placeOf } = merged(frame.cells);
  const some = drawn.slice(0, SHARE_DRAWS_MAX);
  const answers = some.map((candidate) => isOfKind(candidate, kind));
  const { good, bad } = frame.certain;
  const drawsIf = (unknown: ReadDraw['answer']) =>
    answers.map((answer, at) => ({
      cell: placeOf(frame.draws[at]?.cell ?? 0),
      answer: answer === undefined ? unknown : answer ? ('good' as const) : ('bad' as const),
    }));
  const disagreement = disagreementOn(some, kind);
  const none = { good: 0, bad: good + bad, badCalledFine: 0 };
  const least = shareEstimate({ cells, draws: drawsIf('bad'), certain: none, disagreement });
  if (least === undefined || (bad === 0 && !answers.includes(undefined))) return least;
  const certain = { good: bad, bad: good, badCalledFine: 0 };
  const most = shareEstimate({ cells, draws: drawsIf('good'), certain, disagreement });
  return { ...least, upper: Math.max(least.upper, most?.upper ?? 1) };
}

/** A kind has nothing to do with predictions of success: what is left to tell cells apart is their chance to be drawn. */
function merged(all: readonly FrameCell[]) {
  const keyOf = ({ rate, isCalledFine }: FrameCell) => `${rate} ${isCalledFine}`;
  const cells: FrameCell[] = [];
  const places = all.map((cell) => {
    const at = cells.findIndex((one) => keyOf(one) === keyOf(cell));
    const { rate, isCalledFine, size } = cell;
    const before = cells[at];
    if (before === undefined) return cells.push({ group: keyOf(cell), rate, isCalledFine, size }) - 1;
    cells[at] = { ...before, size: before.size + size };
    return at;
  });
  return { cells, placeOf: (cell: number) => places[cell] ?? 0 };
}

/** Undefined where it is not known. */
function isOfKind(candidate: Candidate, kind: string): boolean | undefined {
  const answer = answerOf(candidate);
  if (answer === 'good') return false;
  const named = failuresOf(candidate).map((one) => one.kind);
  if (answer === 'bad' && named.includes(kind)) return true;
  // One who could not tell may have seen this kind.
  const isUnknown = answer === 'unclear' ? named.length === 0 || named.includes(kind) : named.length === 0;
  return isUnknown || named.includes(undefined) ? undefined : false;
}

function failuresOf({ readings }: Candidate) {
  return readings.filter(({ source, answer }) => source === 'person' && answer === 'bad');
}

/** Share of single readings that a second person would give another kind, where enough were read twice. */
function disagreementOn(drawn: readonly Candidate[], kind: string): number {
  const people = ({ readings }: Candidate) =>
    readings.filter(({ source, answer }) => source === 'person' && answer !== 'cannot_tell');
  const twice = drawn.filter((candidate) => people(candidate).length > 1);
  if (twice.length < TWICE_MIN) return 0;
  const disagreed = twice.filter((candidate) => {
    const known = people(candidate).filter((one) => one.answer !== 'bad' || one.kind !== undefined);
    return new Set(known.map((one) => one.kind === kind)).size > 1;
  });
  return (disagreed.length / twice.length) * (1 - twice.length / drawn.length);
}

/** `known` are all kinds that somebody has named, in the sample or out of it. */
export function unseenKinds(drawn: readonly Candidate[], known: readonly (string | undefined)[]) {
  const failed = evenly(drawn).filter((candidate) => answerOf(candidate) === 'bad');
  const kinds = failed.map((candidate) => failuresOf(candidate).find((one) => one.kind !== undefined)?.kind);
  const counts = new Map<string, number>();
  for (const kind of kinds) if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const total = Map.groupBy(known, (kind) => kind);
  // A kind that was also seen elsewhere is known whatever the sample says.
  const seen = (times: number) =>
    [...counts].filter(([kind, count]) => count === times && (total.get(kind)?.length ?? 0) <= times).length;
  const unnamed = kinds.filter((kind) => kind === undefined).length;
  const share = unseenShare({ failures: failed.length, once: seen(1), twice: seen(2), unnamed });
  return share && { ...share, failures: failed.length, unnamed };
}

/**
 * Conversations with faults are drawn more often than others. Without some of them all have had the same chance: left is
 * whatever would have been drawn up to here if lots alone decided.
 */
function evenly(drawn: readonly Candidate[]): readonly Candidate[] {
  const lawOf = ({ row }: Candidate) =>
    row.lot === undefined ? Number.POSITIVE_INFINITY : -Math.log(1 - row.lot / LOTS);
  const end = drawn.reduce((most, one) => {
    const turn = lawOf(one) / rateOf(one.known.called);
    return Number.isFinite(turn) ? Math.max(most, turn) : most;
  }, 0);
  return drawn.filter((candidate) => lawOf(candidate) <= end);
}
