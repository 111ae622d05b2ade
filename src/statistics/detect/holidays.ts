/**
 * Days that are not like others, which a person lists: nothing is learned from them, and a level may be worse on them by
 * four minimum changes, which is 10 % of a score. A first holiday is no alarm either, and an outage on a holiday is one.
 */
import type { Level } from './expectations.ts';
import { DAY_MS } from './settings.ts';

const MINIMA = 4;

/** By days since 1970, in UTC. */
export function isHoliday(holidays: ReadonlySet<number>, at: number): boolean {
  return holidays.size > 0 && holidays.has(Math.floor(at / DAY_MS));
}

/** Change of the level that is tolerated, in the unit of what is bad. */
export function toleratedOnHoliday(expected: number, { worse, minimumChange }: Level): number {
  return MINIMA * minimumChange * (worse === 'falls' ? 1 - expected : expected);
}
