/**
 * Remembers the labels under which anything was counted, and reads again what may have changed: all of it takes a walk
 * over a month of the history, and every page that somebody opens asks for it. A place that was counted late, in a stretch
 * that was read before, is found by the next whole walk.
 */
import type { CountedPlace } from './read-evaluation.ts';

interface Asked {
  readonly width: number;
  readonly since: number;
}

interface Read extends Asked {
  readonly places: ReadonlyMap<string, CountedPlace>;
  readonly readAt: number;
}

const WHOLE_EVERY_MS = 3_600_000;
/** Stretches before the last one of which more may come. */
const STRETCHES_AGAIN = 2;

export class RecentPlaces {
  #read: Read | undefined;

  async of(
    asked: Asked,
    read: (asked: Asked) => readonly CountedPlace[] | Promise<readonly CountedPlace[]>,
  ): Promise<readonly CountedPlace[]> {
    const now = performance.now();
    const known = this.#read;
    const isKnown = known?.width === asked.width && known.since === asked.since && now - known.readAt < WHOLE_EVERY_MS;
    const last = isKnown ? Math.max(asked.since, ...[...known.places.values()].map((place) => place.last)) : 0;
    const since = isKnown ? Math.max(asked.since, last - STRETCHES_AGAIN * asked.width) : asked.since;
    const places = new Map(isKnown ? known.places : []);
    for (const place of await read({ width: asked.width, since })) {
      const key = keyOf(place);
      const before = places.get(key);
      places.set(key, before === undefined ? place : { ...place, first: Math.min(before.first, place.first) });
    }
    this.#read = { ...asked, places, readAt: isKnown ? known.readAt : now };
    return [...places.values()];
  }
}

function keyOf({ agent, agentVersion, environment, segment }: CountedPlace): string {
  return JSON.stringify([agent, agentVersion, environment, segment]);
}
