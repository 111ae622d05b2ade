/** The estimate of a window, from the frame and the readings of a store: that of the service, or of a recording. */
import type { Estimate } from '../../model/estimate.ts';
import { isGood } from '../../model/severity.ts';
import { type Certain, type Frame, type FrameCell, sizeOf } from '../../statistics/estimate/frame.ts';
import { successEstimate } from '../../statistics/estimate/success-estimate.ts';
import { type FrameCount, type FrameQuery, type FrameReader, type KnownOf, rateOf } from '../../store/frame-reader.ts';
import { answerOf, answersOf, type Sample, sampleOf } from './sample.ts';

export interface WindowEstimate {
  readonly frame: Frame;
  /** Conversations that the estimate speaks for. */
  readonly spokenFor: number;
  /** Conversations that it does not speak for: they began later and come first, or cannot be read. */
  readonly later: number;
  readonly unreadable: number;
  readonly calledFine: number;
  readonly unscored: number;
  readonly readings: Readings;
  /** Undefined where nothing was read and nothing is certain. */
  readonly success: Estimate | undefined;
  readonly missed: Estimate | undefined;
  readonly missRate: Estimate | undefined;
}

interface Readings {
  /** By lot, in an unbroken row: the sample. */
  readonly sample: number;
  /** Out of their turn: they are no part of the sample. */
  readonly outOfTurn: number;
  readonly certain: number;
  readonly unclear: number;
  readonly byTwo: number;
  readonly disagreed: number;
}

/** The window unless another is asked for. */
export const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** More are not looked at: an interval from so many is a point or two wide. */
const DRAWN_MAX = 2000;
/** Conversations that arrived later may come first. */
const MORE = 200;
/** With fewer, a share of disagreements says nothing. */
const TWICE_MIN = 5;

export async function windowEstimate(
  reader: FrameReader,
  query: FrameQuery,
  sampled = sampleOf,
): Promise<WindowEstimate> {
  const read = await reader.readByPeople(query);
  const sample = sampled(await reader.firstToRead(query, Math.min(DRAWN_MAX, read + MORE)));
  const until = Math.min(query.until, sample.before ?? query.until);
  const { counts, unreadable } = await reader.frameCounts({ ...query, until });
  const later = until === query.until ? 0 : inAll((await reader.frameCounts({ ...query, since: until })).counts);
  const { frame, readings } = frameOf(counts, sample);
  const found = successEstimate(frame);
  const calls = (of: (known: KnownOf) => boolean) => inAll(counts.filter(of));
  return {
    frame,
    spokenFor: sizeOf(frame),
    later,
    unreadable,
    calledFine: calls(({ called }) => isGood(called)),
    unscored: calls(({ called }) => called === 'unscored'),
    readings: { ...readings, outOfTurn: Math.max(0, read - sample.drawn.length) },
    success: rounded(found?.success),
    missed: rounded(found?.missed),
    missRate: rounded(found?.missRate),
  };
}

function frameOf(
  counts: readonly FrameCount[],
  { drawn }: Sample,
): { readonly frame: Frame; readonly readings: Omit<Readings, 'outOfTurn'> } {
  const cells: FrameCell[] = [];
  const placeOfGroup = new Map<string, number>();
  const add = (known: KnownOf, size: number) => {
    placeOfGroup.set(groupOf(known), cells.length);
    const { called } = known;
    cells.push({ group: groupOf(known), isCalledFine: isGood(called), rate: rateOf(called), size });
  };
  for (const { certain, conversations, ...known } of counts) if (certain === undefined) add(known, conversations);
  const certain = certainOf(counts);
  const draws = drawn.map((candidate) => {
    // One that was evaluated between two reads.
    if (!placeOfGroup.has(groupOf(candidate.known))) add(candidate.known, 1);
    return { cell: placeOfGroup.get(groupOf(candidate.known)) ?? 0, answer: answerOf(candidate) };
  });
  const twice = drawn.filter(({ readings }) => answersOf(readings).length > 1);
  const disagreed = twice.filter(({ readings }) => new Set(answersOf(readings)).size > 1).length;
  const ofSingle = drawn.length === 0 ? 0 : 1 - twice.length / drawn.length;
  const disagreement = twice.length < TWICE_MIN ? 0 : (disagreed / twice.length) * ofSingle;
  return {
    frame: { cells, draws, certain, disagreement },
    readings: {
      sample: draws.length,
      certain: certain.good + certain.bad,
      unclear: draws.filter(({ answer }) => answer === 'unclear').length,
      byTwo: twice.length,
      disagreed,
    },
  };
}

function certainOf(counts: readonly FrameCount[]): Certain {
  const sum = (of: (one: FrameCount) => boolean) => inAll(counts.filter(of));
  return {
    good: sum(({ certain }) => certain === 'good'),
    bad: sum(({ certain }) => certain === 'bad'),
    badCalledFine: sum(({ certain, called }) => certain === 'bad' && isGood(called)),
  };
}

function groupOf({ called, feedback, outcome }: KnownOf): string {
  return [
    called,
    ...(feedback === undefined ? [] : [`users ${feedback}`]),
    ...(outcome === undefined ? [] : [`outcome ${outcome}`]),
  ].join(', ');
}

function inAll(counts: readonly FrameCount[]): number {
  return counts.reduce((sum, { conversations }) => sum + conversations, 0);
}

/** To a hundredth of a point, so that each surface shows the same figure. */
function rounded(estimate: Estimate | undefined): Estimate | undefined {
  if (estimate === undefined) return undefined;
  const round = (value: number) => Math.round(value * 10_000) / 10_000;
  return { value: round(estimate.value), lower: round(estimate.lower), upper: round(estimate.upper) };
}
