/**
 * One level of one agent under watch (its score, a criterion's pass rate, its cost per success, ...), and what is
 * thought of it.
 *
 *     learning ──▶ ok ◀──▶ suspected ──▶ regressed ──▶ recovered ──▶ ok            (no_data lies over any of them)
 *
 * - learning → ok: there is enough history: conversations in the baseline, and time since the first.
 * - ok → suspected: the evidence reaches A^¾. The baseline takes in nothing from here on; new observations wait.
 * - suspected → ok: the evidence is back under A^½, or has not decided within `suspectMaxMs`. Waiting observations become usual.
 * - suspected → regressed: the bets whose stretch shows at least the minimum change add up to A. The stretch of the
 *   strongest gives the onset, and observations since then are thrown away.
 * - regressed → regressed: it got worse. The level since the onset is watched like any other, and fell.
 * - regressed → recovered: recovery.ts has evidence that the level is better, and the level since then is as usual. If a part of the change is left, the state is partly_back: still a regression, of what is left.
 * - recovered → ok: after `recoveredMs`; to suspected sooner if the evidence says so.
 * - no_data: nothing was decided for `silentMs`. The earlier state is kept, and returns with the data.
 *
 * A = conversations of 30 days / false alarms allowed in 30 days, to the power by which evidence climbs higher than chance
 * explains when nothing is wrong (usual-peaks.ts). With a known baseline the chance of a false alarm in
 * 30 days is at most that number (change-evidence.ts); allowances for what the baseline does not know and
 * for wandering (drift-variance.ts) are measured (docs/decisions/0014-regression-detection.md).
 */
import type { Json } from '../../model/json.ts';
import { between, ChangeEvidence, type Stretch } from './change-evidence.ts';
import type { Slot } from './cluster-slots.ts';
import { TrailingBaseline } from './trailing-baseline.ts';
import {
  confine,
  countIn,
  type Expectations,
  expectationsOf,
  type Tolerated,
  leastAllowance,
  standardError,
  LEVEL_COLUMNS,
  type Level,
  sumsOf,
} from './expectations.ts';
import { isHoliday, toleratedOnHoliday } from './holidays.ts';
import { unnamedCaution } from './unnamed-users.ts';
import type { KeptWatch } from './kept-watch.ts';
import type { WatchOptions } from './watch-options.ts';
import { UsualPeaks } from './usual-peaks.ts';
import { correctedForChoice, estimate, smallestFound } from './effect.ts';
import { relevantChange } from './relevant-change.ts';
import { DAY_MS, MONTH_MS, type WatchSettings } from './settings.ts';
import { HOUR_MS } from './drift-variance.ts';
import { Recovery } from './recovery.ts';
import type { Change, Phase, State, WatchReading } from './watch-reading.ts';
import { type Foreseen, NOTHING_FORESEEN, UsualPattern } from './usual-pattern.ts';

const NEVER = Number.MAX_VALUE;
const MONTHLY_MIN = 1000;

export class LevelWatch {
  readonly #settings: WatchSettings;
  readonly #level: Level;
  readonly #options: WatchOptions;
  readonly #baseline: TrailingBaseline;
  readonly #evidence: ChangeEvidence;
  readonly #pattern: UsualPattern;
  readonly #recovery = new Recovery();
  readonly #peaks = new UsualPeaks();
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
  /** Totals at the onset of what was found. */
  #foundAt: Stretch;
  #isPartlyBack = false;
  #tolerated: Tolerated = { allowance: 0, designEffect: 1 };
  #foreseen: Foreseen = NOTHING_FORESEEN;
  #forParts: Foreseen | undefined;
  /** Mean level when it was first known. Parts of the traffic are expected to differ from it as their requests do. */
  #anchor: number | undefined;
  #changes: Change[] = [];
  /** The level since the regression began; undefined where there is none. */
  #since: LevelWatch | undefined;

  constructor(settings: WatchSettings, level: Level, options: WatchOptions) {
    this.#settings = settings;
    this.#level = level;
    this.#options = options;
    this.#baseline = new TrailingBaseline(settings.baseline, LEVEL_COLUMNS);
    this.#evidence = new ChangeEvidence(level.weights);
    this.#pattern = options.pattern ?? new UsualPattern(settings.wobble, { isPart: options.isPart === true });
    this.#hourStart = this.#evidence.totals();
    this.#foundAt = this.#hourStart;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get state(): State {
    return this.#silent ? 'no_data' : this.#stateWithData;
  }

  get standing(): number {
    return this.#phase === 'regressed' ? Math.max(1, this.#evidence.value / this.#alarmAt) : this.#standing;
  }

  get onset(): number {
    return this.#onset;
  }

  get usualBad(): number | undefined {
    return this.#expectations?.pooled.expected;
  }

  /** Knowledge about the last observation before it was seen. */
  get foreseen(): Foreseen {
    return this.#foreseen;
  }

  /** Expectation for a part of the traffic, by the kind of request; undefined before that is known. */
  get forParts(): Foreseen | undefined {
    return this.#forParts;
  }

  /**
   * Quantity is 0 or 1. For scores bad is 1 − score and quantity 1. `whose` is the user's slot; for a part, what the whole
   * foresaw. `per` is for a level that is shown per something else than the quantity that it is compared by.
   */
  observe(
    segment: number,
    bad: number,
    quantity: number,
    time: number,
    whose?: Slot | Foreseen,
    per: number = quantity,
  ): void {
    const at = time > this.#lastAt ? time : this.#lastAt;
    this.#lastAt = at;
    if (at >= this.#tick) this.advance(at);
    if (this.#silent) this.#speak(at);
    const slot = whose !== undefined && 'number' in whose ? whose : undefined;
    const foreseen = whose !== undefined && 'season' in whose ? whose : this.#pattern.foresee(slot, at);
    this.#foreseen = foreseen;
    this.#forParts = undefined;
    const isOff = isHoliday(this.#settings.holidays, at);
    if (!isOff) countIn(this.#baseline.cell(segment, at), bad - foreseen.season * quantity, quantity, per);
    const expectation = this.#expectations?.segments[segment];
    if (expectation === undefined) {
      if (this.#isOwn && this.#expectations === undefined && !isOff) this.#pattern.observeEarly(at, bad, quantity);
      return;
    }
    const ofKind = expectation.expected - (this.#anchor ?? expectation.expected);
    this.#forParts = ofKind === 0 ? foreseen : { ...foreseen, season: foreseen.season + ofKind };
    const base = confine(expectation.expected + foreseen.season, this.#level);
    const expected = base * quantity;
    const usual = (foreseen.usual ?? base) * quantity;
    const tolerated = isOff ? toleratedOnHoliday(base, this.#level) : 0;
    this.#evidence.add(expectation, { bad, quantity, expected, usual, given: foreseen.given, per, tolerated }, at);
    if (this.#isOwn) {
      const { variance } = expectation;
      const mayBeUsual = this.#phase !== 'regressed' && !isOff;
      this.#pattern.observe({ at, slot, quantity, excess: bad - expected, variance, foreseen, mayBeUsual });
    }
    if (this.#phase !== 'regressed' && this.#isSettled(at) && !isOff) this.#peaks.add(at, this.#evidence.value);
    if (this.#phase === 'learning') return;
    if (this.#phase === 'regressed') {
      const { designEffect } = this.#tolerated;
      this.#recovery.add(
        { expected: base, variance: expectation.variance, bad, quantity, designEffect },
        foreseen,
        this.#level,
      );
      if (!this.#isBack(at))
        this.#watchSince(at).observe(segment, bad, quantity, at, { ...foreseen, usual: base }, per);
      this.#followSince(at);
    } else if (this.#evidence.value >= this.#suspectAt) this.#weigh(at);
    else if (this.#phase === 'suspected' && this.#evidence.value < Math.sqrt(this.#alarmAt)) this.#enter('ok', at);
  }

  /** Log time has come to `time`; cheap when nothing ends. */
  advance(time: number): void {
    if (!this.#silent && time - this.#lastAt >= this.#settings.silentMs) {
      this.#changes.push({ from: this.#stateWithData, to: 'no_data', at: time });
      this.#silent = true;
    }
    if (time < this.#tick) return;
    this.#endHour(time);
    this.#followHour(time);
    if (this.#phase === 'suspected' && time - this.#phaseSince > this.#settings.suspectMaxMs) this.dismiss(time);
    if (this.#phase === 'recovered' && time - this.#phaseSince > this.#settings.recoveredMs) this.#enter('ok', time);
    if (this.#phase === 'suspected' || this.#phase === 'regressed') return;
    // While learning there is nothing to keep out, and a wobble to get to know.
    const { baseline, wobbleGapMs } = this.#settings;
    if (this.#isOwn) this.#pattern.include(time - (this.#phase === 'learning' ? baseline.gapMs : wobbleGapMs));
    this.#peaks.include(time - baseline.gapMs);
    if (this.#baseline.ripen(time)) this.#refresh(time);
    if (this.#phase === 'learning') this.#endLearning(time);
  }

  /** Called by the watch over several levels when this one is among the regressed. */
  confirm(at: number): void {
    if (this.#phase === 'suspected' && this.#standing > 0) this.#find(at);
  }

  /** Drops a suspicion that has another explanation. */
  dismiss(at: number): void {
    this.#evidence.forget(at);
    this.#enter('ok', at);
  }

  /** A person says that the level since the onset is the one to expect. */
  accept(at: number): void {
    this.#baseline.adopt();
    this.#pattern.forget();
    this.#since = undefined;
    this.#evidence.forget(at);
    this.#enter('learning', at);
    this.#refresh(at);
    this.#endLearning(at);
  }

  /** Scales counts of learned history, of which one in this many was read: all of them can give false alarms. */
  scaleTraffic(times: number, at: number): void {
    this.#baseline.scaleTraffic(times);
    if (this.#expectations !== undefined) this.#refresh(at);
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
    const sums = stretch ?? sumsOf(this.#baseline.recent(), this.#expectations?.segments ?? []);
    const seen = sums === undefined ? undefined : estimate(sums, this.#level, this.#pattern);
    const isChosen = troubled && !this.#isPartlyBack;
    return {
      state: this.state,
      stateSince: this.#stateSince(),
      logEvidence: Math.log(Math.max(1, this.#evidence.value)),
      logThreshold: this.#alarmAt < NEVER ? Math.log(this.#alarmAt) : 0,
      estimate: seen !== undefined && isChosen ? correctedForChoice(seen) : seen,
      onset: troubled ? (phase === 'regressed' ? this.#onset : stretch?.since) : undefined,
      minimumDetectableChange: this.#smallest(),
    };
  }

  snapshot(): Json {
    return {
      baseline: this.#baseline.snapshot(),
      evidence: this.#evidence.snapshot(),
      pattern: this.#isOwn ? this.#pattern.snapshot() : null,
      recovery: this.#recovery.snapshot(),
      peaks: this.#peaks.snapshot(),
      since: this.#since?.snapshot() ?? null,
      phase: this.#phase,
      silent: this.#silent,
      tolerated: { ...this.#tolerated },
      hourStart: { ...this.#hourStart },
      foundAt: { ...this.#foundAt },
      isPartlyBack: this.#isPartlyBack,
      anchor: this.#anchor ?? null,
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
      ],
    };
  }

  restore(json: Json): void {
    // The cast holds for what `snapshot` gave; Detection looks at its version.
    const kept = json as unknown as KeptWatch;
    this.#baseline.restore(kept.baseline);
    this.#evidence.restore(kept.evidence);
    if (kept.pattern !== null) this.#pattern.restore(kept.pattern);
    this.#recovery.restore(kept.recovery);
    if (kept.peaks !== undefined) this.#peaks.restore(kept.peaks);
    this.#phase = kept.phase;
    this.#silent = kept.silent;
    this.#tolerated = kept.tolerated;
    this.#hourStart = kept.hourStart;
    this.#foundAt = kept.foundAt;
    this.#isPartlyBack = kept.isPartlyBack ?? false;
    this.#anchor = kept.anchor ?? undefined;
    this.#changes = [...kept.changes];
    [this.#phaseSince = 0, this.#lastAt = 0, this.#alarmAt = NEVER] = kept.numbers;
    [this.#suspectAt = NEVER, this.#tick = 0, this.#hourEnd = 0] = kept.numbers.slice(3);
    [this.#standing = 0, this.#onset = 0] = kept.numbers.slice(6);
    this.#since = undefined;
    if (kept.since !== null) this.#watchSince(this.#lastAt).restore(kept.since);
    // The baseline changes only when expectations are recalculated, so that they come out the same.
    this.#expect();
  }

  get #stateWithData(): Exclude<State, 'no_data'> {
    return this.#phase === 'regressed' && this.#isPartlyBack ? 'partly_back' : this.#phase;
  }

  #stateSince(): number | undefined {
    if (this.#lastAt === 0) return undefined;
    return this.#silent ? this.#lastAt + this.#settings.silentMs : this.#phaseSince;
  }

  #speak(at: number): void {
    this.#silent = false;
    if (this.#phaseSince === 0) this.#phaseSince = at;
    this.#changes.push({ from: 'no_data', to: this.#stateWithData, at });
  }

  #enter(phase: Phase, at: number): void {
    if (phase === this.#phase) return;
    this.#tell(phase, at);
    this.#phase = phase;
    this.#isPartlyBack = false;
    if (phase !== 'suspected') this.#standing = 0;
  }

  #tell(to: State, at: number): void {
    if (!this.#silent) this.#changes.push({ from: this.#stateWithData, to, at });
    this.#phaseSince = at;
  }

  #endHour(time: number): void {
    if (this.#hourEnd > 0 && this.#isOwn) {
      const totals = this.#evidence.totals();
      const isUsual = this.#phase !== 'regressed';
      const mayBeUsual = isUsual && !isHoliday(this.#settings.holidays, this.#hourEnd - 1);
      this.#pattern.endHour(this.#hourEnd, { from: this.#hourStart, to: totals, mayBeUsual });
      if (isUsual) this.#hourStart = totals;
    }
    this.#hourEnd = Math.floor(time / HOUR_MS) * HOUR_MS + HOUR_MS;
    const { bucketMs } = this.#settings.baseline;
    this.#tick = Math.min(this.#hourEnd, Math.floor(time / bucketMs) * bucketMs + bucketMs);
  }

  #refresh(time: number): void {
    const { wobbleAllowance, baselineAllowance } = this.#settings;
    const usual = this.#baseline.usual;
    const pattern = this.#pattern;
    if (this.#isOwn) pattern.learnCalendar(time - this.#settings.baseline.gapMs);
    const wobble = wobbleAllowance * Math.sqrt(pattern.wobble);
    const error = standardError(usual, this.#level) * Math.sqrt(pattern.inflation);
    this.#tolerated = {
      allowance: Math.max(leastAllowance(usual, this.#level), wobble + this.#baseline.doubt(baselineAllowance) * error),
      designEffect: pattern.designEffect,
    };
    this.#expect();
    if (this.#expectations === undefined) return;
    this.#anchor ??= this.#expectations.pooled.expected;
    if (this.#isOwn) pattern.settle(this.#expectations.pooled);
    const perMonth = this.#baseline.conversationsPerMs * MONTH_MS;
    const ifUnrelated = Math.max(MONTHLY_MIN, perMonth) / this.#falseAlarmsPerMonth;
    const least = this.#options.hasUsers?.() === false ? unnamedCaution(this.#baseline.historyMs(time)) : 1;
    this.#alarmAt = ifUnrelated ** Math.max(least, this.#peaks.inflation);
    this.#suspectAt = this.#alarmAt ** 0.75;
  }

  #expect(): void {
    this.#expectations = expectationsOf(this.#baseline.usual, this.#level, this.#tolerated, this.#options.valuesOf);
  }

  #endLearning(time: number): void {
    const { conversations, historyMs } = this.#settings.learn;
    const baseline = this.#baseline;
    if (this.#expectations === undefined || baseline.conversations < conversations) return;
    if (baseline.historyMs(time) < historyMs) return;
    this.#evidence.forget(time);
    this.#enter('ok', time);
  }

  /** Early evidence shows how little the baseline knows, not how much outcomes are related. */
  #isSettled(at: number): boolean {
    return this.#baseline.historyMs(at) >= this.#settings.learn.historyMs / 2;
  }

  get #isOwn(): boolean {
    return this.#options.pattern === undefined;
  }

  get #falseAlarmsPerMonth(): number {
    const own = this.#settings.falseAlarmsPerMonth;
    return Math.min(own, this.#options.budget?.perLevel ?? own);
  }

  #weigh(at: number): void {
    if (this.#phase !== 'suspected') this.#enter('suspected', at);
    const isEnough = this.#evidence.value >= this.#alarmAt;
    this.#standing = isEnough ? relevantChange(this.#evidence, this.#level).evidence / this.#alarmAt : 0;
    if (this.#standing >= 1 && !this.#options.together) this.#find(at);
  }

  #find(at: number): void {
    const stretch = relevantChange(this.#evidence, this.#level).stretch;
    this.#onset = stretch.since;
    this.#foundAt = between(this.#evidence.totals(), stretch);
    this.#recovery.begin(Math.abs(estimate(stretch, this.#level, this.#pattern)?.change ?? 0));
    this.#baseline.cut(stretch.since);
    this.#peaks.cut(stretch.since);
    if (this.#isOwn) this.#pattern.cut(stretch.since);
    this.#expect();
    this.#since = undefined;
    this.#enter('regressed', at);
  }

  #isBack(at: number): boolean {
    const perDay = this.#baseline.conversationsPerMs * DAY_MS;
    const { wobble, sumEffect } = this.#pattern;
    const wanders = this.#settings.wobbleAllowance * Math.sqrt(wobble);
    const of = { at, perDay, foundAt: this.#foundAt, level: this.#level, varies: { wobble, sumEffect }, wanders };
    const found = this.#recovery.look(this.#evidence.totals(), of);
    if (found === undefined) return false;
    this.#since = undefined;
    if (found !== 'back') {
      // The rest of the change is the regression from now on: it may heal as well, or get worse.
      this.#foundAt = found;
      if (!this.#isPartlyBack) this.#tell('partly_back', at);
      this.#isPartlyBack = true;
      return false;
    }
    this.#evidence.forget(at);
    this.#peaks.passed(at, this.#alarmAt);
    this.#baseline.cut(0);
    this.#hourStart = this.#evidence.totals();
    this.#enter('recovered', at);
    return true;
  }

  #watchSince(at: number): LevelWatch {
    if (this.#since !== undefined) return this.#since;
    const { baseline, learnSince } = this.#settings;
    const settings: WatchSettings = {
      ...this.#settings,
      baseline: { ...baseline, gapMs: baseline.gapMs / 4, bucketMs: baseline.bucketMs / 4 },
      learn: learnSince,
      silentMs: NEVER,
    };
    const options = { ...this.#options, together: false, isPart: false, pattern: this.#pattern };
    this.#since = new LevelWatch(settings, this.#level, options);
    this.#since.advance(at);
    return this.#since;
  }

  #followHour(time: number): void {
    if (this.#phase !== 'regressed') return;
    this.#since?.advance(time);
    this.#followSince(time);
    const seen = estimate(this.#stretch(), this.#level, this.#pattern);
    if (seen !== undefined) this.#recovery.seen(seen, this.#pattern.sumEffect, this.#level);
  }

  /** Whether it has become worse than it was when it was found. */
  #followSince(at: number): void {
    const since = this.#since;
    if (since === undefined || this.#phase !== 'regressed') return;
    since.takeChanges();
    if (since.phase !== 'regressed') return;
    const stretch = since.#stretch();
    this.#onset = since.onset;
    this.#baseline.drop(since.onset);
    this.#foundAt = between(this.#evidence.totals(), { ...stretch, expected: stretch.usual });
    this.#since = undefined;
    this.#tell('regressed', at);
    this.#isPartlyBack = false;
  }

  #stretch(): Stretch {
    if (this.#phase === 'suspected') return relevantChange(this.#evidence, this.#level).stretch;
    return { ...between(this.#evidence.totals(), this.#foundAt), since: this.#onset };
  }

  #smallest(): number | undefined {
    const pooled = this.#expectations?.pooled;
    if (pooled === undefined || this.#alarmAt === NEVER) return undefined;
    const perDay = this.#baseline.conversationsPerMs * DAY_MS;
    return smallestFound({
      pooled,
      level: this.#level,
      perDay,
      logAlarm: Math.log(this.#alarmAt),
      allowance: this.#tolerated.allowance,
      sumEffect: this.#pattern.sumEffect,
    });
  }
}
