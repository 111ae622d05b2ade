/** The headline in words, the same on every surface. */
import { counted } from './counted.ts';
import type { Estimate } from './estimate.ts';

interface Headline {
  readonly success: Estimate | undefined;
  readonly missRate: Estimate | undefined;
  readonly spokenFor: number;
  readonly read: number;
  readonly certain: number;
  readonly calledFine: number;
}

/** People who read with the keys take about so long for one. */
export const MINUTES_A_READING = 1.25;

export function headlineWords({ success, missRate, spokenFor, read, certain, calledFine }: Headline): string {
  if (success === undefined) return 'No conversation has been read: how many went well is not known.';
  const from = [
    ...(read > 0 ? [counted(read, 'reading')] : []),
    ...(certain > 0 ? [counted(certain, 'certain outcome')] : []),
  ];
  const missed =
    missRate === undefined
      ? ''
      : ` The suites call ${calledFine} of them fine, and so ${percent(missRate.value)} (${range(missRate)}) of those that went badly.`;
  return `${percent(success.value)} (${range(success)}) of ${counted(spokenFor, 'conversation')} went well, from ${from.join(' and ')}.${missed}`;
}

export function nextWords(
  worth: readonly { readonly readings: number; readonly plusMinus: number }[],
  { isLed, ...asked }: Asked & { readonly isLed?: boolean },
): string {
  const led = 'Outcomes became certain because conversations were read, so they count in their turn only. ';
  return `${isLed === true ? led : ''}${adviceWords(worth, asked)}`;
}

interface Asked {
  readonly read: number;
  readonly isEnough: boolean;
  readonly spokenFor: number;
}

function adviceWords(
  worth: readonly { readonly readings: number; readonly plusMinus: number }[],
  { read, isEnough, spokenFor }: Asked,
): string {
  const [first, second] = worth;
  if (spokenFor === 0) return 'There is no conversation here that is over and has words to read.';
  if (first === undefined) return 'All conversations that can be read have been read.';
  if (isEnough) return 'More readings would hardly narrow it. Read on next week.';
  const more = first.readings - read;
  const then =
    second === undefined
      ? ''
      : `, ${second.readings - read} ${isExact(second) ? 'for all of it' : `for ± ${points(second)}`}`;
  const known = isExact(first) ? 'exactly' : `to about ± ${counted(points(first), 'point')}`;
  const minutes = Math.max(1, Math.round(more * MINUTES_A_READING));
  return `Read ${counted(more, `${read > 0 ? 'more ' : ''}conversation`)} (about ${counted(minutes, 'minute')}) to know it ${known}${then}.`;
}

interface Width {
  readonly plusMinus: number;
}

/** All are read then. */
function isExact({ plusMinus }: Width): boolean {
  return plusMinus < 0.0005;
}

const BANDS = [
  [0.85, 'production ready'],
  [0.7, 'usable'],
] as const;

/** So few conversations say nothing of what others will see. */
const BAND_MIN = 50;

/** Rests on the lower end of the interval alone; undefined where that shows nothing. */
export function bandOf(lower: number, conversations: number) {
  return conversations < BAND_MIN ? undefined : BANDS.find(([from]) => lower >= from)?.[1];
}

/** As APIs give it, from so many readings. */
export function figureOf({ value, lower, upper }: Estimate, n: number) {
  return { value, low: lower, high: upper, n };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function range({ lower, upper }: Estimate): string {
  return `${(lower * 100).toFixed(1)} to ${(upper * 100).toFixed(1)} %`;
}

function points({ plusMinus }: Width): number {
  return Math.max(1, Math.round(plusMinus * 100));
}
