/**
 * The sample: of the conversations that come first to be read those that were read. Lots decide the order and never
 * change, so conversations that arrive later may come before some that were read. The frame ends before those that nobody
 * has read yet: it is the time up to which most readings are an unbroken row from the first lot on. Conversations that
 * arrived later are not spoken for until those that come first are read.
 *
 * Arrivals are later if they began no more than a day before the first reading. Otherwise whoever reads the oldest
 * conversation by choice would know a frame of one conversation exactly.
 */
import type { KeptReading } from '../../model/readings.ts';
import type { ReadDraw } from '../../statistics/estimate/frame.ts';
import { LOTS } from '../../store/frame-columns.ts';
import { type Candidate, rateOf } from '../../store/frame-reader.ts';
import { placeOf } from '../../store/conversation-search.ts';

export interface Sample {
  /** Conversations that began before it are spoken for; undefined where all are. */
  readonly before: number | undefined;
  readonly drawn: readonly Candidate[];
}

/** With fewer, a share of disagreements says nothing. */
const TWICE_MIN = 5;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The candidates are in the order of their lots. */
export function sampleOf(candidates: readonly Candidate[]): Sample {
  const last = candidates.findLastIndex(isRead);
  const readAt = candidates.flatMap(({ readings }) =>
    readings.flatMap(({ source, at }) => (source === 'person' ? at : [])),
  );
  const earliest = readAt.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY) - DAY_MS;
  const ends = candidates
    .slice(0, last + 1)
    .flatMap((one) => (isRead(one) ? [] : [placeOf(one.row).at]))
    .filter((at) => at > earliest);
  let best = sampleOfAll(candidates);
  for (const before of new Set(ends.toSorted((a, b) => b - a))) {
    const drawn = unbroken(candidates.filter(({ row }) => placeOf(row).at < before));
    if (drawn.length > best.drawn.length) best = { before, drawn };
  }
  return best;
}

/** For windows that no conversation joins any more, as a recording: all of it is spoken for. */
export function sampleOfAll(candidates: readonly Candidate[]): Sample {
  return { before: undefined, drawn: unbroken(candidates) };
}

function unbroken(candidates: readonly Candidate[]): readonly Candidate[] {
  const first = candidates.findIndex((one) => !isRead(one));
  return first < 0 ? candidates : candidates.slice(0, first);
}

export function isRead({ readings, certain }: Candidate): boolean {
  return certain !== undefined || readings.some(({ source }) => source === 'person');
}

export function answersOf(readings: readonly KeptReading[]): readonly ('good' | 'bad')[] {
  return readings.flatMap(({ source, answer }) => (source === 'person' && answer !== 'cannot_tell' ? [answer] : []));
}

/** Gives what is certain, or the answer of most of its readers. */
export function answerOf({ readings, certain }: Candidate): ReadDraw['answer'] {
  if (certain !== undefined) return certain;
  const answers = answersOf(readings);
  const good = answers.filter((answer) => answer === 'good').length;
  if (2 * good === answers.length) return 'unclear';
  return 2 * good > answers.length ? 'good' : 'bad';
}

/** One conversation in ten is for a second reader, decided by its lot. */
export function isForTwo({ row }: Candidate): boolean {
  return row.lot !== undefined && row.lot % 10 === 0;
}

/** `share` is that of single readings which a second person would contradict, where enough were read twice. */
export function disagreementOn(drawn: readonly Candidate[], answersIn: (of: Candidate) => readonly unknown[]) {
  const twice = drawn.map(answersIn).filter(({ length }) => length > 1);
  const disagreed = twice.filter((answers) => new Set(answers).size > 1).length;
  const ofSingle = 1 - twice.length / drawn.length;
  const share = twice.length < TWICE_MIN ? 0 : (disagreed / twice.length) * ofSingle;
  return { byTwo: twice.length, disagreed, share };
}

/** The lot as a draw of the exponential law: divided by its rate, it is the conversation's turn. */
export function lawOf({ row }: Candidate): number {
  return row.lot === undefined ? Number.POSITIVE_INFINITY : -Math.log(1 - row.lot / LOTS);
}

/** The last turn of a sample. */
export function endOf(drawn: readonly Candidate[]): number {
  const turns = drawn.map((one) => lawOf(one) / rateOf(one.known.called));
  return turns.reduce((most, turn) => (Number.isFinite(turn) ? Math.max(most, turn) : most), 0);
}

/** Chances with which conversations have a turn up to the last one: nearly 1 where nearly all were read. */
export function chancesOf(drawn: readonly Candidate[]): ReadonlyMap<Candidate, number> {
  const end = endOf(drawn);
  return new Map(drawn.map((one) => [one, 1 - Math.exp(-rateOf(one.known.called) * end)]));
}
