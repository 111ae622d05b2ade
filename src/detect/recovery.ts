/**
 * Evidence that a level which fell is back: bets on the usual level, against half of the change. The change is what was
 * found, or what it has been since the onset if that is less: what was found was chosen for looking bad, and half of it
 * may be more than the agent really fell.
 *
 * What it has been since the onset is asked until a day has passed, so that the days after a real recovery don't make
 * the change look small and the proof of it hard.
 */
import type { Json } from '../model/json.ts';
import type { Expectation } from './change-evidence.ts';
import type { Level } from './expectations.ts';
import type { Foreseen } from './usual-pattern.ts';

const LOSS_MAX = 0.75;
const CAPITAL_MAX = 1e150;
/** Costs have no upper end. */
const LARGEST_TIMES = 1e3;

export class Recovery {
  #capital = 0;
  #found = 0;
  /** Change that is taken to be there, relative to what was expected. */
  #change = 0;

  get capital(): number {
    return this.#capital;
  }

  begin(found: number): void {
    this.#capital = 0;
    this.#found = found;
    this.#change = found;
  }

  /** What it has been since the onset, at least as large as what concerns anybody. */
  seen(change: number, level: Level): void {
    this.#change = Math.min(this.#found, Math.max(level.minimumChange, change));
  }

  add(
    { expected, variance, bad, quantity, designEffect }: Back,
    { given }: Foreseen,
    level: Level,
  ): void {
    const unit = level.worse === 'falls' ? 1 - expected : expected;
    const half = 0.5 * this.#change * unit;
    const largest = level.bounded ? 1 : LARGEST_TIMES * expected;
    const slope = Math.min(LOSS_MAX / largest, half / (variance * designEffect + half * half)) * given.stake;
    const penalty = (slope * variance * (designEffect - 1)) / 2;
    const gain = Math.max(
      0.05,
      1 + slope * ((expected + half * given.shown) * quantity + given.predicted - bad - penalty),
    );
    this.#capital = Math.min(CAPITAL_MAX, (this.#capital + 1) * gain);
  }

  snapshot(): Json {
    return [this.#capital, this.#found, this.#change];
  }

  restore(json: Json): void {
    const [capital = 0, found = 0, change = 0] = json as readonly number[];
    this.#capital = capital;
    this.#found = found;
    this.#change = change;
  }
}

interface Back extends Pick<Expectation, 'expected' | 'variance'> {
  readonly bad: number;
  readonly quantity: number;
  readonly designEffect: number;
}
