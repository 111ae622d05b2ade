/** The estimate of a window, from the frame and the readings of a store: that of the service, or of a recording. */
import type { EstimateAnswer } from '../../api/estimate.ts';
import { bandOf, figureOf, headlineWords, MINUTES_A_READING, nextWords } from '../../model/estimate-words.ts';
import type { Estimate } from '../../model/estimate.ts';
import { isGood } from '../../model/severity.ts';
import { toShown } from '../../statistics/certify/precision.ts';
import { isEnough, worthOf } from '../../statistics/estimate/advice.ts';
import { type Certain, type Frame, type FrameCell, sizeOf } from '../../statistics/estimate/frame.ts';
import { areTooMany, areTooManyOrFew } from '../../statistics/estimate/independence.ts';
import { successEstimate } from '../../statistics/estimate/success-estimate.ts';
import { LEARNS_BEHIND_MS } from '../../store/frame-columns.ts';
import {
  type Candidate,
  type FrameCount,
  type FrameQuery,
  type FrameReader,
  type KnownOf,
  rateOf,
} from '../../store/frame-reader.ts';
import { answerOf, answersOf, disagreementOn, type Sample, sampleOf } from './sample.ts';

interface WindowEstimate {
  readonly frame: Frame;
  /** The conversations of the frame's draws. */
  readonly drawn: readonly Candidate[];
  /** Certain outcomes followed readings, and count only in their turn. */
  readonly isLed: boolean;
  readonly conversations: EstimateAnswer['conversations'];
  readonly readings: Readings;
  /** All of the window, certain or not, and spoken for or not. */
  readonly outcomes: Certain;
  /** Undefined where nothing was read and nothing is certain. */
  readonly success: Estimate | undefined;
  readonly missed: Estimate | undefined;
  readonly missRate: Estimate | undefined;
}

type Readings = EstimateAnswer['readings'];
type EstimateJson = Omit<EstimateAnswer, 'agent' | 'since' | 'until' | 'explained'>;

/** The window unless another is asked for. */
export const WEEK_MS = LEARNS_BEHIND_MS;
/** More are not looked at: an interval from so many is a point or two wide. */
const DRAWN_MAX = 2000;
/** Conversations that arrived later may come first. */
const MORE = 200;

export async function windowEstimate(
  reader: FrameReader,
  query: FrameQuery,
  sampled = sampleOf,
): Promise<WindowEstimate> {
  const read = await reader.readByPeople(query);
  const whole = await reader.frameCounts(query);
  const isLed = await isCertaintyLedByReading(reader, query, { read, counts: whole.counts });
  const limit = Math.min(DRAWN_MAX, read.conversations + MORE);
  const sample = sampled(await reader.firstToRead(query, limit, isLed ? 'all' : undefined));
  const { before } = sample;
  const { counts, unreadable } =
    before === undefined || before >= query.until ? whole : await reader.frameCounts({ ...query, until: before });
  const { frame, readings } = frameOf(isLed ? counts.map(withoutCertainty) : counts, sample);
  const found = successEstimate(frame);
  const calls = (of: (known: KnownOf) => boolean) => inAll(counts.filter(of));
  return {
    frame,
    drawn: sample.drawn,
    isLed,
    conversations: {
      ...{ spoken_for: sizeOf(frame), later: inAll(whole.counts) - inAll(counts), unreadable },
      called_fine: calls(({ called }) => isGood(called)),
      unscored: calls(({ called }) => called === 'unscored'),
    },
    readings: { ...readings, out_of_turn: Math.max(0, read.conversations - readings.sample) },
    outcomes: outcomesOf(whole.counts, (one) => one.certain ?? one.outcome),
    success: rounded(found?.success),
    missed: rounded(found?.missed),
    missRate: rounded(found?.missRate),
  };
}

/** As the API and `assay score --json` say it, with its sentences. */
export function estimateJson(found: WindowEstimate): EstimateJson {
  const { conversations, readings, outcomes, success, missed, missRate, frame, isLed } = found;
  const worth = worthOf(frame);
  const isLast = isEnough(frame, worth);
  const { sample: read, certain } = readings;
  const spokenFor = conversations.spoken_for;
  const figure = (estimate: Estimate) => figureOf(estimate, read + certain);
  return {
    says: headlineWords({ success, missRate, spokenFor, read, certain, calledFine: conversations.called_fine }),
    next: nextWords(worth, { read, isEnough: isLast, spokenFor, isLed }),
    ...(success === undefined ? {} : { success: figure(success), band: bandOf(success.lower, spokenFor) }),
    ...(missed === undefined ? {} : { missed: figure(missed) }),
    ...(missRate === undefined ? {} : { miss_rate: figure(missRate) }),
    ...{ conversations, readings },
    outcomes: { good: outcomes.good, bad: outcomes.bad, bad_called_fine: outcomes.badCalledFine },
    worth: worth.map(({ readings: all, plusMinus }) => ({
      readings: all,
      minutes: Math.round((all - read) * MINUTES_A_READING),
      plus_minus: plusMinus,
    })),
    enough: isLast,
  };
}

/** Readers may make failures certain that they find. Certainty then says which conversations were read. */
async function isCertaintyLedByReading(
  reader: FrameReader,
  query: FrameQuery,
  { read, counts }: { readonly read: ReadByPeople; readonly counts: readonly FrameCount[] },
): Promise<boolean> {
  const certain = inAll(counts.filter((one) => one.certain !== undefined));
  if (read.firstAt === undefined || certain === 0) return false;
  const since = await reader.certainSince(query, read.firstAt);
  const all = inAll(counts) - (certain - since.known);
  return areTooMany({ all, known: since.known, drawn: read.conversations, hits: since.read });
}

type ReadByPeople = Awaited<ReturnType<FrameReader['readByPeople']>>;

function withoutCertainty(one: FrameCount): FrameCount {
  return { ...one, certain: undefined };
}

/** Leaves out what users or outcomes say if it has to do with what was read. */
function heardOf(counts: readonly FrameCount[], { drawn }: Sample): (known: KnownOf) => KnownOf {
  const uncertain = counts.filter(({ certain }) => certain === undefined);
  const [isDeafToUsers, isDeafToOutcomes] = (['feedback', 'outcome'] as const).map((name) => {
    const isKnown = (known: KnownOf) => known[name] !== undefined;
    const hits = drawn.filter(({ known }) => isKnown(known)).length;
    return areTooManyOrFew({
      ...{ all: inAll(uncertain), known: inAll(uncertain.filter(isKnown)), drawn: drawn.length },
      hits,
    });
  });
  return (known) => ({
    ...known,
    ...(isDeafToUsers === true ? { feedback: undefined } : {}),
    ...(isDeafToOutcomes === true ? { outcome: undefined } : {}),
  });
}

function frameOf(
  counts: readonly FrameCount[],
  sample: Sample,
): { readonly frame: Frame; readonly readings: Omit<Readings, 'out_of_turn'> } {
  const { drawn } = sample;
  const heard = heardOf(counts, sample);
  const cells: (FrameCell & { size: number })[] = [];
  const places = new Map<string, number>();
  const placeOf = (of: KnownOf): number => {
    const known = heard(of);
    const { called, foretold: predicted } = known;
    const group = groupOf(known);
    const place = places.get(`${predicted}, ${group}`) ?? cells.length;
    if (place === cells.length) {
      places.set(`${predicted}, ${group}`, place);
      cells.push({ group, isCalledFine: isGood(called), predicted, rate: rateOf(called), size: 0 });
    }
    return place;
  };
  const add = (known: KnownOf, size: number) => {
    const cell = cells[placeOf(known)];
    if (cell !== undefined) cell.size += size;
  };
  for (const { certain, conversations, ...known } of counts) if (certain === undefined) add(known, conversations);
  const certain = outcomesOf(counts, (one) => one.certain);
  const draws = drawn.map((candidate) => {
    const cell = placeOf(candidate.known);
    // One that was evaluated between two reads.
    if (cells[cell]?.size === 0) add(candidate.known, 1);
    return { cell, answer: answerOf(candidate) };
  });
  const { byTwo, disagreed, share } = disagreementOn(drawn, ({ readings }) => answersOf(readings));
  const known = drawn.filter((one) => one.certain !== undefined).length;
  return {
    frame: { cells, draws, certain, disagreement: share },
    readings: {
      sample: draws.length - known,
      certain: certain.good + certain.bad + known,
      unclear: draws.filter(({ answer }) => answer === 'unclear').length,
      ...{ by_two: byTwo, disagreed },
    },
  };
}

function outcomesOf(counts: readonly FrameCount[], outcomeOf: (one: FrameCount) => KnownOf['outcome']): Certain {
  const sum = (of: (one: FrameCount) => boolean) => inAll(counts.filter(of));
  return {
    good: sum((one) => outcomeOf(one) === 'good'),
    bad: sum((one) => outcomeOf(one) === 'bad'),
    badCalledFine: sum((one) => outcomeOf(one) === 'bad' && isGood(one.called)),
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

export function rounded(estimate: Estimate | undefined): Estimate | undefined {
  if (estimate === undefined) return undefined;
  return { value: toShown(estimate.value), lower: toShown(estimate.lower), upper: toShown(estimate.upper) };
}
