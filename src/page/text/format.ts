/** Numbers, durations and times as the page writes them: the same figure looks the same everywhere. */
import type { ApiEstimate } from '../../api/shapes.ts';

const MINUS = '−';
const COUNT = new Intl.NumberFormat('en');
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_AND_CLOCK = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const WHOLE_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

export function countText(count: number): string {
  return COUNT.format(count).replace('-', MINUS);
}

/** `1 turn`, `3 turns`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** `81.4 %`. A share that is not all or nothing is not rounded to that: `< 0.1 %`, `> 99.9 %`. */
export function percent(share: number, digits = 1): string {
  const text = (share * 100).toFixed(digits);
  const least = 10 ** -digits;
  if (share > 0 && Number(text) === 0) return `< ${least} %`;
  if (share < 1 && Number(text) === 100) return `> ${(100 - least).toFixed(digits)} %`;
  return `${text} %`;
}

/** A score or a mean of scores: `0.874`. */
export function scoreText(score: number, digits = 2): string {
  return fixed(score, digits);
}

/** `79.9–82.8`: the interval of a share, in percent. */
export function percentRange({ low, high }: ApiEstimate): string {
  return rangeText(fixed(low * 100, 1), fixed(high * 100, 1));
}

export function scoreRange({ low, high }: ApiEstimate): string {
  return rangeText(fixed(low, 3), fixed(high, 3));
}

/** A dash beside a minus would be read as one of its kind. */
function rangeText(low: string, high: string): string {
  return low.startsWith(MINUS) || high.startsWith(MINUS) ? `${low} to ${high}` : `${low}–${high}`;
}

/** With the one minus sign of the page, and none before nothing. */
function fixed(value: number, digits: number): string {
  return (Number(value.toFixed(digits)) + 0).toFixed(digits).replace('-', MINUS);
}

/** `−4.2`: points of a hundred, with a sign. */
export function points(difference: number): string {
  const text = Math.abs(difference * 100).toFixed(1);
  return text === '0.0' ? '0.0' : `${difference < 0 ? MINUS : '+'}${text}`;
}

export function durationText(ms: number): string {
  // Times of the API are whole milliseconds.
  if (ms < 1) return '< 1 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  // Rounded first, so that nothing takes 59 min 60 s.
  const [seconds, minutes] = [Math.round(ms / 1_000), Math.round(ms / 60_000)];
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return counted(Math.round(ms / 86_400_000), 'day');
}

export function dollars(cost: number): string {
  return cost > 0 && cost < 0.01 ? `$${cost.toPrecision(1)}` : `$${cost.toFixed(2)}`;
}

/** In the reader's zone: the clock for today, with the day for this year, the day alone before it. */
export function timeText(iso: string, now: Date): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  if (time.toDateString() === now.toDateString()) return CLOCK.format(time);
  return time.getFullYear() === now.getFullYear() ? DAY_AND_CLOCK.format(time) : WHOLE_DAY.format(time);
}

/** For a title: the same moment in UTC, to the second. */
export function utcText(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
