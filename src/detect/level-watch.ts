/**
 * One level of one agent under watch (its score, a criterion's pass rate, its cost per success, ...), and what is
 * thought of it.
 *
 *     learning ──▶ ok ◀──▶ suspected ──▶ regressed ──▶ recovered ──▶ ok            (no_data lies over any of them)
 *
 * learning → ok        enough history: conversations and days beyond the gap of the baseline. ok → suspected       the
 * evidence reaches A^¾. The baseline takes in nothing from here on: what happens now waits. suspected → ok       the
 * evidence is back under A^½, or has not decided within `suspectMaxMs`; what waited becomes usual. suspected →
 * regressed  the bets whose stretch shows at least the minimum change add up to A. The stretch of the
 *                      strongest of them gives the onset; what waited since then is thrown away.
 * regressed → recovered  evidence of the other direction, against half the change that was found, reaches ten times the
 *                      conversations of a day: a level in between keeps the state.
 * recovered → ok       after `recoveredMs`; to suspected sooner if the evidence says so. no_data              nothing
 * was decided for `silentMs`. The earlier state is kept, and returns with the data.
 *
 * A = conversations of 30 days / false alarms allowed in 30 days. With a known baseline the chance of a false alarm in
 * 30 days is at most that number (change-evidence.ts); that the baseline is estimated, and that levels wander
 * (wobble.ts), is met by an allowance, and measured (docs/decisions/0014-regression-detection.md).
 */
import type { Json } from '../model/json.ts';
import { ChangeEvidence, type Stretch } from './change-evidence.ts';
import { type Cells, TrailingBaseline } from './trailing-baseline.ts';
import {
  BAD,
  BAD_QUANTITY,
  BAD_SQUARES,
  COUNT,
  COUNT_SQUARES,
  type Expectations,
  expectationsOf,
  leastAllowance,
  standardError,
  LEVEL_COLUMNS,
  type Level,
  QUANTITY,
} from './expectations.ts';
import { estimate, type Estimate, type Sums, smallestFound } from './effect.ts';
import { DAY_MS, MONTH_MS, type WatchSettings } from './settings.ts';
import { HOUR_MS, Wobble } from './drift-variance.ts';

type Phase = 'learning' | 'ok' | 'suspected' | 'regressed' | 'recovered';
export type State = 'no_data' | Phase;

export interface WatchReading {
  readonly state: State;
  /** When the state was entered, in log time; undefined where nothing was observed yet. */
  readonly stateSince: number | undefined;
  readonly logEvidence: number;
  readonly logThreshold: number;
  readonly estimate: Estimate | undefined;
  /** Estimated onset of what is suspected or found. */
  readonly onset: number | undefined;
  /** Relative to the baseline, within a day at today's traffic. */
  readonly minimumDetectableChange: number | undefined;
}

interface Change {
  readonly from: State;
  readonly to: State;
  readonly at: number;
}

const NEVER = Number.MAX_VALUE;
const MONTHLY_MIN = 1000;

export class LevelWatch {
  readonly #settings: WatchSettings;
  readonly #level: Level;
  /** Levels that are watched together do not alarm one by one: see `confirm`. */
  readonly #together: boolean;
  readonly #baseline: TrailingBaseline;
  readonly #evidence: ChangeEvidence;
  readonly #wobble: Wobble;
  #expectations: Expectations | undefined;
  #phase: Phase = 'learning';
  #phaseSince = 0;
  #silent = true;
  #lastAt = 0;
  #alarmAt = NEVER;
  #suspectAt = NEVER;
  #tick = 0;
  #hourEnd = 0;
  #hourStart: Stretch;
  /** Evidence that counts, over what raises the alarm. */
  #standing = 0;
  #onset = 0;
  /** Totals at the onset of what was found, and its relative size. */
  #foundAt: Stretch;
  #found = 0;
  #recovery = 0;
  #changes: Change[] = [];

  constructor(settings: WatchSettings, level: Level, { together }: { readonly together: boolean }) {
    this.#settings = settings;
    this.#level = level;
    this.#together = together;
    this.#baseline = new TrailingBaseline(settings.baseline, LEVEL_COLUMNS);
    this.#evidence = new ChangeEvidence(level.weights);
    this.#wobble = new Wobble(settings.wobble);
    this.#hourStart = this.#evidence.totals();
    this.#foundAt = this.#hourStart;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get state(): State {
    return this.#silent ? 'no_data' : this.#phase;
  }

  get standing(): number {
    return this.#phase === 'regressed' ? Math.max(1, this.#evidence.value / this.#alarmAt) : this.#standing;
  }

  get onset(): number {
    return this.#onset;
  }

  /** Quantity is 0 or 1. For scores bad is 1 − score and quantity 1; for a ratio they are numerator and denominator. */
  observe(segment: number, bad: number, quantity: number, time: number): void {
    const at = time > this.#lastAt ? time : this.#lastAt;
    this.#lastAt = at;
    if (at >= this.#tick) this.advance(at);
    if (this.#silent) this.#speak(at);
    const cell = this.#baseline.cell(segment, at);
    cell[COUNT] = (cell[COUNT] as number) + 1;
    cell[COUNT_SQUARES] = (cell[COUNT_SQUARES] as number) + 1;
    cell[BAD] = (cell[BAD] as number) + bad;
    cell[QUANTITY] = (cell[QUANTITY] as number) + quantity;
    cell[BAD_SQUARES] = (cell[BAD_SQUARES] as number) + bad * bad;
    cell[BAD_QUANTITY] = (cell[BAD_QUANTITY] as number) + bad * quantity;
    const expectation = this.#expectations?.segments[segment];
    if (expectation === undefined) return;
    this.#evidence.add(expectation, bad, quantity, at);
    if (this.#phase === 'learning') return;
    if (this.#phase === 'regressed') this.#recover(expectation, bad, quantity, at);
    else if (this.#evidence.value >= this.#suspectAt) this.#weigh(at);
    else if (this.#phase === 'suspected' && this.#evidence.value < Math.sqrt(this.#alarmAt)) this.#enter('ok', at);
  }

  /** Log time has come to `time`; cheap when nothing ends. */
  advance(time: number): void {
    if (!this.#silent && time - this.#lastAt >= this.#settings.silentMs) {
      this.#changes.push({ from: this.#phase, to: 'no_data', at: time });
      this.#silent = true;
    }
    if (time < this.#tick) return;
    this.#endHour(time);
    if (this.#phase === 'suspected' && time - this.#phaseSince > this.#settings.suspectMaxMs) {
      this.#evidence.forget(time);
      this.#enter('ok', time);
    }
    if (this.#phase === 'recovered' && time - this.#phaseSince > this.#settings.recoveredMs) this.#enter('ok', time);
    if (this.#phase === 'suspected' || this.#phase === 'regressed') return;
    // While learning there is nothing to keep out, and a wobble to get to know.
    this.#wobble.include(
      time - (this.#phase === 'learning' ? this.#settings.baseline.gapMs : this.#settings.wobbleGapMs),
    );
    if (this.#baseline.ripen(time)) this.#refresh(time);
  }

  /** Called by the watch over several levels when this one is among the regressed. */
  confirm(at: number): void {
    if (this.#phase === 'suspected' && this.#standing > 0) this.#find(at);
  }

  /** A person says that the level since the onset is the one to expect. */
  accept(at: number): void {
    this.#baseline.adopt();
    this.#wobble.cut(0);
    this.#evidence.forget(at);
    this.#enter('learning', at);
    this.#refresh(at);
  }

  takeChanges(): readonly Change[] {
    const taken = this.#changes;
    if (taken.length > 0) this.#changes = [];
    return taken;
  }

  reading(): WatchReading {
    const phase = this.#phase;
    const troubled = phase === 'suspected' || phase === 'regressed';
    const stretch = troubled ? this.#stretch() : undefined;
    const sums = stretch ?? this.#recent();
    return {
      state: this.state,
      stateSince: this.#stateSince(),
      logEvidence: Math.log(Math.max(1, this.#evidence.value)),
      logThreshold: this.#alarmAt < NEVER ? Math.log(this.#alarmAt) : 0,
      estimate: sums === undefined ? undefined : estimate(sums, this.#level, this.#wobble.variance),
      onset: troubled ? (phase === 'regressed' ? this.#onset : stretch?.since) : undefined,
      minimumDetectableChange: this.#smallest(),
    };
  }

  snapshot(): Json {
    return {
      baseline: this.#baseline.snapshot(),
      evidence: this.#evidence.snapshot(),
      wobble: this.#wobble.snapshot(),
      phase: this.#phase,
      silent: this.#silent,
      allowance: this.#allowance,
      hourStart: { ...this.#hourStart },
      foundAt: { ...this.#foundAt },
      changes: this.#changes.map((change) => ({ ...change })),
      numbers: [
        this.#phaseSince,
        this.#lastAt,
        this.#alarmAt,
        this.#suspectAt,
        this.#tick,
        this.#hourEnd,
        this.#standing,
        this.#onset,
        this.#found,
        this.#recovery,
      ],
    };
  }

  restore(json: Json): void {
    // The cast holds for what `snapshot` gave; Detection looks at its version.
    const kept = json as unknown as Kept;
    this.#baseline.restore(kept.baseline);
    this.#evidence.restore(kept.evidence);
    this.#wobble.restore(kept.wobble);
    this.#phase = kept.phase;
    this.#silent = kept.silent;
    this.#allowance = kept.allowance;
    this.#hourStart = kept.hourStart;
    this.#foundAt = kept.foundAt;
    this.#changes = [...kept.changes];
    const [phaseSince = 0, lastAt = 0, alarmAt = NEVER, suspectAt = NEVER, tick = 0, hourEnd = 0] = kept.numbers;
    this.#phaseSince = phaseSince;
    this.#lastAt = lastAt;
    this.#alarmAt = alarmAt;
    this.#suspectAt = suspectAt;
    this.#tick = tick;
    this.#hourEnd = hourEnd;
    const [standing = 0, onset = 0, found = 0, recovery = 0] = kept.numbers.slice(6);
    this.#standing = standing;
    this.#onset = onset;
    this.#found = found;
    this.#recovery = recovery;
    // The baseline changes only when expectations are recalculated, so that they come out the same.
    this.#expectations = expectationsOf(this.#baseline.usual, this.#level, this.#allowance);
  }

  #allowance = 0;

  #stateSince(): number | undefined {
    if (this.#lastAt === 0) return undefined;
    return this.#silent ? this.#lastAt + this.#settings.silentMs : this.#phaseSince;
  }

  #speak(at: number): void {
    this.#silent = false;
    if (this.#phaseSince === 0) this.#phaseSince = at;
    this.#changes.push({ from: 'no_data', to: this.#phase, at });
  }

  #enter(phase: Phase, at: number): void {
    if (phase === this.#phase) return;
    if (!this.#silent) this.#changes.push({ from: this.#phase, to: phase, at });
    this.#phase = phase;
    this.#phaseSince = at;
    if (phase !== 'suspected') this.#standing = 0;
  }

  #endHour(time: number): void {
    if (this.#hourEnd > 0 && this.#phase !== 'regressed') {
      const totals = this.#evidence.totals();
      this.#wobble.hold(this.#hourEnd, this.#hourStart, totals);
      this.#hourStart = totals;
    }
    this.#hourEnd = Math.floor(time / HOUR_MS) * HOUR_MS + HOUR_MS;
    const { bucketMs } = this.#settings.baseline;
    this.#tick = Math.min(this.#hourEnd, Math.floor(time / bucketMs) * bucketMs + bucketMs);
  }

  #refresh(time: number): void {
    const { wobbleAllowance, baselineAllowance } = this.#settings;
    const usual = this.#baseline.usual;
    const wobble = wobbleAllowance * Math.sqrt(this.#wobble.variance);
    this.#allowance = Math.max(
      leastAllowance(usual, this.#level),
      wobble + baselineAllowance * standardError(usual, this.#level),
    );
    this.#expectations = expectationsOf(this.#baseline.usual, this.#level, this.#allowance);
    if (this.#expectations === undefined) return;
    const { count } = this.#expectations.pooled;
    const month = (count / Math.max(1, this.#baseline.coveredMs)) * MONTH_MS;
    this.#alarmAt = Math.max(MONTHLY_MIN, month) / this.#settings.falseAlarmsPerMonth;
    this.#suspectAt = this.#alarmAt ** 0.75;
    const { conversations, historyMs } = this.#settings.learn;
    if (this.#phase === 'learning' && count >= conversations && this.#baseline.coveredMs >= historyMs) {
      this.#evidence.forget(time);
      this.#enter('ok', time);
    }
  }

  #weigh(at: number): void {
    if (this.#phase !== 'suspected') this.#enter('suspected', at);
    let counting = 0;
    if (this.#evidence.value >= this.#alarmAt)
      for (let bet = 0; bet < this.#evidence.bets; bet += 1)
        if (this.#isMeant(this.#evidence.stretch(bet))) counting += this.#evidence.share(bet);
    this.#standing = counting / this.#alarmAt;
    if (this.#standing >= 1 && !this.#together) this.#find(at);
  }

  /** Whether a stretch shows a change of a size that concerns anybody. */
  #isMeant(stretch: Stretch): boolean {
    const excess = stretch.bad - stretch.expected;
    const expected = this.#level.worse === 'falls' ? stretch.quantity - stretch.expected : stretch.expected;
    return excess >= this.#level.minimumChange * expected && excess >= this.#level.minimumDifference * stretch.quantity;
  }

  #strongest(): number {
    let strongest = 0;
    let most = -1;
    for (let bet = 0; bet < this.#evidence.bets; bet += 1) {
      const share = this.#isMeant(this.#evidence.stretch(bet)) ? this.#evidence.share(bet) : 0;
      if (share > most) {
        most = share;
        strongest = bet;
      }
    }
    return strongest;
  }

  #find(at: number): void {
    const stretch = this.#evidence.stretch(this.#strongest());
    const totals = this.#evidence.totals();
    this.#onset = stretch.since;
    this.#foundAt = difference(totals, stretch);
    this.#found = Math.abs(estimate(stretch, this.#level, 0)?.change ?? 0);
    this.#recovery = 0;
    this.#baseline.cut(stretch.since);
    this.#wobble.cut(stretch.since);
    this.#expectations = expectationsOf(this.#baseline.usual, this.#level, this.#allowance);
    this.#enter('regressed', at);
  }

  #recover(expectation: { expected: number; variance: number }, bad: number, quantity: number, at: number): void {
    const { expected, variance } = expectation;
    const unit = this.#level.worse === 'falls' ? 1 - expected : expected;
    const half = 0.5 * this.#found * unit;
    const largest = this.#level.bounded ? 1 : 1e3 * expected;
    const slope = Math.min(0.75 / largest, half / (variance + half * half));
    const gain = Math.max(0.05, 1 + slope * ((expected + half) * quantity - bad));
    this.#recovery = Math.min(1e150, (this.#recovery + 1) * gain);
    const day = (this.#alarmAt * this.#settings.falseAlarmsPerMonth * DAY_MS) / MONTH_MS;
    if (this.#recovery < 10 * Math.max(10, day)) return;
    this.#evidence.forget(at);
    this.#baseline.cut(0);
    this.#hourStart = this.#evidence.totals();
    this.#recovery = 0;
    this.#enter('recovered', at);
  }

  #stretch(): Sums {
    if (this.#phase === 'suspected') return this.#evidence.stretch(this.#strongest());
    return { ...difference(this.#evidence.totals(), this.#foundAt), since: this.#onset };
  }

  /** Observations that wait to enter the baseline, against the expectation for the same mix. */
  #recent(): Sums | undefined {
    const cells: Cells = this.#baseline.recent();
    const sums = { since: 0, count: 0, quantity: 0, bad: 0, expected: 0, variance: 0, doubt: 0 };
    for (const [segment, cell] of cells.entries()) {
      const expectation = this.#expectations?.segments[segment];
      if (cell === undefined || expectation === undefined) continue;
      const count = cell[COUNT] as number;
      sums.count += count;
      sums.quantity += cell[QUANTITY] as number;
      sums.bad += cell[BAD] as number;
      sums.expected += expectation.expected * (cell[QUANTITY] as number);
      sums.variance += expectation.variance * count;
      sums.doubt += expectation.doubt * count;
    }
    return sums.quantity > 0 ? sums : undefined;
  }

  #smallest(): number | undefined {
    const pooled = this.#expectations?.pooled;
    if (pooled === undefined || this.#alarmAt === NEVER) return undefined;
    const perDay = (pooled.count / Math.max(1, this.#baseline.coveredMs)) * DAY_MS;
    return smallestFound({
      pooled,
      level: this.#level,
      perDay,
      logAlarm: Math.log(this.#alarmAt),
      allowance: this.#allowance,
    });
  }
}

interface Kept {
  readonly baseline: Json;
  readonly evidence: Json;
  readonly wobble: Json;
  readonly phase: Phase;
  readonly silent: boolean;
  readonly allowance: number;
  readonly hourStart: Stretch;
  readonly foundAt: Stretch;
  readonly changes: readonly Change[];
  readonly numbers: readonly number[];
}

function difference(to: Stretch, from: Stretch): Stretch {
  return {
    since: from.since,
    count: to.count - from.count,
    quantity: to.quantity - from.quantity,
    bad: to.bad - from.bad,
    expected: to.expected - from.expected,
    variance: to.variance - from.variance,
    doubt: to.doubt - from.doubt,
  };
}
