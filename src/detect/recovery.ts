/**
 * Evidence that a level which fell is back: bets on the usual level, against half of the change. The change is what was
 * found, or what it has been since the onset if that is less: what was found was chosen for looking bad, and half of it
 * may be more than the agent really fell.
 *
 * The change since the onset is measured until it is known well. Later days after a real recovery would make it look
 * small, and recovery hard to prove.
 */
import type { Json } from '../model/json.ts';
import type { Expectation } from './change-evidence.ts';
import type { Estimate } from './effect.ts';
import type { Level } from './expectations.ts';
import type { Foreseen } from './usual-pattern.ts';

/** Unrelated conversations. The rule does not look at the change: it would stop where the change looks large. */
const KNOWN_AFTER = 1500;
const LOSS_MAX = 0.75;
const CAPITAL_MAX = 1e150;
/** Costs have no upper end. */
const LARGEST_TIMES = 1e3;

export class Recovery {
  #capital = 0;
  #found = 0;
  #isKnown = false;
  /** Change that is taken to be there, relative to what was expected. */
  #change = 0;

  get capital(): number {
    return this.#capital;
  }

  begin(found: number): void {
    this.#capital = 0;
    this.#found = found;
    this.#change = found;
    this.#isKnown = false;
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
    const slope = Math.min(LOSS_MAX / largest, half / (variance * designEffect + half * half)) * given.stake;
    const penalty = (slope * variance * (designEffect - 1)) / 2;
    const gain = Math.max(
      0.05,
      1 + slope * ((expected + half * given.shown) * quantity + given.predicted - bad - penalty),
    );
    this.#capital = Math.min(CAPITAL_MAX, (this.#capital + 1) * gain);
  }

  snapshot(): Json {
    return [this.#capital, this.#found, this.#change, this.#isKnown];
  }

  restore(json: Json): void {
    const [capital, found, change, isKnown] = json as readonly [number, number, number, boolean];
    this.#capital = capital;
    this.#found = found;
    this.#change = change;
    this.#isKnown = isKnown;
  }
}

interface Back extends Pick<Expectation, 'expected' | 'variance'> {
  readonly bad: number;
  readonly quantity: number;
  readonly designEffect: number;
}
