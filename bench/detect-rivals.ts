/** The detectors that ours is compared with, in the same run: the obvious rule, and Page–Hinkley. */

/** avg over 1 h < 0.95 × avg over the day before, checked every minute. */
export class NaiveRule {
  #counts: Float64Array;
  #scores: Float64Array;
  #minute = 0;
  #isFiring = false;
  onsets = 0;

  constructor(minutes: number) {
    this.#counts = new Float64Array(minutes + 2);
    this.#scores = new Float64Array(minutes + 2);
  }

  get isFiring(): boolean {
    return this.#isFiring;
  }

  add(score: number): void {
    const at = this.#minute + 1;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#scores[at] = (this.#scores[at] as number) + score;
  }

  /** The running totals continue from this minute. */
  endMinute(): void {
    this.#minute += 1;
    const end = this.#minute;
    this.#counts[end] = (this.#counts[end] as number) + (this.#counts[end - 1] as number);
    this.#scores[end] = (this.#scores[end] as number) + (this.#scores[end - 1] as number);
    if (end < 1500) return;
    const hour = this.#mean(end - 60, end);
    const day = this.#mean(end - 1500, end - 60);
    const fires = hour < 0.95 * day;
    if (fires && !this.#isFiring) this.onsets += 1;
    this.#isFiring = fires;
  }

  /** Earlier alarms do not count. */
  forget(): void {
    this.onsets = 0;
    this.#isFiring = false;
  }

  #mean(from: number, to: number): number {
    const count = (this.#counts[to] as number) - (this.#counts[from] as number);
    return count > 0 ? ((this.#scores[to] as number) - (this.#scores[from] as number)) / count : Number.NaN;
  }
}

/** With the usual defaults of the river library: δ 0.005, α 0.9999, threshold 50, on the loss 1 − score. */
export class PageHinkley {
  #count = 1;
  #mean = 0;
  #sum = 0;

  add(score: number): boolean {
    const loss = 1 - score;
    this.#mean += (loss - this.#mean) / this.#count;
    this.#count += 1;
    this.#sum = Math.max(0, 0.9999 * this.#sum + loss - this.#mean - 0.005);
    return this.#sum >= 50 && this.#count > 30;
  }

  forget(): void {
    this.#sum = 0;
  }
}
