/**
 * The order of many agents by harm, and the one sentence about each, the same on every surface.
 *
 * **Harm** is failures an hour, each weighted with the severity of its outcome: a hard failure counts three times as much
 * as a graceful one. It counts, so few conversations do little harm, whatever share of them failed.
 */
import { OTHER } from './agent-labels.ts';
import type { ComparisonWord } from './comparison.ts';
import { counted } from './counted.ts';
import type { About, Outcome } from './evaluation.ts';
import { isFailure, severityOf } from './severity.ts';
import { changeWords, saidOf, speaksOfSuccess } from './suite-words.ts';

/** Failures among evaluations that were good or bad. */
export interface Failures {
  readonly failed: number;
  readonly of: number;
}

/** A comparison of an agent with itself. */
export interface FleetChange {
  readonly word: ComparisonWord;
  readonly later: Failures;
  readonly earlier: Failures;
}

interface Ranked {
  readonly agent: string;
  readonly harm: number;
  /** Open alarms. */
  readonly alarms: number;
}

export function harmPerHour(outcomes: ReadonlyMap<Outcome, number>, hours: number): number {
  let sum = 0;
  for (const [outcome, count] of outcomes) if (isFailure(outcome)) sum += count * (severityOf(outcome) ?? 0);
  return sum / hours;
}

/** Most harm first; among equals those with more alarms, then by name. Agents counted together are no agent, and last. */
export function rankedByHarm<One extends Ranked>(all: readonly One[]): readonly One[] {
  return all.toSorted(
    (a, b) =>
      Number(a.agent === OTHER) - Number(b.agent === OTHER) ||
      b.harm - a.harm ||
      b.alarms - a.alarms ||
      (a.agent < b.agent ? -1 : 1),
  );
}

interface Told {
  readonly about: About;
  readonly scope: 'conversation' | 'turn';
  /** Length of the window, which the window before has as well. */
  readonly windowMs: number;
  /** Evaluations in each window, with those that were neither good nor bad. */
  readonly evaluations: { readonly later: number; readonly earlier: number };
  /** The window against the one before. */
  readonly change: FleetChange;
  /** The newest version against all earlier ones; undefined where it began before both windows, or in neither. */
  readonly newest: (FleetChange & { readonly version: string; readonly agoMs: number }) | undefined;
  /** Open alarms, and the age of the oldest, if it is known. */
  readonly alarms: { readonly count: number; readonly agoMs: number | undefined };
}

export function fleetSentence(told: Told): string {
  return `${standing(told)}${alarmWords(told.alarms)}`;
}

function standing(told: Told): string {
  const { about, scope, windowMs, evaluations, change, newest } = told;
  const window = stretch(windowMs);
  if (evaluations.later === 0)
    return `Silent: no ${scope} in ${window}, ${counted(evaluations.earlier, scope)} in the ${window} before`;
  const { later, earlier } = change;
  if (later.of === 0) return `Not known: ${counted(evaluations.later, scope)}, none of them good or bad`;
  const { good, bad } = changeWords(about);
  for (const word of [bad, good]) {
    if (newest?.word === word)
      return `${saidOf(word)} since ${newest.version}, ${agoText(newest.agoMs)}: ${both(newest, about, 'before')}`;
    if (change.word === word) return `${saidOf(word)} than in the ${window} before: ${both(change, about, 'then')}`;
  }
  if (earlier.of === 0) return `New: ${failures(later, about)}, nothing in the ${window} before`;
  return change.word === 'not_enough_evidence'
    ? `Too few to tell: ${both(change, about, 'before')}`
    : `No clear change: ${both(change, about, 'before')}`;
}

function both({ later, earlier }: FleetChange, about: About, when: 'before' | 'then'): string {
  return `${failures(later, about)}, ${earlier.failed} of ${earlier.of} ${when}`;
}

function failures({ failed, of }: Failures, about: About): string {
  return `${failed} of ${of} ${speaksOfSuccess(about) ? 'failed' : 'with a fault'}`;
}

function alarmWords({ count, agoMs }: Told['alarms']): string {
  if (count === 0) return '';
  const lasting = agoMs === undefined ? '' : ` for ${stretch(agoMs)}`;
  return `; ${count === 1 ? 'an alarm' : `${count} alarms`}${lasting}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function agoText(ms: number): string {
  return ms < MINUTE_MS ? 'just now' : `${stretch(ms)} ago`;
}

/** In its largest unit of which there are at least two: 36 h, 3 days. */
function stretch(ms: number): string {
  if (ms < 2 * HOUR_MS) return `${Math.max(1, Math.floor(ms / MINUTE_MS))} min`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} days`;
}
