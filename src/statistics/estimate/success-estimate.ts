/**
 * The success rate of the conversations of a window, and how many failures the suites miss, from readings of a sample
 * with known chances. The intervals stay valid however often anybody looks, and whenever reading is stopped
 * (`evidence.ts`).
 *
 * An unclear reading counts for the lower end as if it were bad, and for the upper end as if it were good.
 */
import type { Estimate } from '../../model/estimate.ts';
import { beliefsOf } from './beliefs.ts';
import { type Beliefs, type Draw, logEvidence, type Supposed } from './evidence.ts';
import { type Frame, type ReadDraw, sizeOf } from './frame.ts';
import { AGAINST, notContradicted } from './interval.ts';

interface SuccessEstimate {
  readonly success: Estimate;
  /** Share of all conversations that are bad and called fine. */
  readonly missed: Estimate;
  /** Share of the bad ones that are called fine; undefined where no bad one is known. */
  readonly missRate: Estimate | undefined;
}

/** Undefined where nothing was read and nothing is certain. Values against which there is as much evidence are left out. */
export function successEstimate(frame: Frame, limit: number = AGAINST): SuccessEstimate | undefined {
  const { draws, certain } = frame;
  if (draws.length === 0 && certain.good + certain.bad === 0) return undefined;
  const readings = new Readings(frame, limit);
  const hasBad = certain.bad > 0 || draws.some(({ answer }) => answer === 'bad');
  return {
    success: wider(readings.interval(SUCCESS), frame),
    missed: wider(readings.interval(MISSED), frame),
    missRate: hasBad ? readings.interval(MISS_RATE) : undefined,
  };
}

/** The share of good ones alone; of some kind of conversations, where `good` stands for those of the kind. */
export function shareEstimate(frame: Frame): Estimate | undefined {
  const { draws, certain } = frame;
  if (draws.length === 0 && certain.good + certain.bad === 0) return undefined;
  return wider(new Readings(frame, AGAINST).interval(SUCCESS), frame);
}

interface Figure {
  /** The totals that go with this share. */
  readonly supposed: (frame: Frame, share: number) => Supposed;
  /** Shares that are possible after these draws. */
  readonly range: (frame: Frame, read: { readonly fine: Tally; readonly other: Tally }) => readonly [number, number];
  /** Unclear draws are taken for this at the lower and at the upper end. */
  readonly taken: readonly [Taken, Taken];
}

/** `caught` and `missed` are good or bad, whichever makes the suites look better or worse. */
type Taken = 'good' | 'bad' | 'caught' | 'missed';

/** Counts of conversations that are called fine, or of the others. */
interface Tally {
  readonly good: number;
  readonly bad: number;
  readonly unread: number;
}

const SUCCESS: Figure = {
  supposed: (frame, share) => ({
    total: share * sizeOf(frame) - frame.certain.good,
    weights: frame.cells.map(() => 1),
  }),
  range: (frame, { fine, other }) => [
    (fine.good + other.good + frame.certain.good) / sizeOf(frame),
    1 - (fine.bad + other.bad + frame.certain.bad) / sizeOf(frame),
  ],
  taken: ['bad', 'good'],
};

const MISSED: Figure = {
  supposed: (frame, share) => {
    const { cells, certain } = frame;
    const fine = cells.reduce((sum, { isCalledFine, size }) => sum + (isCalledFine ? size : 0), 0);
    return {
      total: fine - (share * sizeOf(frame) - certain.badCalledFine),
      weights: cells.map(({ isCalledFine }) => Number(isCalledFine)),
    };
  },
  range: (frame, { fine }) => {
    const least = fine.bad + frame.certain.badCalledFine;
    return [least / sizeOf(frame), (least + fine.unread) / sizeOf(frame)];
  },
  taken: ['good', 'bad'],
};

const MISS_RATE: Figure = {
  // Over all bad ones, those called fine weigh 1 − share and the others −share: these sum to 0.
  supposed: ({ cells, certain }, share) => {
    const weights = cells.map(({ isCalledFine }) => (isCalledFine ? 1 - share : -share));
    const ofCertain = certain.badCalledFine * (1 - share) - (certain.bad - certain.badCalledFine) * share;
    const ofAll = cells.reduce((sum, { size }, cell) => sum + size * (weights[cell] ?? 0), 0);
    return { total: ofAll + ofCertain, weights };
  },
  range: ({ certain }, { fine, other }) => {
    const missed = fine.bad + certain.badCalledFine;
    const caught = other.bad + certain.bad - certain.badCalledFine;
    return [partOf(missed, caught + other.unread), 1 - partOf(caught, missed + fine.unread)];
  },
  taken: ['caught', 'missed'],
};

function partOf(part: number, rest: number): number {
  return part === 0 ? 0 : part / (part + rest);
}

class Readings {
  readonly #frame: Frame;
  readonly #limit: number;
  readonly #taken = new Map<Taken, { readonly draws: readonly Draw[]; readonly beliefs: Beliefs }>();

  constructor(frame: Frame, limit: number) {
    this.#frame = frame;
    this.#limit = limit;
  }

  interval(figure: Figure): Estimate {
    const [low, high] = figure.taken;
    const lower = this.#intervalTaking(figure, low);
    if (this.#frame.draws.every(({ answer }) => answer !== 'unclear')) return lower;
    const upper = this.#intervalTaking(figure, high);
    return { value: (lower.value + upper.value) / 2, lower: lower.lower, upper: upper.upper };
  }

  #intervalTaking({ supposed, range }: Figure, taken: Taken): Estimate {
    const { draws, beliefs } = this.#as(taken);
    const possible = range(this.#frame, { fine: this.#tally(draws, true), other: this.#tally(draws, false) });
    const against = (share: number) => logEvidence(this.#frame.cells, draws, beliefs, supposed(this.#frame, share));
    return notContradicted(against, possible, this.#limit);
  }

  #as(taken: Taken): { readonly draws: readonly Draw[]; readonly beliefs: Beliefs } {
    const known = this.#taken.get(taken);
    if (known !== undefined) return known;
    const { cells, draws: read } = this.#frame;
    const draws = read.map((draw) => ({ cell: draw.cell, isGood: isGood(this.#frame, draw, taken) }));
    const made = { draws, beliefs: beliefsOf(cells, draws) };
    this.#taken.set(taken, made);
    return made;
  }

  #tally(draws: readonly Draw[], isFine: boolean): Tally {
    const { cells } = this.#frame;
    const read = draws.filter(({ cell }) => cells[cell]?.isCalledFine === isFine);
    const good = read.filter((draw) => draw.isGood).length;
    const size = cells.reduce((sum, cell) => sum + (cell.isCalledFine === isFine ? cell.size : 0), 0);
    return { good, bad: read.length - good, unread: size - read.length };
  }
}

function isGood({ cells }: Frame, { cell, answer }: ReadDraw, taken: Taken): boolean {
  if (answer !== 'unclear') return answer === 'good';
  if (taken === 'good' || taken === 'bad') return taken === 'good';
  return (cells[cell]?.isCalledFine === true) === (taken === 'caught');
}

/** Where two people disagree one of them is wrong: of single readings as many are. */
function wider({ value, lower, upper }: Estimate, { disagreement }: Frame): Estimate {
  const by = disagreement / 2;
  return { value, lower: Math.max(0, lower - by), upper: Math.min(1, upper + by) };
}
