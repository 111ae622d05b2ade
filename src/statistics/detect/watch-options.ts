/** Options of a watch over one level: what it shares with others, and what it is told about conversations. */
import type { ValuesOf } from './expectations.ts';
import type { UsualPattern } from './usual-pattern.ts';

export interface WatchOptions {
  /** Levels that are watched together do not alarm one by one: see `confirm`. */
  readonly together: boolean;
  /** Part of another level, which gives what it foresees. */
  readonly isPart?: boolean;
  /** The false alarms that one level may give in 30 days; the settings' own where nobody shares them. */
  readonly budget?: { readonly perLevel: number };
  /** Whether spans name users (unnamed-users.ts). */
  readonly hasUsers?: () => boolean;
  /** Values that the observations of a stratum have in common. */
  readonly valuesOf?: ValuesOf;
  /** Pattern of the level whose regression this watches: the level since then varies as the level itself did. */
  readonly pattern?: UsualPattern;
}
