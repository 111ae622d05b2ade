/**
 * Evidence that a level which fell is better: bets on the usual level, against half of the change. The change is what was
 * found, or what it has been since the onset if that is less: what was found was chosen for looking bad, and half of it
 * may be more than the agent really fell.
 *
 * Better is not yet back: a level that has made good two thirds of a fall wins these bets too, at a lucky moment. So
 * the level after that moment decides what is left (`verdictOn`).
 *
 * The change since the onset is measured until it is known well. Later days after a real recovery would make it look
 * small, and recovery hard to prove.
 */
import type { Json } from '../../model/json.ts';
import { between, type Expectation, type Stretch } from './change-evidence.ts';
import { correctedForChoice, type Estimate, estimate, type Varies } from './effect.ts';
import type { Level } from './expectations.ts';
import type { Foreseen } from './usual-pattern.ts';

/** Unrelated conversations. The rule does not look at the change: it would stop where the change looks large. */
const KNOWN_AFTER = 1500;
const LOSS_MAX = 0.75;
const CAPITAL_MAX = 1e150;
/**
 * Evidence as large as the conversations of so many days, and of so many conversations a day. It is little, because the
 * level since then decides: with the evidence of thirty days a false alarm lasted a week.
 */
const EVIDENCE_DAYS = 2;
const PER_DAY_MIN = 150;
/**
 * The rest of a change counts as nothing if it is less than the minimum change. Where traffic is too low to know that
 * soon, more may be left: one minimum change more for every half day, up to four of them, but not half of the change.
 */
const PATIENCE_MS = 12 * 3_600_000;
const LEFT_MINIMA = 4;
const LEFT_SHARE = 0.5;
const NORMAL_95 = 1.96;
/** Errors by which the rest of a change is less than what counts, and more than nothing. */
const BACK_ERRORS = 1.645;
const PARTLY_ERRORS = 2.8;
const PARTLY_MINIMA = 1.2;
/** Slopes, as parts of the one that grows fastest at the usual level; the flatter one grows where two thirds are made good. */
const BETS = [1, 0.4];
/** Costs have no upper end. */
const LARGEST_TIMES = 1e3;

export class Recovery {
  readonly #capitals = new Float64Array(BETS.length);
  #found = 0;
  #isKnown = false;
  /** Change that is taken to be there, relative to what was expected. */
  #change = 0;
  /** Totals when the level was found to be better, if it was. */
  #betterAt: Stretch | undefined;

  get capital(): number {
    return this.#capitals.reduce((sum, capital) => sum + capital, 0) / BETS.length;
  }

  begin(found: number): void {
    this.#capitals.fill(0);
    this.#found = found;
    this.#change = found;
    this.#isKnown = false;
    this.#betterAt = undefined;
  }

  /** Takes in the change since the onset, at least as large as what concerns anybody. */
  seen({ change, conversations }: Estimate, sumEffect: number, level: Level): void {
    if (this.#isKnown) return;
    this.#change = Math.min(this.#found, Math.max(level.minimumChange, Math.abs(change)));
    this.#isKnown = conversations >= KNOWN_AFTER * sumEffect;
  }

  add({ expected, variance, bad, quantity, designEffect }: Back, { given }: Foreseen, level: Level): void {
    const unit = level.worse === 'falls' ? 1 - expected : expected;
    const half = 0.5 * this.#change * unit;
    const largest = level.bounded ? 1 : LARGEST_TIMES * expected;
    for (const [bet, part] of BETS.entries()) {
      const most = (part * half) / (variance * designEffect + half * half);
      const slope = Math.min(LOSS_MAX / largest, most) * given.stake;
      const penalty = (slope * variance * (designEffect - 1)) / 2;
      const excess = (expected + half * given.shown) * quantity + given.predicted - bad - penalty;
      const capital = ((this.#capitals[bet] as number) + 1) * Math.max(0.05, 1 + slope * excess);
      this.#capitals[bet] = Math.min(CAPITAL_MAX, capital);
    }
  }

  /**
   * Says whether the level is back, or gives the totals at which it began to be partly back: from then on the rest is
   * what was found. Undefined where it is as bad as it was, or that is not known.
   */
  look(totals: Stretch, { at, perDay, foundAt, level, varies, wanders }: Looked): 'back' | Stretch | undefined {
    if (this.capital >= EVIDENCE_DAYS * Math.max(PER_DAY_MIN, perDay)) this.#betterAt ??= { ...totals, since: at };
    const betterAt = this.#betterAt;
    if (betterAt === undefined) return undefined;
    const left = estimate(between(totals, betterAt), level, { ...varies, wobble: 0 });
    const fallen = estimate(between(betterAt, foundAt), level, varies);
    if (left === undefined || fallen === undefined) return undefined;
    const { change } = correctedForChoice(fallen);
    const of = {
      found: this.#found,
      before: Math.abs(change),
      forMs: at - betterAt.since,
      level,
      wanders: wanders / left.baseline,
    };
    const verdict = verdictOn(left, of);
    if (verdict === undefined) return undefined;
    this.#betterAt = undefined;
    if (verdict === 'back') return 'back';
    this.begin(verdict === 'as bad' ? this.#found : Math.abs(left.change));
    return verdict === 'as bad' ? undefined : betterAt;
  }

  snapshot(): Json {
    const betterAt = this.#betterAt === undefined ? null : { ...this.#betterAt };
    // 0.1.0 reads the first four.
    return [this.capital, this.#found, this.#change, this.#isKnown, betterAt, [...this.#capitals]];
  }

  restore(json: Json): void {
    const [capital, found, change, isKnown, betterAt, capitals] = json as unknown as Kept;
    this.#betterAt = betterAt ?? undefined;
    this.#capitals.fill(capital);
    this.#capitals.set(capitals ?? []);
    this.#found = found;
    this.#change = change;
    this.#isKnown = isKnown;
  }
}

/** `left` is the change since the level was found to be better, and `forMs` how long that is. */
export function verdictOn(
  left: Estimate,
  { found, before, forMs, level, wanders = 0 }: Verdict,
): 'back' | 'partly back' | 'as bad' | undefined {
  const worse = level.worse === 'falls' ? -left.change : left.change;
  const error = (left.changeUpper - left.changeLower) / (2 * NORMAL_95);
  const { minimumChange } = level;
  const most = Math.max(minimumChange, LEFT_SHARE * Math.max(found, before));
  const asNothing = Math.min(most, minimumChange * Math.min(LEFT_MINIMA, 1 + forMs / PATIENCE_MS)) + wanders;
  const surely = BACK_ERRORS * error;
  // A few conversations show anything, and one looks after each.
  if (surely > Math.min(most, LEFT_MINIMA * minimumChange)) return undefined;
  if (surely < asNothing && worse + surely < asNothing) return 'back';
  if (worse < PARTLY_MINIMA * minimumChange + wanders || worse < PARTLY_ERRORS * error) return undefined;
  return worse > Math.max(minimumChange, LEFT_SHARE * before) ? 'as bad' : 'partly back';
}

interface Verdict {
  /** Change that raised the alarm. */
  readonly found: number;
  /** Change since the onset until the level was found to be better; a false alarm makes it small. */
  readonly before: number;
  readonly forMs: number;
  readonly level: Level;
  /** Change, relative to what was expected, by which the level wanders when nothing is wrong. */
  readonly wanders?: number;
}

interface Back extends Pick<Expectation, 'expected' | 'variance'> {
  readonly bad: number;
  readonly quantity: number;
  readonly designEffect: number;
}

interface Looked {
  readonly at: number;
  /** Conversations a day. */
  readonly perDay: number;
  /** Totals when the regression began. */
  readonly foundAt: Stretch;
  readonly level: Level;
  readonly varies: Varies;
  /** In the unit of the metric. */
  readonly wanders: number;
}

type Kept = readonly [
  capital: number,
  found: number,
  change: number,
  isKnown: boolean,
  betterAt?: Stretch | null,
  capitals?: readonly number[],
];
